/**
 * What happens in a match, as immutable values read from the server's messages.
 *
 * Keys that this version does not know are ignored, keys whose value is absent may be left out.
 */

import { BadMessage } from "./errors.js";

/** A verb and its arguments: `["move", 12, 40]`. */
export type Step = [verb: string, ...values: (number | string)[]];
/** A step as a bot may give it: what is read-only too. */
export type GivenStep = readonly [verb: string, ...values: (number | string)[]];
/** A position or options, in the form of the game's rules. */
export type Values = Record<string, unknown>;

/** The player of a seat. */
export interface Player {
  /** From 0. */
  readonly seat: number;
  /** The bot's name. */
  readonly name: string;
  /** Null for a bot without a rating. */
  readonly rating: number | null;
}

/** The time limits of a match in ms, null where there is no such limit. */
export interface Clock {
  /** A player's budget for the whole match. */
  readonly initialMs: number | null;
  /** What is added to it after each of his turns. */
  readonly incrementMs: number | null;
  /** The cap of every single turn. */
  readonly moveMs: number | null;
}

/** What may follow the first steps of a turn. */
export interface Legal {
  /** The legal steps, sorted. */
  readonly steps: Step[];
  /** Whether these steps are a whole turn. */
  readonly turnOver: boolean;
}

/** A turn that was played. */
export interface Moved {
  /** Its number in the match, from 1. */
  readonly turn: number;
  /** The seat that played it. */
  readonly seat: number;
  /** The whole turn; empty if it is concealed from us. */
  readonly steps: Step[];
  /** Whether the steps are kept from us, in a match with hidden parts. */
  readonly concealed: boolean;
  /** The time it was charged. */
  readonly elapsedMs: number;
  /** Each seat's budget after it, null without one. */
  readonly remainingMs: (number | null)[];
  /**
   * The seats that are asked next, in matches with joint turns or hidden parts: none at the end.
   * Null elsewhere, and before the last event of a turn.
   */
  readonly acting: number[] | null;
  /** What we learnt by the turn beyond the steps that we were told. */
  readonly seen: Values[];
  /** The server's message, with keys that this version does not know. */
  readonly message: Values;
}

/** A seat has forfeited. */
export interface Forfeited {
  /** The seat, perhaps our own. */
  readonly seat: number;
  /** The protocol's word for the reason, such as `timeout`. */
  readonly reason: string;
  /** The reason as a sentence. */
  readonly detail: string;
  /** The number of the turn, in matches with joint turns or hidden parts; null elsewhere. */
  readonly turn: number | null;
  /** As in `Moved`. */
  readonly acting: number[] | null;
  /** As in `Moved`. */
  readonly seen: Values[];
  /** The server's message. */
  readonly message: Values;
}

/** The result of a match. */
export interface MatchOver {
  /** `finished`, `forfeit`, `aborted` or `annulled`. */
  readonly reason: string;
  /** The rank of each seat, 1 the best; null without a result. */
  readonly ranking: number[] | null;
  /** The score of each seat; null without a result. */
  readonly scores: number[] | null;
  /** A sentence where more is to be said. */
  readonly detail: string | null;
  /** The id under which the server keeps the replay. */
  readonly replay: string | null;
  /** The ratings that changed, by name. */
  readonly ratings: ReadonlyMap<string, RatingChange>;
  /** What the match's chance followed from, in hexadecimal; null without hidden chance. */
  readonly deal: string | null;
  /** The server's message. */
  readonly message: Values;
}

/** The change that a match made to the rating of a bot. */
export interface RatingChange {
  /** The rating before the match; null for a bot without one. */
  readonly before: number | null;
  /** The rating after the match; null for a bot without one. */
  readonly after: number | null;
}

interface Kinds {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  array: unknown[];
  map: Values;
}

/**
 * The value under a key.
 *
 * @throws BadMessage if it is absent, or of another type
 */
export function field<K extends keyof Kinds>(message: Values, key: string, kind: K): Kinds[K] {
  const value = optional(message, key, kind);
  if (value === null) throw bad(message, key, kind);
  return value;
}

/** The value under a key, null if it is absent or nil. */
export function optional<K extends keyof Kinds>(
  message: Values,
  key: string,
  kind: K,
): Kinds[K] | null {
  const value = message[key];
  if (value === null || value === undefined) return null;
  if (kind === "integer" && typeof value === "bigint") return Number(value) as Kinds[K];
  if (!is(value, kind)) throw bad(message, key, kind);
  return value as Kinds[K];
}

function is(value: unknown, kind: keyof Kinds): boolean {
  switch (kind) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "map":
      return typeof value === "object" && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

function bad(message: Values, key: string, kind: string): BadMessage {
  const type = typeof message["type"] === "string" ? message["type"] : "map";
  return new BadMessage(`the server's "${type}" has no ${kind} under "${key}"`);
}

/** The players of `match_start` and `match_resume`, by seat. */
export function readPlayers(message: Values): Player[] {
  return (field(message, "players", "array") as Values[]).map((player) => ({
    seat: field(player, "seat", "integer"),
    name: field(player, "name", "string"),
    rating: optional(player, "rating", "number"),
  }));
}

/** The clock of `match_start` and `match_resume`. */
export function readClock(message: Values): Clock {
  const clock = field(message, "clock", "map");
  return {
    initialMs: optional(clock, "initial_ms", "integer"),
    incrementMs: optional(clock, "increment_ms", "integer"),
    moveMs: optional(clock, "move_ms", "integer"),
  };
}

/** The event of `moved`. */
export function readMoved(message: Values): Moved {
  const steps = optional(message, "steps", "array") as Step[] | null;
  return {
    turn: field(message, "turn", "integer"),
    seat: field(message, "seat", "integer"),
    steps: steps ?? [],
    concealed: steps === null,
    elapsedMs: field(message, "elapsed_ms", "integer"),
    remainingMs: field(message, "remaining_ms", "array") as (number | null)[],
    acting: optional(message, "acting", "array") as number[] | null,
    seen: (optional(message, "seen", "array") ?? []) as Values[],
    message,
  };
}

/** The event of `forfeited`. */
export function readForfeited(message: Values): Forfeited {
  return {
    seat: field(message, "seat", "integer"),
    reason: field(message, "reason", "string"),
    detail: field(message, "detail", "string"),
    turn: optional(message, "turn", "integer"),
    acting: optional(message, "acting", "array") as number[] | null,
    seen: (optional(message, "seen", "array") ?? []) as Values[],
    message,
  };
}

/** The event of `match_over`. */
export function readMatchOver(message: Values): MatchOver {
  const ratings = (optional(message, "ratings", "array") ?? []) as Values[];
  return {
    reason: field(message, "reason", "string"),
    ranking: optional(message, "ranking", "array") as number[] | null,
    scores: optional(message, "scores", "array") as number[] | null,
    detail: optional(message, "detail", "string"),
    replay: optional(message, "replay", "string"),
    ratings: new Map(
      ratings.map((change) => [
        field(change, "name", "string"),
        {
          before: optional(change, "before", "number"),
          after: optional(change, "after", "number"),
        },
      ]),
    ),
    deal: optional(message, "deal", "string"),
    message,
  };
}

/** The answer of `legal`. */
export function readLegal(message: Values): Legal {
  return {
    steps: field(message, "legal", "array") as Step[],
    turnOver: field(message, "turn_over", "boolean"),
  };
}
