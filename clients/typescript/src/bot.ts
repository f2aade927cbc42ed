/** What a bot is: a function that chooses steps, or an object with hooks. */

import type { Forfeited, GivenStep, MatchOver, Moved, Values } from "./events.js";
import type { Match } from "./match.js";
import type { Turn } from "./turn.js";

/**
 * A bot as a function: the whole turn, as a list of steps, at once or promised. `State` is the type of
 * its positions, such as `PackeisState`.
 */
export type Choose<State = Values> = (
  turn: Turn<State>,
) => readonly GivenStep[] | Promise<readonly GivenStep[]>;

/**
 * A bot that follows its matches. The hooks of one match are called one after the other, in the
 * order of the events, each after what the one before has promised.
 *
 * An exception in a hook ends the bot: it says goodbye, which forfeits its matches, and the
 * exception leaves `run`.
 */
export interface Bot<State = Values> {
  /** The whole turn, as a list of steps. */
  turn: Choose<State>;
  /** A match begins (or is taken up again, see `match.resumed`); clocks wait for us. */
  matchStart?(match: Match<State>): void | Promise<void>;
  /**
   * Another player has moved; in matches with joint turns or hidden parts, and with
   * `wants: ["moved"]`, also we ourselves.
   */
  moved?(match: Match<State>, moved: Moved): void | Promise<void>;
  /** A player has forfeited, perhaps we ourselves. */
  forfeited?(match: Match<State>, forfeited: Forfeited): void | Promise<void>;
  /** The match has ended. */
  matchOver?(match: Match<State>, over: MatchOver): void | Promise<void>;
  /**
   * Thinks on the opponents' time: there is nothing to do in this match. When something happens
   * there, `signal` is aborted, and the next hook waits until this one is done. It is called again
   * afterwards.
   */
  ponder?(match: Match<State>, signal: AbortSignal): void | Promise<void>;
  /** A server has welcomed the bot, by this name: each time that it comes. */
  connected?(name: string | null): void | Promise<void>;
  /** The session has ended; the bot comes back unless the contest is over. */
  disconnected?(reason: string): void | Promise<void>;
}
