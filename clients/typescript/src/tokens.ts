/** Where a bot's token is kept from one start to the next: a file that only its owner may read. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import type { Address } from "./addresses.js";
import { BadSettings } from "./errors.js";

/** The file that `POLYNYA_TOKEN_FILE` names, or one for a server and name in the state folder. */
export function tokenPath(
  { host, port }: Address,
  name: string,
  environment: NodeJS.ProcessEnv,
): string {
  const given = environment["POLYNYA_TOKEN_FILE"];
  if (given) return given;
  const state = environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  const file = `${host}_${port}_${name}`.replace(/[^A-Za-z0-9._-]/g, "_");
  return join(state, "polynya", "tokens", file);
}

/**
 * The token in a file, null if there is none yet.
 *
 * @throws BadSettings if there is a file that cannot be read
 */
export function readToken(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim() || null; // which trims a byte order mark too
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new BadSettings(`the token cannot be read: ${(error as Error).message}`);
  }
}

/** Keeps a token, whole or not at all; an exception says why it cannot. */
export function keepToken(path: string, token: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${token}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
