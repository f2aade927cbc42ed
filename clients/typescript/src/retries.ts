/** How long to wait before the next attempt to connect, and when to give up. */

import { performance } from "node:perf_hooks";

import { GaveUp, Replaced, ServerError, ServerLeft, type Logger } from "./errors.js";

const COMES_BACK_AFTER = ["server_full", "shutting_down"];
const AFTER_A_LOSS_MS = 100;
const AFTER_A_WORD_MS = 2_500;
const LONGEST_MS = 5_000;
const STEADY_MS = 5_000;

/**
 * The pauses of a bot that wants to come back, in ms.
 *
 * They double from 100 to 5,000, from 2,500 where the server has said that it wants nobody now, and
 * each is shortened by up to a half at random, so that bots that left together do not return
 * together. A session of 5 s begins them anew, and any session does that a lost connection ended: its
 * bot may be in a match.
 */
export class Retries {
  #pause = AFTER_A_LOSS_MS;
  #failingSince: number | null = null;
  #welcomeAt: number | null = null;

  /** @param total how long to try, from the first failure on or after any welcome */
  constructor(private readonly total: number) {}

  /** A session has begun. */
  welcome(): void {
    this.#welcomeAt = performance.now();
    this.#failingSince = null;
  }

  /**
   * How long to wait after this.
   *
   * @throws GaveUp if the time for attempts is over; trouble itself, if later would be no better
   */
  after(trouble: Error): number {
    if (trouble instanceof ServerError && !COMES_BACK_AFTER.includes(trouble.code)) throw trouble;
    const now = performance.now();
    const word = trouble instanceof ServerError || trouble instanceof ServerLeft;
    if (this.#welcomeAt !== null && (!word || now - this.#welcomeAt >= STEADY_MS)) {
      this.#pause = AFTER_A_LOSS_MS;
    }
    this.#welcomeAt = null;
    this.#failingSince ??= now;
    const left = this.#failingSince + this.total - now;
    if (left <= 0) throw new GaveUp(`${trouble.message}; gave up after ${this.total / 1000} s`);
    const pause = word ? Math.max(this.#pause, AFTER_A_WORD_MS) : this.#pause;
    this.#pause = Math.min(pause * 2, LONGEST_MS);
    return Math.min(pause * (1 - Math.random() / 2), left);
  }
}

/**
 * Returns if the contest is over; the author is told.
 *
 * @throws Replaced if another process plays as this bot now; ServerLeft for any other reason
 */
export function takeGoodbye(reason: string, logger: Logger): void {
  if (reason === "replaced") {
    throw new Replaced(
      "the server says goodbye (replaced): this bot has connected a second time, and the other " +
        "one plays on; this one stays away",
    );
  }
  if (reason !== "finished") {
    throw new ServerLeft(`the server says goodbye (${reason || "without a reason"})`);
  }
  logger.warn("the server says goodbye (finished): this contest is over");
}
