/** A turn that the server asks this bot for. */

import { performance } from "node:perf_hooks";

import type { Message } from "./message.js";
import { NotWanted } from "./errors.js";
import {
  field,
  type GivenStep,
  type Legal,
  optional,
  type Player,
  type Step,
  type Values,
} from "./events.js";
import type { Match } from "./match.js";

/** What a bot has to decide on, and until when. All times are in ms. */
export class Turn<State = Values> {
  /** The turn's number in the match, from 1. */
  readonly number: number;
  /** The time it had when it arrived. */
  readonly remainingMs: number;
  /** When that time is over, on the clock of `performance.now()`. */
  readonly deadline: number;
  /**
   * Remarks to send with the move (`score`, `depth`, `text` and so on), kept in the replay; at most
   * 1 KiB.
   */
  info: Values = {};
  readonly #state: State | null;
  readonly #legal: Step[] | null;

  constructor(
    /** The match it belongs to. */
    readonly match: Match<State>,
    /** The server's message, with keys that this version does not know. */
    readonly message: Message,
    arrived: number,
    /**
     * Aborted when nobody waits for the answer any more: the time is over, the match has ended, or
     * the connection is lost.
     */
    readonly signal: AbortSignal,
    private readonly ask: (turn: Turn<State>, steps: readonly GivenStep[]) => Promise<Legal>,
  ) {
    this.number = field(message, "turn", "integer");
    this.remainingMs = field(message, "remaining_ms", "integer");
    this.deadline = arrived + this.remainingMs;
    this.#state = optional(message, "state", "map") as State | null;
    this.#legal = optional(message, "legal", "array") as Step[] | null;
  }

  /** The game's name. */
  get game(): string {
    return this.match.game;
  }

  /** Our seat. */
  get seat(): number {
    return this.match.seat;
  }

  /** All players, by seat. */
  get players(): readonly Player[] {
    return this.match.players;
  }

  /** The game's set-up options. */
  get options(): Values {
    return this.match.options;
  }

  /**
   * The position, as in the game's rules.
   *
   * @throws NotWanted if the bot runs without `wants: ["state"]`
   */
  get state(): State {
    if (this.#state !== null) return this.#state;
    throw new NotWanted('this turn has no state: ask for it with run(bot, { wants: ["state"] })');
  }

  /**
   * The legal first steps of the turn.
   *
   * @throws NotWanted if the bot runs without `wants: ["legal"]`
   */
  get legal(): Step[] {
    if (this.#legal !== null) return this.#legal;
    throw new NotWanted('this turn has no legal steps: ask with run(bot, { wants: ["legal"] })');
  }

  /**
   * The steps that may follow `steps`, asked of the server while our clock runs.
   *
   * @throws TurnLost if a step is illegal, or the turn is not asked for any more
   */
  legalAfter(steps: readonly GivenStep[]): Promise<Legal> {
    return this.ask(this, steps);
  }

  /** Gives the match up. */
  resign(): void {
    this.match.resign();
  }

  /** The time that is left now; negative when it is too late. */
  get remaining(): number {
    return this.deadline - performance.now();
  }

  /** The time that is left now without a margin; never negative. */
  timeLeft(marginMs = 0): number {
    return Math.max(this.remaining - marginMs, 0);
  }

  /**
   * When to stop thinking, on the clock of `performance.now()`.
   *
   * That is after four fifths of the turn's time, which with a budget for the match is a part of
   * that budget and the increment; earlier where less than the margin would be left.
   *
   * @param turnsLeft how many more turns of ours the match may have
   * @param marginMs what is kept for the network, other programs on the same processor and the
   *   garbage collector, as long as three tenths of the time remain to think
   */
  thinkUntil(turnsLeft = 20, marginMs = 60): number {
    const { initialMs, incrementMs } = this.match.clock;
    const budget = this.remainingMs / turnsLeft + (incrementMs ?? 0);
    const allotted = initialMs === null ? this.remainingMs : Math.min(this.remainingMs, budget);
    const latest = Math.min(0.8 * allotted, this.remainingMs - marginMs);
    return this.deadline - this.remainingMs + Math.max(0.3 * allotted, latest);
  }
}
