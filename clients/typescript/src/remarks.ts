/** Remarks never cost a match: what cannot be sent as a whole is left out, and the move is sent. */

import { packed } from "./codec.js";
import { type Logger, printable } from "./errors.js";
import type { Values } from "./events.js";
import type { Turn } from "./turn.js";

const MAX_INFO_BYTES = 1_024;
const LEVELS = 15;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What is left of a bot's remarks; it is told once if they cannot be sent. */
export class Remarks {
  #told = false;

  constructor(private readonly logger: Logger) {}

  /** The remarks of a turn, null if there are none that can be sent. */
  of(turn: Turn): Values | null {
    try {
      return sendable(turn.info);
    } catch (error) {
      if (!this.#told) {
        this.#told = true;
        const why = printable(error instanceof Error ? error.message : typeof error);
        const match = printable(turn.match.id);
        this.logger.warn(
          `turn ${turn.number} of match ${match} is sent without its info: ${why} (this is said once)`,
        );
      }
      return null;
    }
  }
}

/** `info` in values that the protocol knows. An exception says why it cannot be sent. */
export function sendable(info: unknown): Values | null {
  if (info === null || info === undefined) return null;
  let room = MAX_INFO_BYTES;

  function plain(value: unknown, levels: number): unknown {
    room -= 1; // as many values as can be sent at most: they may lead back to themselves
    if (room < 0) throw new Error("it is over 1,024 bytes");
    switch (typeof value) {
      case "boolean":
        return value;
      case "string":
        return text(value);
      case "number":
        if (!Number.isFinite(value)) throw new Error(`it holds ${value}`);
        return value;
      case "bigint":
        if (value < LEAST || value > MOST) throw new Error("it has an integer of over 64 bits");
        return value;
      case "object":
        if (value === null) return null;
        if (levels === 0) throw new Error("it is nested too deep");
        if (Array.isArray(value)) {
          if (value.length > room) throw new Error("it is over 1,024 bytes");
          return value.map((child) => plain(child ?? null, levels - 1));
        }
        return map(value, levels);
      default:
        throw new Error(`it holds a ${typeof value}`);
    }
  }

  function text(value: string): string {
    if (value.length > MAX_INFO_BYTES) throw new Error("it is over 1,024 bytes");
    if (LONE_SURROGATE.test(value)) throw new Error("it holds text that is no UTF-8");
    return value;
  }

  function map(value: object, levels: number): Values {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new Error(`it holds a ${value.constructor.name}`);
    }
    const found: Values = {};
    for (const key in value) {
      const child = (value as Values)[key];
      if (child !== undefined) found[text(key)] = plain(child, levels - 1);
    }
    return found;
  }

  if (typeof info !== "object" || Array.isArray(info)) throw new Error("it is no map");
  const found = plain(info, LEVELS) as Values;
  const size = packed(found).length;
  if (size > MAX_INFO_BYTES) throw new Error(`it has ${size} bytes, over the limit of 1,024`);
  return Object.keys(found).length > 0 ? found : null;
}
