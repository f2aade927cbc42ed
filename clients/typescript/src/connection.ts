/** One TCP (or TLS) connection: messages out, messages in. */

import * as net from "node:net";
import { performance } from "node:perf_hooks";
import * as tls from "node:tls";

import type { Address } from "./addresses.js";
import { decode, DEFAULT_MAX_FRAME, encode, FrameBuffer } from "./codec.js";
import type { Message } from "./message.js";
import { ClientError, ConnectionLost } from "./errors.js";
import type { FrameLog } from "./framelog.js";
import type { Settings } from "./settings.js";

const LEAVE_MS = 1_000;

/** What is told of what arrives. */
export interface Receiver {
  /** A message came; `arrived` is when its last byte was read, on `performance.now()`. */
  receive(message: Message, arrived: number): void;
  /** Nothing more can come, for this reason. */
  lost(reason: Error): void;
}

/** A connected socket that speaks frames. */
export class Connection {
  /** The largest frame that the server takes, in bytes. */
  maxFrame = DEFAULT_MAX_FRAME;
  #ended = false;
  #arrived = performance.now();
  #silence: NodeJS.Timeout | undefined;
  readonly #buffer = new FrameBuffer();

  constructor(
    private readonly socket: net.Socket,
    private readonly welcomeMs: number,
    private readonly log: FrameLog | null,
  ) {}

  /** Hands everything that arrives to a receiver, until the connection ends. */
  listen(receiver: Receiver): void {
    this.patience(this.welcomeMs, receiver);
    this.socket.on("data", (data: Buffer) => this.#take(data, receiver));
    this.socket.on("error", (error) =>
      receiver.lost(new ConnectionLost(`the connection broke: ${error.message}`)),
    );
    this.socket.on("close", () =>
      receiver.lost(new ConnectionLost("the server closed the connection without a goodbye")),
    );
  }

  /** How long the server may be silent, in ms. */
  patience(ms: number, receiver: Receiver): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const arrived = this.#arrived;
      // After a long computation timers come first: let the socket be read before it is judged.
      setImmediate(() => {
        if (this.#arrived !== arrived) return;
        receiver.lost(new ConnectionLost("the server was silent for three heartbeats"));
      });
    }, ms);
  }

  #take(data: Buffer, receiver: Receiver): void {
    this.#arrived = performance.now();
    this.#silence?.refresh();
    try {
      this.#buffer.add(data);
      let payload: Buffer | undefined;
      while (!this.#ended && (payload = this.#buffer.take()) !== undefined) {
        const message = decode(payload);
        this.log?.write("received", message);
        receiver.receive(message, this.#arrived);
      }
    } catch (error) {
      receiver.lost(error as Error);
    }
  }

  /**
   * Sends one message; nothing if the connection has ended.
   *
   * @throws BadFrame if it is too large for the server, or cannot be encoded
   */
  send(message: Message): void {
    if (this.#ended) return;
    this.socket.write(encode(message, this.maxFrame));
    this.log?.write("sent", message);
  }

  /** Says goodbye, if the connection still carries it, and closes. */
  async leave(reason: string): Promise<void> {
    if (this.#ended) return;
    this.send({ type: "goodbye", reason: reason.slice(0, 200) });
    this.#ended = true;
    await new Promise((resolve) => {
      this.socket.once("close", resolve).end(() => this.socket.destroy());
      setTimeout(resolve, LEAVE_MS).unref();
    });
    this.close();
  }

  /** Closes without a word. */
  close(): void {
    this.#ended = true;
    clearTimeout(this.#silence);
    this.socket.removeAllListeners("data").destroy();
  }
}

/**
 * A new connection.
 *
 * @param patience how long the server may take to connect, and then to welcome the bot, in ms
 * @throws ConnectionLost if nobody listens there, or the certificate is not good
 */
export async function connect(
  { host, port }: Address,
  patience: number,
  settings: Settings,
  log: FrameLog | null,
): Promise<Connection> {
  const socket = settings.tls
    ? tls.connect({ host, port, ...(settings.tls as { ca?: Buffer }), rejectUnauthorized: true })
    : net.connect({ host, port });
  try {
    await new Promise((resolve, reject) => {
      socket.once(settings.tls ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection was closed")));
      socket.setTimeout(patience, () => reject(new Error("no answer")));
    });
  } catch (error) {
    socket.destroy();
    throw new ConnectionLost(
      `cannot connect to ${host}:${port}: ${(error as ClientError).message}`,
    );
  }
  socket.removeAllListeners("error").removeAllListeners("close").setTimeout(0);
  socket.setNoDelay(true);
  return new Connection(socket, patience, log);
}
