/**
 * Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys.
 *
 * The length is checked before anything is decoded, a frame is decoded once and as a whole, and an
 * error ends the connection.
 */

import { Decoder, Encoder } from "@msgpack/msgpack";

import { BadFrame } from "./errors.js";
import type { Message } from "./message.js";
import { scan } from "./scan.js";

/** What a server takes until its `welcome` says otherwise, in bytes. */
export const DEFAULT_MAX_FRAME = 64 * 1024;
/** The largest frame that servers send, in bytes. */
export const SERVER_MAX_FRAME = 1024 * 1024;

const LENGTH_BYTES = 4;
const NO_BYTES = Buffer.alloc(0);
/** Integers below and from these take 64 bits; the encoder keeps them integers only as bigints. */
const LEAST = -(2n ** 31n);
const LARGE = 2n ** 32n;

const encoder = new Encoder({ useBigInt64: true, ignoreUndefined: true });
const decoder = new Decoder({ useBigInt64: true });

/**
 * The frame of a message, its length in front.
 *
 * @throws BadFrame if it is larger than `maxFrame` bytes, or holds what the protocol does not know
 */
export function encode(message: Message, maxFrame = DEFAULT_MAX_FRAME): Buffer {
  const frame = Buffer.concat([Buffer.alloc(LENGTH_BYTES), packed(message)]);
  const length = frame.length - LENGTH_BYTES;
  checkLength(length, maxFrame);
  scan(frame.subarray(LENGTH_BYTES));
  frame.writeUInt32BE(length);
  return frame;
}

/** A map as msgpack, until the next is packed. */
export function packed(message: object): Uint8Array {
  try {
    return encoder.encodeSharedRef(message);
  } catch (error) {
    throw new BadFrame("malformed", `this message cannot be sent: ${(error as Error).message}`);
  }
}

/**
 * The message in a frame's payload (what follows the length).
 *
 * @throws BadFrame if it is not exactly one map with string keys, none of them twice, without bin
 *   and ext, at most 16 levels deep, with a str under `type`
 */
export function decode(payload: Buffer): Message {
  const form = scan(payload);
  const message = unpacked(withoutPrototypeKeys(payload, form.prototypeKeys));
  if (normalise(message) !== form.entries) {
    throw new BadFrame("malformed", "a key occurs twice in a map");
  }
  if (typeof message.type !== "string") throw new BadFrame("malformed", "the message has no type");
  return message as Message;
}

/**
 * The payload with the keys `__proto__` renamed: like every unknown key they are to be ignored, but
 * the library refuses them. The new name begins with NUL, which no key of the protocol does.
 */
function withoutPrototypeKeys(payload: Buffer, places: readonly number[]): Buffer {
  if (places.length === 0) return payload;
  const renamed = Buffer.from(payload);
  for (const place of places) renamed[place] = 0;
  return renamed;
}

function unpacked(payload: Buffer): Record<string, unknown> {
  try {
    return decoder.decode(payload) as Record<string, unknown>;
  } catch (error) {
    throw new BadFrame("malformed", `not one msgpack map: ${(error as Error).message}`);
  }
}

/** Makes numbers of small integers in long forms, in place; how many entries all maps have. */
function normalise(container: Record<string | number, unknown> | unknown[]): number {
  const values = container as Record<string, unknown>;
  const keys = Object.keys(container);
  let entries = Array.isArray(container) ? 0 : keys.length;
  for (const key of keys) {
    const value = values[key];
    if (typeof value === "bigint") {
      if (value >= LEAST && value < LARGE) values[key] = Number(value);
    } else if (typeof value === "object" && value !== null) {
      entries += normalise(value as Record<string, unknown>);
    }
  }
  return entries;
}

/** Bytes as they arrive in, payloads of whole frames out. */
export class FrameBuffer {
  #bytes: Buffer = NO_BYTES;

  constructor(private readonly maxFrame = SERVER_MAX_FRAME) {}

  /** Appends what has arrived. */
  add(data: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data]);
  }

  /**
   * The payload of the next frame, undefined while it is not all there.
   *
   * @throws BadFrame if the length is 0 or above the bound; nothing can be read after that
   */
  take(): Buffer | undefined {
    if (this.#bytes.length < LENGTH_BYTES) return undefined;
    const length = this.#bytes.readUInt32BE();
    checkLength(length, this.maxFrame);
    const end = LENGTH_BYTES + length;
    if (this.#bytes.length < end) return undefined;
    const payload = this.#bytes.subarray(LENGTH_BYTES, end);
    this.#bytes = this.#bytes.subarray(end);
    return payload;
  }
}

function checkLength(length: number, maxFrame: number): void {
  if (length === 0) throw new BadFrame("malformed", "a frame has at least one byte");
  if (length > maxFrame) {
    throw new BadFrame("too_large", `a frame of ${length} bytes, at most ${maxFrame} are allowed`);
  }
}
