/** Run a bot: connect, play, and come back after a lost connection. */

import { setTimeout as pause } from "node:timers/promises";

import type { Bot, Choose } from "./bot.js";
import { connect } from "./connection.js";
import { ConnectionLost, Interrupted, printable, warn } from "./errors.js";
import { optional } from "./events.js";
import { FrameLog } from "./framelog.js";
import { Session } from "./session.js";
import { hello, type Options, readSettings, type Settings } from "./settings.js";
import { tellIfUncaught } from "./uncaught.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const INTERRUPTED = 130;

/**
 * Plays on a server until it says goodbye.
 *
 * `POLYNYA_HOST`, `POLYNYA_PORT`, `POLYNYA_TOKEN`, `POLYNYA_NAME`, `POLYNYA_TLS` (1 or 0) and
 * `POLYNYA_LOG` in the environment win over the options, so that a tournament can start any bot
 * unchanged. Ctrl-C says goodbye and sets the exit code 130.
 *
 * The bot shares its thread with the connection: one that computes for longer than a heartbeat
 * (15 s) gives way now and then, by `await setImmediate()` of `node:timers/promises`.
 *
 * The errors below, if nobody catches them, end the program with a sentence and exit code 1.
 *
 * @throws BadSettings if options and environment do not say where to connect
 * @throws ConnectionLost if the server is not there (any more)
 * @throws ServerError if the server refused this bot; the message says what to do about it
 * @throws BadFrame, BadMessage if what answers there does not speak this protocol
 */
export async function run(bot: Choose | Bot, options: Options = {}): Promise<void> {
  try {
    const settings = readSettings(options);
    await play(new Client(typeof bot === "function" ? { turn: bot } : bot, settings));
  } catch (error) {
    tellIfUncaught(error);
    throw error;
  }
}

/** Until the end, or Ctrl-C. */
async function play(client: Client): Promise<void> {
  const interrupt = () => client.interrupt();
  process.once("SIGINT", interrupt);
  try {
    await client.play();
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = INTERRUPTED;
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

/** A bot with its settings, over as many connections as it takes. */
class Client {
  readonly #interrupted = new AbortController();
  readonly #log: FrameLog | null;
  #name: string | null;
  #token: string | null;

  constructor(
    private readonly bot: Bot,
    private readonly settings: Settings,
  ) {
    this.#name = settings.name;
    this.#token = settings.token;
    this.#log = settings.log === null ? null : new FrameLog(settings.log, settings.name);
  }

  interrupt(): void {
    this.#interrupted.abort(new Interrupted("interrupted"));
  }

  /** Plays until the server says goodbye; its reason. */
  async play(): Promise<string> {
    let session = await this.#connect();
    for (;;) {
      try {
        return await session.play();
      } catch (error) {
        if (!(error instanceof ConnectionLost) || this.#token === null) throw error;
        session = await this.#comeBack(error);
      }
    }
  }

  async #connect(): Promise<Session> {
    const { signal } = this.#interrupted;
    const connection = await connect(this.settings, this.#log);
    const session = new Session(connection, this.bot);
    signal.addEventListener("abort", () => void session.lost(signal.reason));
    if (signal.aborted) void session.lost(signal.reason);
    const welcome = await session.begin(hello(this.settings.options, this.#name, this.#token));
    this.#remember(optional(welcome, "bot", "string"), optional(welcome, "token", "string"));
    return session;
  }

  /**
   * A new session in place of one that was lost; it takes over what is still going on.
   *
   * @throws ConnectionLost `lost` itself, when the server stays away for too long
   */
  async #comeBack(lost: ConnectionLost): Promise<Session> {
    for (const ms of backoff(this.settings.reconnectMs)) {
      warn(`${lost.message}; trying again in ${(ms / 1000).toFixed(1)} s`);
      await pause(ms, undefined, { signal: this.#interrupted.signal }).catch(() => {
        throw this.#interrupted.signal.reason;
      });
      try {
        return await this.#connect();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
    throw lost;
  }

  /** Keeps the name in force, and the token if it was registered just now: tells the author. */
  #remember(name: string | null, token: string | null): void {
    this.#name = name ?? this.#name;
    if (token === null) return;
    this.#token = token;
    warn(
      `registered as ${printable(name ?? "")}; ` +
        `to use the name again, set POLYNYA_TOKEN=${printable(token)}`,
    );
  }
}

/** Pauses between attempts in ms: doubling from 100 to 5,000, `total` together. */
export function* backoff(total: number): Generator<number> {
  let next = Math.min(FIRST_PAUSE_MS, total);
  for (let left = total; left > 0;) {
    yield next;
    left -= next;
    next = Math.min(next * 2, LONGEST_PAUSE_MS, left);
  }
}
