/**
 * The form of a frame, byte by byte, before anything is made of it.
 *
 * A msgpack library takes more than the protocol allows (byte strings, extensions, text that is no
 * UTF-8, any depth), and what it took can no longer be told from what is allowed.
 */

import { isUtf8 } from "node:buffer";

import { BadFrame } from "./errors.js";

/** Maps and arrays inside each other, the message itself included. */
const MAX_NESTING = 16;

/** How many bytes follow the first byte of a number. */
const NUMBERS: Readonly<Record<number, number>> = {
  0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8,
}; // prettier-ignore

/** What is to be known of a payload in the protocol's form. */
export interface Form {
  /** How many entries all its maps have together. */
  readonly entries: number;
  /** Where the keys `__proto__` begin, which JavaScript takes for something else than a key. */
  readonly prototypeKeys: readonly number[];
}

/**
 * Checks that a payload is one map in the protocol's form, except that its keys may repeat.
 *
 * @throws BadFrame if it is anything else
 */
export function scan(payload: Buffer): Form {
  const scanner = new Scanner(payload);
  scanner.message();
  return scanner;
}

const PROTOTYPE = Buffer.from("__proto__");

class Scanner implements Form {
  entries = 0;
  readonly prototypeKeys: number[] = [];
  #position = 0;

  constructor(private readonly payload: Buffer) {}

  message(): void {
    const code = this.payload[0] ?? 0;
    if (code >> 4 !== 0x8 && code !== 0xde && code !== 0xdf) {
      throw malformed("a frame holds a map");
    }
    this.#value(MAX_NESTING);
    if (this.#position !== this.payload.length) throw malformed("bytes follow the map");
  }

  #value(levels: number): void {
    const code = this.#number(1);
    if (code <= 0x7f || code >= 0xe0) return;
    if (code <= 0x8f) return this.#map(code & 0x0f, levels);
    if (code <= 0x9f) return this.#array(code & 0x0f, levels);
    if (code <= 0xbf) return this.#text(code & 0x1f);
    switch (code) {
      case 0xc0: // nil, false and true
      case 0xc2:
      case 0xc3:
        return;
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#number(1 << (code - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#number(code === 0xdc ? 2 : 4), levels);
      case 0xde:
      case 0xdf:
        return this.#map(this.#number(code === 0xde ? 2 : 4), levels);
    }
    const size = NUMBERS[code];
    if (size === undefined) throw malformed("bin and ext are not used in this protocol");
    this.#take(size);
  }

  #map(size: number, levels: number): void {
    this.#enter(levels);
    this.entries += size;
    for (let entry = 0; entry < size; entry++) {
      const code = this.payload[this.#position] ?? 0xa0;
      if (code >> 5 !== 0b101 && (code < 0xd9 || code > 0xdb)) {
        throw malformed("a key is not a string");
      }
      const text = this.#position + (code < 0xd9 ? 1 : 1 + (1 << (code - 0xd9)));
      this.#value(levels - 1);
      if (this.payload.subarray(text, this.#position).equals(PROTOTYPE)) {
        this.prototypeKeys.push(text);
      }
      this.#value(levels - 1);
    }
  }

  #array(size: number, levels: number): void {
    this.#enter(levels);
    for (let entry = 0; entry < size; entry++) this.#value(levels - 1);
  }

  #enter(levels: number): void {
    if (levels === 0) throw malformed(`maps and arrays are nested deeper than ${MAX_NESTING}`);
  }

  #text(size: number): void {
    const start = this.#take(size);
    if (!isUtf8(this.payload.subarray(start, start + size))) throw malformed("text is no UTF-8");
  }

  /** An unsigned integer of some bytes. */
  #number(size: number): number {
    return this.payload.readUIntBE(this.#take(size), size);
  }

  /** Passes some bytes; where they begin. */
  #take(size: number): number {
    const start = this.#position;
    if (start + size > this.payload.length) throw malformed("the map is not complete");
    this.#position = start + size;
    return start;
  }
}

function malformed(why: string): BadFrame {
  return new BadFrame("malformed", why);
}
