/**
 * Types of the games' positions and steps, written by games/schema/make_schemas.py:
 * `choose(turn: Turn<PackeisState>)`.
 *
 * @module
 */

/** Row of Packeis am Pol. */
export type PackeisRow = readonly [length: number, indent: number];

/** A step of Packeis am Pol: a verb and its arguments. */
export type PackeisStep =
  | readonly [verb: "place", cell: number]
  | readonly [verb: "move", from: number, to: number];

/** A position of Packeis am Pol. */
export interface PackeisState {
  readonly game: "packeis";
  /** 2 to 4; the number of seats */
  readonly players: number;
  readonly phase: "movement" | "over" | "placement";
  /** a seat or null; null exactly when the match is over */
  readonly to_move: number | null;
  /** 60 integers, 0 to 3; the fish on each floe; 0 where there is no floe any more */
  readonly fish: readonly number[];
  /** a list of cells per seat; ascending */
  readonly penguins: readonly (readonly number[])[];
  /** an integer per seat */
  readonly fish_caught: readonly number[];
  /** an integer per seat */
  readonly floes_caught: readonly number[];
  /** true or false per seat; who makes no more turns; a forfeiter is out too */
  readonly out: readonly boolean[];
  /** a list of seats; in the order of the forfeits */
  readonly forfeited: readonly number[];
  /** as in the option; only with that option */
  readonly rows?: readonly (PackeisRow | readonly PackeisRow[])[];
}

/** Row of Arktia. */
export type ArktiaRow = readonly [length: number, indent: number];

/** Muglu of Arktia. */
export type ArktiaMuglu = readonly [colour: number, kind: "D" | "G" | "T"];

/** A step of Arktia: a verb and its arguments. */
export type ArktiaStep =
  | readonly [verb: "neutral", kind: "D" | "G" | "T", cell: number]
  | readonly [verb: "place", kind: "D" | "G" | "T", cell: number]
  | readonly [verb: "move", from: number, count: number, to: number]
  | readonly [verb: "keep", colour: number, cell: number]
  | readonly [verb: "melt", cell: number]
  | readonly [verb: "retire"];

/** A position of Arktia. */
export interface ArktiaState {
  readonly game: "arktia";
  /** 2 to 4; the number of seats */
  readonly players: number;
  readonly phase: "main" | "neutral" | "opening" | "over";
  /** an integer; of the main phase, from 1; 0 before it */
  readonly round: number;
  /** a seat or null; null exactly when the match is over */
  readonly to_move: number | null;
  /** [[length, indent], …]; the board at the beginning */
  readonly rows: readonly (ArktiaRow | readonly ArktiaRow[])[];
  /** 1 or 0 per cell; 0: melted */
  readonly ice: readonly number[];
  /** a list per cell; [[colour, kind], …], bottom to top; [] where nothing stands */
  readonly stacks: readonly (readonly ArktiaMuglu[])[];
  /** [G, D, T] per seat; what they can still place */
  readonly reserve: readonly (readonly number[])[];
  /** [G, D, T] per seat; the neutral ones they can still place */
  readonly neutral_reserve: readonly (readonly number[])[];
  /** an integer per seat; muglus taken, tiles melted */
  readonly taken: readonly number[];
  /** an integer per seat; muglus taken, tiles melted */
  readonly melted: readonly number[];
  /** an integer per seat; what each would have if the match ended now */
  readonly points: readonly number[];
  /** true or false per seat; who makes no more turns; a forfeiter is out too */
  readonly out: readonly boolean[];
  /** a list of seats; in the order of the forfeits */
  readonly forfeited: readonly number[];
  /** an integer */
  readonly round_limit: number;
  /** what the seat to move still has to do in this turn */
  readonly owes: "keep" | "melt" | null;
}

/** Face of Ice Cult. */
export type IceCultFace = readonly [symbol: number, direction: "D" | "E" | "N" | "S" | "U" | "W" | null];

/** Tip of Ice Cult. */
export type IceCultTip = readonly [pair: "E" | "N" | "S" | "W", direction: "E" | "N" | "S" | "W"];

/** A step of Ice Cult: a verb and its arguments. */
export type IceCultStep =
  | readonly [verb: "tip", pair: "E" | "N" | "S" | "W", direction: "E" | "N" | "S" | "W"]
  | readonly [verb: "rotate", position: number, turn: "ccw" | "cw"]
  | readonly [verb: "advance", position: number, field: number, index: number]
  | readonly [verb: "end"];

/** A position of Ice Cult. */
export interface IceCultState {
  readonly game: "icecult";
  /** 2 to 4; the number of seats */
  readonly players: number;
  /** action 1, action 2, the match is over */
  readonly phase: "act" | "over" | "tip";
  /** an integer from 1; counts all players' turns; when the match is over, the last one begun */
  readonly turn: number;
  /** a seat or null; null exactly when the match is over */
  readonly to_move: number | null;
  /**
   * per position six faces; in the order top, bottom, north, east, south, west; each is
   * [symbol, direction], direction null for circle and arc
   */
  readonly blocks: readonly (readonly IceCultFace[])[];
  /** N, E, S, W: five stacks each; inside out, each a list of colours from bottom to top */
  readonly paths: { readonly N: readonly (readonly number[])[]; readonly E: readonly (readonly number[])[]; readonly S: readonly (readonly number[])[]; readonly W: readonly (readonly number[])[]; };
  /** four integers; pawns of each colour in the start area and in the goal */
  readonly start: readonly number[];
  /** four integers; pawns of each colour in the start area and in the goal */
  readonly goal: readonly number[];
  /** a list of [pair, direction]; the tips of this turn so far; both of them in phase act */
  readonly tips: readonly IceCultTip[];
  /** four integers; how often the arrow at each position has been used in this turn */
  readonly uses: readonly number[];
  /** an integer; arcs not used yet in this turn */
  readonly arcs_left: number;
  /** a list of seats, ascending; empty unless the match ended by tower or goal */
  readonly winners: readonly number[];
  /** a list of seats; in the order of the forfeits */
  readonly forfeited: readonly number[];
  /** an integer */
  readonly turn_limit: number;
}
