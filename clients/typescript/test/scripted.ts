/** A server whose every word the test decides: real sockets, frames written with msgpack alone. */

import { mkdtempSync, rmSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import * as tls from "node:tls";

import { decode, encode } from "@msgpack/msgpack";
import { type Bot, type Choose, type Options, run, type Values } from "polynya-client";

export type Words = Record<string, unknown>;

export const GOODBYE = { type: "goodbye", reason: "finished" };
export const WELCOME = {
  type: "welcome", protocol: 1, server: { name: "scripted", version: "1" }, bot: "ada",
  session: "s1", heartbeat_ms: 10_000, max_frame: 65_536, matches: [],
}; // prettier-ignore
export const MATCH_START = {
  type: "match_start", match: "m1", seq: 0, game: "packeis", seat: 1,
  players: [{ seat: 0, name: "bob", rating: 1510.5 }, { seat: 1, name: "ada", rating: null }],
  options: {}, clock: { initial_ms: null, increment_ms: null, move_ms: 5000 },
  state: { game: "packeis" },
}; // prettier-ignore

/** The server's end of one connection. */
export class Peer {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes = Buffer.alloc(0);

  constructor(readonly socket: net.Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  send(...messages: Words[]): void {
    const frames = messages.map((message) => {
      const payload = Buffer.from(encode(message, { useBigInt64: true }));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(payload.length);
      return Buffer.concat([length, payload]);
    });
    this.socket.write(Buffer.concat(frames));
  }

  /** The next message; undefined when the bot has closed the connection. */
  async receive(): Promise<Words | undefined> {
    while (this.#bytes.length < 4 || this.#bytes.length < 4 + this.#bytes.readUInt32BE()) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#bytes = Buffer.concat([this.#bytes, value]);
    }
    const end = 4 + this.#bytes.readUInt32BE();
    const message = decode(this.#bytes.subarray(4, end)) as Words;
    this.#bytes = this.#bytes.subarray(end);
    return message;
  }

  /** Takes the hello, answers it; the hello. */
  async welcome(changes: Words = {}): Promise<Words | undefined> {
    const hello = await this.receive();
    this.send({ ...WELCOME, ...changes });
    return hello;
  }

  /** Starts a match; what the bot says to that. */
  beginMatch(changes: Words = {}): Promise<Words | undefined> {
    this.send({ ...MATCH_START, ...changes });
    return this.receive();
  }

  /** Asks for a turn. */
  ask(more: Words = {}): void {
    this.send({ type: "turn", match: "m1", seq: 1, turn: 1, remaining_ms: 5000, ...more });
  }
}

/** A listening socket, and a bot that runs against it. */
export class ScriptedServer {
  #waiting: ((socket: net.Socket) => void)[] = [];
  #arrived: net.Socket[] = [];
  readonly #sockets: net.Socket[] = [];
  readonly #listener: net.Server;

  private constructor(listener: net.Server) {
    this.#listener = listener;
    const accepted = listener instanceof tls.Server ? "secureConnection" : "connection";
    listener.on(accepted, (socket: net.Socket) => {
      socket.on("error", () => undefined);
      this.#sockets.push(socket);
      const next = this.#waiting.shift();
      if (next === undefined) this.#arrived.push(socket);
      else next(socket);
    });
  }

  /** A server for one test, closed after it. */
  static async open(test: TestContext, listener = net.createServer()): Promise<ScriptedServer> {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith("POLYNYA_")) delete process.env[name];
    }
    const state = mkdtempSync(join(tmpdir(), "polynya-state-"));
    process.env["XDG_STATE_HOME"] = state;
    test.after(() => rmSync(state, { recursive: true }));
    const server = new ScriptedServer(listener);
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    test.after(() => {
      listener.close();
      for (const socket of server.#sockets) socket.destroy();
    });
    return server;
  }

  get port(): number {
    return (this.#listener.address() as net.AddressInfo).port;
  }

  /** The promise of a bot's `run`. */
  run<State = Values>(bot: Bot<State> | Choose<State>, options: Options = {}): Promise<void> {
    const ended = run(bot, { name: "ada", port: this.port, ...options });
    ended.catch(() => undefined); // the test looks at it later, or not at all
    return ended;
  }

  /** The next connection. */
  async accept(): Promise<Peer> {
    return new Peer(
      this.#arrived.shift() ?? (await new Promise((resolve) => this.#waiting.push(resolve))),
    );
  }
}
