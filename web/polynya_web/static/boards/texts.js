/** Texts of the page's language: flat keys, `{name}` in a text is a placeholder. */

/**
 * The text of a key with its placeholders filled in; a key that is missing shows itself.
 *
 * @param {Object<string, string>} texts texts by key.
 * @param {string} key e.g. "board.packeis.move".
 * @param {Object<string, *>} values what stands for the placeholders.
 */
export function say(texts, key, values = {}) {
  const pattern = texts[key] ?? key;
  return pattern.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
