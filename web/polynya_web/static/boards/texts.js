/**
 * Texts of the page's language: flat keys, `{name}` in a text is a placeholder. The templates of the
 * server's reasons stand under `reason.CODE`, those of games' refusals under `refusal.GAME.CODE`.
 */

const LANGUAGE = document.documentElement.lang || "en";
const PLACE = /\{(\w+)\}/g;
const FORM = /\{(\w+)(?::([^{}]*))?\}/g;
const MOST_NESTED = 8;

/**
 * The text of a key with its placeholders filled in; a key that is missing shows itself.
 *
 * @param {Object<string, string>} texts texts by key.
 * @param {string} key e.g. "board.packeis.move".
 * @param {Object<string, *>} values what stands for the placeholders.
 */
export function say(texts, key, values = {}) {
  const pattern = texts[key] ?? key;
  return pattern.replace(PLACE, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/**
 * A reason in the page's language as far as the texts have it, else the server's English sentence:
 * `{text, lang}`. The pages do the same for theirs (`polynya_common/reasons.py` says the forms).
 *
 * @param {?{code: string, fields: Object}} cause the reason; null where there is only a sentence.
 * @param {string} sentence the same in English.
 */
export function said(texts, cause, sentence) {
  const known = cause && templateOf(texts, cause) !== undefined;
  return known ? { text: worded(texts, cause), lang: LANGUAGE } : { text: sentence, lang: "en" };
}

function templateOf(texts, { code, game }) {
  return texts[game === undefined ? `reason.${code}` : `refusal.${game}.${code}`];
}

function worded(texts, cause, depth = 0) {
  const template = templateOf(texts, cause);
  if (template === undefined || depth > MOST_NESTED) return cause.text ?? cause.code;
  const { fields = {}, game } = cause;
  return template.replace(FORM, (_, name, form = "") => {
    const value = fields[name] ?? null;
    const within = game !== undefined && value?.code !== undefined; // a refusal of the same game
    return placed(texts, within ? { game, ...value } : value, form, depth);
  });
}

function placed(texts, value, form, depth) {
  const shown = shownAs(texts, value, depth + 1);
  if (form.includes("#")) {
    const count = Array.isArray(value) ? value.length : value;
    const [one, several = one] = form.split("|");
    return value === null || count === 0 ? "" : (count === 1 ? one : several).replace("#", () => shown);
  }
  if (form === ";" && Array.isArray(value)) return value.map((one) => shownAs(texts, one, depth + 1)).join("; ");
  if (form === "word") return texts[`reason.word.${value}`] ?? shown;
  if (form === "r" && typeof value === "string") return `'${value}'`;
  if (typeof value !== "number") return shown;
  if (form === ",") return value.toLocaleString(LANGUAGE);
  const digits = /^,?\.(\d)f$/.exec(form)?.[1];
  return digits === undefined ? shown : inDigits(value, digits);
}

function inDigits(value, digits) {
  return value.toLocaleString(LANGUAGE, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function shownAs(texts, value, depth) {
  if (Array.isArray(value)) {
    const words = value.map((one) => shownAs(texts, one, depth));
    const last = words.pop() ?? "";
    return words.length > 0 ? `${words.join(", ")} ${texts["viewer.result.and"]} ${last}` : last;
  }
  if (typeof value === "number") return String(value).replace(".", texts["number.point"]);
  return value?.code === undefined ? String(value) : worded(texts, value, depth);
}
