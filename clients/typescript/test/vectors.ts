/** The files in `protocol/vectors`, which every SDK is held to. */

import { readFileSync } from "node:fs";

export const VECTORS = new URL("../../../../protocol/vectors/", import.meta.url);

/** A file of vectors; integers that a number cannot hold exactly become bigints. */
export function read(file: string): unknown {
  const text = readFileSync(new URL(file, VECTORS), "utf8");
  const marked = text.replaceAll(/(?<=[:[,]\s*)-?\d{16,}(?=\s*[,\]}])/g, '"bigint $&"');
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith("bigint ") ? BigInt(value.slice(7)) : value,
  );
}
