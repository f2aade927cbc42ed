/**
 * What a bundle for browsers gets in place of `index.ts`: its types and errors, for code that runs in both.
 * A page has no TCP connections, so `run` only says so.
 */

export type * from "./index.js";
export {
  BadFrame,
  BadMessage,
  BadSettings,
  BadTurn,
  ClientError,
  ConnectionLost,
  GaveUp,
  NotWanted,
  Replaced,
  ServerError,
  ServerLeft,
  TurnLost,
} from "./errors.js";

import type { Bot, Choose } from "./bot.js";
import { BadSettings } from "./errors.js";
import type { Options } from "./settings.js";

/**
 * Never plays.
 *
 * @throws BadSettings always: it says where a bot can run
 */
export function run(_bot: Choose | Bot, _options: Options = {}): Promise<void> {
  const sentence =
    "a browser has no TCP connections: run this bot in Node, or take a seat on the server's page";
  return Promise.reject(new BadSettings(sentence));
}
