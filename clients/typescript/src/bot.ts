/** What a bot is: a function that chooses steps, or an object with hooks. */

import type { Forfeited, MatchOver, Moved, Step } from "./events.js";
import type { Match } from "./match.js";
import type { Turn } from "./turn.js";

/** A bot as a function: the whole turn, as a list of steps, at once or promised. */
export type Choose = (turn: Turn) => Step[] | Promise<Step[]>;

/**
 * A bot that follows its matches. The hooks of one match are called one after the other, in the
 * order of the events, each after what the one before has promised.
 *
 * An exception in a hook ends the bot: it says goodbye, which forfeits its matches, and the
 * exception leaves `run`.
 */
export interface Bot {
  /** The whole turn, as a list of steps. */
  turn: Choose;
  /** A match begins (or is taken up again, see `match.resumed`); clocks wait for us. */
  matchStart?(match: Match): void | Promise<void>;
  /** Another player has moved (with `wants: ["moved"]` also we ourselves). */
  moved?(match: Match, moved: Moved): void | Promise<void>;
  /** A player has forfeited, perhaps we ourselves. */
  forfeited?(match: Match, forfeited: Forfeited): void | Promise<void>;
  /** The match has ended. */
  matchOver?(match: Match, over: MatchOver): void | Promise<void>;
}
