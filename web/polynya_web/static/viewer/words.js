/** Times and numbers as a reader of the page's language writes them. */

import { say } from "../boards/texts.js";

const LANGUAGE = document.documentElement.lang || "en";

function number(value, digits) {
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(LANGUAGE, shape).format(value);
}

/** A number with no more digits than one reads; one with many zeros has a power of ten, "1E300". */
export function brief(value) {
  const size = Math.abs(value);
  const isFar = size >= 1e12 || (size > 0 && size < 1e-6);
  return new Intl.NumberFormat(LANGUAGE, {
    notation: isFar ? "scientific" : "standard",
    maximumSignificantDigits: isFar || size < 1000 ? 4 : 12,
  }).format(value);
}

/** A length of time: "120 ms", "1.20 s", "2 min 5 s". */
export function duration(milliseconds) {
  if (milliseconds < 10)
    return `${number(milliseconds, Number.isInteger(milliseconds) ? 0 : 2)} ms`;
  if (milliseconds < 1000) return `${number(milliseconds, 0)} ms`;
  if (milliseconds < 120_000) return `${number(milliseconds / 1000, 2)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** What a clock shows: "1:05", below a minute with tenths, "0:09.4"; never less than nothing. */
export function clockFace(milliseconds) {
  const left = Math.max(0, milliseconds);
  const minutes = Math.floor(left / 60_000);
  const seconds = (left % 60_000) / 1000;
  const digits = left < 60_000 ? 1 : 0;
  const face = Math.floor(seconds * 10 ** digits) / 10 ** digits;
  return `${minutes}:${face < 10 ? "0" : ""}${number(face, digits)}`;
}

/** The text for a key of an open set, such as a reason; one without a text stands for itself. */
export function word(texts, group, key) {
  const name = `${group}.${key}`;
  return name in texts ? say(texts, name) : String(key);
}

/** What somebody learnt with a position, in the game's own words; empty if that is nothing. */
export function seenWords(texts, seen) {
  const facts = (seen ?? []).flatMap((fact) =>
    Object.entries(fact).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`),
  );
  return facts.length === 0 ? "" : say(texts, "viewer.seen", { facts: facts.join(", ") });
}
