/** A session: what is done with each message of one connection, from `hello` to `goodbye`. */

import type { Bot } from "./bot.js";
import type { Message } from "./message.js";
import type { Connection, Receiver } from "./connection.js";
import {
  ConnectionLost,
  Interrupted,
  type Logger,
  notWelcome,
  printable,
  ServerError,
} from "./errors.js";
import { field, optional } from "./events.js";
import { Play } from "./play.js";
import { Remarks } from "./remarks.js";

const SILENT_HEARTBEATS = 3;

/** A bot on a connection. Matches go on side by side: none waits for the answer in another. */
export class Session implements Receiver {
  readonly #plays = new Map<string, Play>();
  readonly #welcome = new Outcome<Message>();
  readonly #goodbye = new Outcome<string>();
  readonly #remarks: Remarks;
  #end: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly bot: Bot,
    private readonly logger: Logger,
  ) {
    this.#remarks = new Remarks(logger);
    connection.listen(this);
  }

  /**
   * Introduces the bot; the server's `welcome`.
   *
   * @throws ServerError if the server refuses it, ConnectionLost if the connection broke
   */
  async begin(hello: Message): Promise<Message> {
    try {
      this.connection.send(hello);
      const welcome = await this.#welcome.promise.catch((error: unknown) => {
        throw notWelcome(error);
      });
      this.connection.maxFrame = field(welcome, "max_frame", "integer");
      const heartbeat = field(welcome, "heartbeat_ms", "integer");
      this.connection.patience(SILENT_HEARTBEATS * heartbeat, this);
      return welcome;
    } catch (error) {
      await this.lost(error);
      throw error;
    }
  }

  /**
   * Plays whatever the server asks for until it says goodbye, then hangs up; its reason.
   *
   * Matches that are going on when the bot itself fails are forfeited by a goodbye.
   *
   * @throws whatever ended the session otherwise
   */
  async play(): Promise<string> {
    try {
      return await this.#goodbye.promise;
    } finally {
      this.connection.close();
      const plays = [...this.#plays.values()];
      for (const play of plays) play.end("the connection has ended");
      await Promise.all(plays.map((play) => play.settled()));
      this.#throwFailure();
    }
  }

  /** Ends the session for the first reason that is given. */
  lost(reason: unknown): Promise<void> {
    this.#end ??= this.#endBy(reason);
    return this.#end;
  }

  /** Hangs up, with a goodbye if that is news for the server. */
  async #endBy(reason: unknown): Promise<void> {
    if (!(reason instanceof ConnectionLost || reason instanceof ServerError)) {
      const name = reason instanceof Error ? reason.name : typeof reason;
      const why =
        reason instanceof Interrupted ? "the bot was interrupted" : `the bot ended by ${name}`;
      await this.connection.leave(why);
    }
    this.connection.close();
    this.#welcome.reject(reason);
    this.#goodbye.reject(reason);
  }

  /** Keeps the first exception of the bot, which is more than how the connection ended then. */
  #failed(error: unknown): Promise<void> {
    this.#failure ??= { error };
    return this.lost(error);
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Acts on a message; types and matches that we do not know are ignored. */
  receive(message: Message, arrived: number): void {
    switch (message.type) {
      case "welcome":
        return this.#welcome.resolve(message);
      case "match_start":
      case "match_resume":
        return this.#begin(message);
      case "ping":
        return this.connection.send({ type: "pong", nonce: message["nonce"] });
      case "turn":
      case "moved":
      case "forfeited":
      case "match_over":
        return this.#event(message, arrived);
      case "legal":
        this.#plays.get(field(message, "match", "string"))?.answer(message);
        return;
      case "error":
        return this.#error(message);
      case "notice":
        return this.logger.warn(said(message["code"], message["message"]));
      case "goodbye":
        this.connection.close();
        return this.#goodbye.resolve(printable(optional(message, "reason", "string") ?? ""));
    }
  }

  #begin(message: Message): void {
    const id = field(message, "match", "string");
    const send = (answer: Message) => this.connection.send(answer);
    this.#plays.get(id)?.end("the match begins again");
    this.#plays.set(
      id,
      new Play(message, this.bot, send, this.#remarks, (error) => this.#failed(error), this.logger),
    );
  }

  #event(message: Message, arrived: number): void {
    const id = field(message, "match", "string");
    const play = this.#plays.get(id);
    play?.event(message, arrived);
    if (message.type === "match_over") void play?.settled().then(() => this.#plays.delete(id));
  }

  #error(message: Message): void {
    const code = printable(field(message, "code", "string"));
    const sentence = printable(field(message, "message", "string"));
    if (message["fatal"] !== false) throw new ServerError(code, sentence);
    const play = this.#plays.get(optional(message, "match", "string") ?? "");
    if (!play?.answer(message)) this.logger.warn(said(code, sentence));
  }
}

/** What the server wants the bot's author to know. */
function said(code: unknown, sentence: unknown): string {
  return `the server says ${printable(String(code))}: ${printable(String(sentence))}`;
}

/** A promise that is kept or broken from outside, and may be left alone when it is broken. */
class Outcome<T> {
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.promise.catch(() => undefined);
  }
}
