/**
 * Texts of the page's language: flat keys, `{name}` in a text is a placeholder. The server's own
 * sentences are English; the texts have those of the language under `said.GROUP.SENTENCE`.
 */

const LANGUAGE = document.documentElement.lang || "en";
const PLACE = /\{(\w+)\}/g;
const SAID = /^said\.\w+\./;
const MOST_NESTED = 4;

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
 * A sentence of the server in the page's language as far as the texts have it, and the language
 * that it is in: `{text, lang}`. The pages do the same for theirs (`content/server_sentences.py`).
 */
export function said(texts, sentence) {
  const text = translated(texts, sentence, 0);
  return text === null ? { text: sentence, lang: "en" } : { text, lang: LANGUAGE };
}

function translated(texts, sentence, depth) {
  if (depth > MOST_NESTED) return null;
  for (const [key, instead] of Object.entries(texts)) {
    const prefix = SAID.exec(key);
    const values = prefix === null ? null : valuesIn(sentence, key.slice(prefix[0].length));
    if (values === null) continue;
    return instead.replace(PLACE, (_, name) => valueOf(texts, name, values[name], depth));
  }
  return null;
}

/** A value as the place's name asks: a sentence, several words, a number with a decimal point. */
function valueOf(texts, name, value, depth) {
  if (name.startsWith("why")) return translated(texts, value, depth + 1) ?? value;
  if (name.startsWith("list")) return value.replaceAll(" and ", ` ${say(texts, "viewer.result.and")} `);
  return name.startsWith("number") ? value.replaceAll(".", say(texts, "number.point")) : value;
}

/** The values of the places of a pattern in a sentence, none empty, each as short as possible. */
function valuesIn(sentence, pattern) {
  const [first, ...between] = pattern.split(PLACE);
  if (between.length === 0) return sentence === first ? {} : null;
  const last = between.at(-1);
  const end = sentence.length - last.length;
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) return null;
  const values = {};
  let start = first.length;
  for (let index = 0; index < between.length; index += 2) {
    const isLast = index === between.length - 2;
    const at = isLast ? end : sentence.indexOf(between[index + 1], start + 1);
    if (at <= start || at > end) return null;
    values[between[index]] = sentence.slice(start, at);
    start = at + between[index + 1].length;
  }
  return values;
}
