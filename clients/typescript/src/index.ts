/** Connect a bot to a Polynya server: write one function, `choose(turn)`, and call `run`. */

export type { Bot, Choose } from "./bot.js";
export { run } from "./client.js";
export {
  BadFrame,
  BadMessage,
  BadSettings,
  BadTurn,
  ClientError,
  ConnectionLost,
  GaveUp,
  type Logger,
  NotWanted,
  Replaced,
  ServerError,
  ServerLeft,
  TurnLost,
} from "./errors.js";
export type {
  Clock,
  Forfeited,
  GivenStep,
  Legal,
  MatchOver,
  Moved,
  Player,
  RatingChange,
  Step,
  Values,
} from "./events.js";
export type { Match } from "./match.js";
export type { Message } from "./message.js";
export type * from "./positions.js";
export type { Options } from "./settings.js";
export type { Turn } from "./turn.js";
