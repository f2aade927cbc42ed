/** Run a bot: connect, play, and come back after a lost connection. */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { Servers } from "./addresses.js";
import type { Bot, Choose } from "./bot.js";
import { type Connection, connect } from "./connection.js";
import { ClientError, ConnectionLost, Interrupted, printable, ServerError } from "./errors.js";
import { optional, type Values } from "./events.js";
import { FrameLog } from "./framelog.js";
import { Retries, takeGoodbye } from "./retries.js";
import { Session } from "./session.js";
import { hello, type Options, readSettings, type Settings } from "./settings.js";
import { keepToken } from "./tokens.js";
import { tellIfUncaught } from "./uncaught.js";

/**
 * Plays on a server until the contest is over, and comes back to it until then.
 *
 * `POLYNYA_HOST`, `POLYNYA_PORT`, `POLYNYA_TOKEN`, `POLYNYA_TOKEN_FILE`, `POLYNYA_NAME`,
 * `POLYNYA_GAMES` (separated by commas), `POLYNYA_CONCURRENCY`, `POLYNYA_TLS` (1 or 0),
 * `POLYNYA_CA_FILE`, `POLYNYA_RECONNECT` (seconds, or `forever`) and `POLYNYA_LOG` in the environment
 * win over the options, so that a tournament can start any bot unchanged. Ctrl-C and SIGTERM say
 * goodbye, and `run` returns; with `options.signal` only that signal does.
 *
 * The bot shares its thread with the connection: one that computes for longer than a heartbeat
 * (15 s) gives way now and then, by `await setImmediate()` of `node:timers/promises`.
 *
 * The errors below, if nobody catches them, end the program with a sentence and an exit code: 75 for
 * `GaveUp`, 76 for `Replaced`, else 1.
 *
 * @throws BadSettings if options and environment do not say where to connect
 * @throws GaveUp if the server was not there, or had no room, for as long as the bot was to try
 * @throws Replaced if another process plays as this bot now
 * @throws ServerError if the server refused this bot; the message says what to do about it
 * @throws BadFrame, BadMessage if what answers there does not speak this protocol
 */
export async function run<State = Values>(
  bot: Choose<State> | Bot<State>,
  options: Options = {},
): Promise<void> {
  try {
    const settings = readSettings(options);
    const hooks = typeof bot === "function" ? { turn: bot } : bot;
    await play(new Client(hooks as Bot, settings), options.signal);
  } catch (error) {
    tellIfUncaught(error);
    throw error;
  }
}

/** Until the end, or a signal: the program's own, or those of the system. */
async function play(client: Client, signal: AbortSignal | undefined): Promise<void> {
  const interrupt = () => client.interrupt();
  const signals = signal ? [] : (["SIGINT", "SIGTERM"] as const);
  for (const name of signals) process.once(name, interrupt);
  signal?.addEventListener("abort", interrupt, { once: true });
  if (signal?.aborted) interrupt();
  try {
    await client.play();
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    for (const name of signals) process.removeListener(name, interrupt);
    signal?.removeEventListener("abort", interrupt);
  }
}

/** A bot with its settings, over as many connections as it takes. */
class Client {
  readonly #interrupted = new AbortController();
  readonly #log: FrameLog | null;
  #name: string | null;
  #token: string | null;
  #tokenIsKept: boolean;
  readonly #registration = randomBytes(16).toString("hex");
  readonly #retries: Retries;
  readonly #servers: Servers;

  constructor(
    private readonly bot: Bot,
    private readonly settings: Settings,
  ) {
    this.#name = settings.name;
    this.#token = settings.token;
    this.#tokenIsKept = settings.tokenIsKept;
    this.#retries = new Retries(settings.reconnectMs);
    this.#servers = new Servers(settings.servers);
    this.#log = settings.log === null ? null : new FrameLog(settings.log, settings.name);
  }

  interrupt(): void {
    this.#interrupted.abort(new Interrupted("interrupted"));
  }

  /** Plays until the contest is over. */
  async play(): Promise<void> {
    for (;;) {
      try {
        takeGoodbye(await this.#session(), this.settings.logger);
        return;
      } catch (error) {
        if (this.#isMended(error)) continue;
        if (!(error instanceof ConnectionLost || error instanceof ServerError)) throw error;
        this.#servers.after(error);
        await this.#pause(error);
      }
    }
  }

  async #pause(trouble: Error): Promise<void> {
    const ms = this.#retries.after(trouble);
    this.settings.logger.warn(`${trouble.message}; trying again in ${(ms / 1000).toFixed(1)} s`);
    const { signal } = this.#interrupted;
    await pause(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  }

  /** Whether it may help to introduce ourselves anew: the kept token is of another server. */
  #isMended(error: unknown): boolean {
    if (!(error instanceof ServerError) || error.code !== "unauthorized") return false;
    if (!this.#tokenIsKept) return false;
    this.settings.logger.warn(`the token in ${this.settings.tokenFile} is not good here`);
    this.#tokenIsKept = false;
    this.#token = null;
    return true;
  }

  /** A connection to the first server that answers. */
  async #connection(): Promise<Connection> {
    const failures: string[] = [];
    for (const address of this.#servers.attempts()) {
      try {
        return await connect(address, this.#servers.patience, this.settings, this.#log);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        failures.push(error.message);
      }
    }
    throw new ConnectionLost(failures.join("; "));
  }

  /** One connection, from hello to goodbye; its reason. */
  async #session(): Promise<string> {
    const session = await this.#connect();
    try {
      await this.bot.connected?.(this.#name);
    } catch (error) {
      await session.lost(error);
    }
    let reason: string;
    try {
      reason = await session.play();
    } catch (error) {
      if (error instanceof ClientError) await this.bot.disconnected?.(error.message);
      throw error;
    }
    await this.bot.disconnected?.(reason);
    return reason;
  }

  async #connect(): Promise<Session> {
    const { signal } = this.#interrupted;
    const connection = await this.#connection();
    const session = new Session(connection, this.bot, this.settings.logger);
    signal.addEventListener("abort", () => void session.lost(signal.reason));
    if (signal.aborted) void session.lost(signal.reason);
    const { options } = this.settings;
    const introduction = hello(options, this.#name, this.#token, this.#registration);
    const welcome = await session.begin(introduction);
    this.#retries.welcome();
    this.#servers.welcome();
    this.#remember(optional(welcome, "bot", "string"), optional(welcome, "token", "string"));
    return session;
  }

  /** Keeps the name in force, and a token that was registered just now; tells the author where. */
  #remember(name: string | null, token: string | null): void {
    this.#name = name ?? this.#name;
    tellConnected(this.#name ?? "");
    if (token === null) return;
    this.#token = token;
    this.#tokenIsKept = false;
    const registered = `registered as ${printable(name ?? "")}`;
    try {
      keepToken(this.settings.tokenFile, token);
      this.settings.logger.warn(`${registered}; the token is kept in ${this.settings.tokenFile}`);
    } catch (error) {
      const why = (error as Error).message;
      const kept = `POLYNYA_TOKEN=${printable(token)}`;
      this.settings.logger.warn(`${registered}; ${why}, so keep the token yourself: ${kept}`);
    }
  }
}

/** Says at a terminal that the bot is connected: nothing else is seen until a match. */
function tellConnected(name: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`connected as ${printable(name)}; waiting for a match\n`);
  }
}
