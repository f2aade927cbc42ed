/** One match as it is played on a connection: its events in order, and at most one turn at a time. */

import type { Bot } from "./bot.js";
import type { Message } from "./message.js";
import { BadTurn, type Logger, printable, TurnLost } from "./errors.js";
import {
  field,
  type GivenStep,
  type Legal,
  readForfeited,
  readLegal,
  readMatchOver,
  readMoved,
} from "./events.js";
import { Match } from "./match.js";
import type { Remarks } from "./remarks.js";
import { Turn } from "./turn.js";

interface Asked {
  readonly turn: Turn;
  readonly over: AbortController;
  readonly timer: NodeJS.Timeout;
}

interface Question {
  readonly turn: Turn;
  readonly resolve: (legal: Legal) => void;
  readonly reject: (reason: unknown) => void;
}

/** More than a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** The bot's side of a match: what the server tells, the bot is told when it has time for it. */
export class Play {
  readonly #match: Match;
  #isOver = false;
  #waiting = 0;
  #pondering: AbortController | null = null;
  #asked: Asked | null = null;
  #questions: Question[] = [];
  #work: Promise<void> = Promise.resolve();

  /**
   * @param start `match_start` or `match_resume`
   * @param fail what to do with an exception of the bot
   */
  constructor(
    start: Message,
    private readonly bot: Bot,
    private readonly send: (message: Message) => void,
    private readonly remarks: Remarks,
    private readonly fail: (error: unknown) => Promise<void>,
    private readonly logger: Logger,
  ) {
    this.#match = new Match(start, send);
    this.#then(() => this.#begin());
  }

  /** Takes `turn`, `moved`, `forfeited` or `match_over`. */
  event(message: Message, arrived: number): void {
    this.#match.follow(message);
    switch (message.type) {
      case "turn":
        return this.#turn(message, arrived);
      case "moved": {
        const moved = readMoved(message);
        return this.#then(() => {
          this.#match.asks(moved.acting);
          return this.bot.moved?.(this.#match, moved);
        });
      }
      case "forfeited":
        return this.#forfeited(message);
      case "match_over": {
        this.end("the match is over");
        const over = readMatchOver(message);
        return this.#then(() => this.bot.matchOver?.(this.#match, over));
      }
    }
  }

  /** Takes an answer to `steps`, `legal` or `error`; whether it was one. Answers keep their order. */
  answer(message: Message): boolean {
    const [question] = this.#questions;
    if (question === undefined) return false;
    if ((message["turn"] ?? question.turn.number) !== question.turn.number) return false;
    this.#questions.shift();
    if (message.type === "legal") question.resolve(readLegal(message));
    else question.reject(new TurnLost(printable(field(message, "message", "string"))));
    return true;
  }

  /** Nobody waits for the answer to the turn that is being asked for. */
  abandon(why: string): void {
    const lost = new TurnLost(why);
    this.#asked?.over.abort(lost);
    this.#asked = null;
    for (const question of this.#questions.splice(0)) question.reject(lost);
  }

  /** Nobody waits for the bot in this match any more. */
  end(why: string): void {
    this.abandon(why);
    this.#isOver = true;
    this.#pondering?.abort();
  }

  /** When the bot has done everything that it was told. */
  settled(): Promise<void> {
    return this.#work;
  }

  #then(task: () => void | Promise<void>): void {
    this.#waiting += 1;
    this.#pondering?.abort();
    this.#work = this.#work
      .then(task)
      .finally(() => (this.#waiting -= 1))
      .then(() => this.#ponder())
      .catch(this.fail);
  }

  /** Lets the bot think until there is something to do. */
  async #ponder(): Promise<void> {
    if (this.bot.ponder === undefined || this.#waiting > 0 || this.#isOver) return;
    this.#pondering = new AbortController();
    await this.bot.ponder(this.#match, this.#pondering.signal);
    this.#pondering = null;
  }

  async #begin(): Promise<void> {
    await this.bot.matchStart?.(this.#match);
    // A bot that has come back counts as ready.
    if (!this.#match.resumed) this.send({ type: "ready", match: this.#match.id });
  }

  #forfeited(message: Message): void {
    const forfeited = readForfeited(message);
    if (forfeited.seat === this.#match.seat) {
      const { reason, detail } = forfeited;
      this.end(`it was forfeited by ${printable(reason)}`);
      if (!this.#match.resigned) {
        const id = printable(this.#match.id);
        this.logger.warn(`match ${id} forfeited (${printable(reason)}): ${printable(detail)}`);
      }
    }
    this.#then(() => {
      this.#match.asks(forfeited.acting);
      return this.bot.forfeited?.(this.#match, forfeited);
    });
  }

  #turn(message: Message, arrived: number): void {
    this.abandon("another turn is being asked for");
    const over = new AbortController();
    const timeIsOver = new TurnLost("its time is over");
    const turn = new Turn(this.#match, message, arrived, over.signal, (t, steps) =>
      this.#ask(t, steps),
    );
    const timer = setTimeout(() => over.abort(timeIsOver), Math.min(turn.remaining, LONGEST_MS));
    timer.unref();
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    this.#asked = { turn, over, timer };
    this.#then(() => this.#decide(turn));
  }

  async #decide(turn: Turn): Promise<void> {
    try {
      turn.signal.throwIfAborted();
      const steps = await this.bot.turn(turn);
      if (this.#match.resigned) return;
      turn.signal.throwIfAborted();
      clearTimeout(this.#asked?.timer);
      this.#move(turn, steps);
    } catch (error) {
      if (!(error instanceof TurnLost || turn.signal.aborted)) throw error;
      const id = printable(this.#match.id);
      this.logger.warn(
        `no move for turn ${turn.number} of match ${id}: ${(error as Error).message}`,
      );
    }
  }

  #move(turn: Turn, steps: readonly GivenStep[]): void {
    if (!Array.isArray(steps) || steps.length === 0) {
      throw new BadTurn(
        `the bot gave ${JSON.stringify(steps)} as its turn: give a list of steps, [["move", 12, 40]]`,
      );
    }
    const move = { type: "move", match: this.#match.id, turn: turn.number, steps };
    const info = this.remarks.of(turn);
    this.send(info === null ? move : { ...move, info });
  }

  async #ask(turn: Turn, steps: readonly GivenStep[]): Promise<Legal> {
    turn.signal.throwIfAborted();
    this.send({ type: "steps", match: this.#match.id, turn: turn.number, steps });
    return new Promise((resolve, reject) => this.#questions.push({ turn, resolve, reject }));
  }
}
