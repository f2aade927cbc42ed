/** The codec is held to the bytes in `protocol/vectors`, as every SDK is. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";

import { decode, encode, FrameBuffer } from "../src/codec.js";
import type { Message } from "../src/message.js";
import { BadFrame } from "../src/errors.js";
import { read, VECTORS } from "./vectors.js";

interface Form {
  name: string;
  hex: string;
}
interface Case extends Form {
  value: Message;
  also: Form[];
}
interface Refused extends Form {
  code: string;
}
interface Framing {
  name: string;
  max_frame: number;
  chunks: string[];
  payloads: string[];
  then: string | null;
}

const LENGTH_BYTES = 4;
/** Well-formed frames: a client ignores what it does not know, and reads keys when it acts. */
const NOT_THE_CODECS_BUSINESS = new Set([
  "an unknown message",
  "a message of clients",
  "turn without remaining_ms",
  "an unknown reason",
  "pong before welcome",
]);

const payload = (hex: string) => Buffer.from(hex, "hex").subarray(LENGTH_BYTES);
const { from_server: refused } = read("refused.json") as { from_server: Refused[] };

for (const file of readdirSync(VECTORS).filter((name) => name.endsWith(".json"))) {
  const document = read(file) as { message?: string; from: string; cases: Case[] };
  if (document.message === undefined) continue;
  for (const { name, value, hex, also } of document.cases) {
    if (document.from !== "server") {
      test(`${document.message}, ${name}: encoded to the shared bytes`, () => {
        assert.equal(encode(value).toString("hex"), hex);
      });
    }
    if (document.from !== "client") {
      for (const form of [{ name: "canonical", hex }, ...also]) {
        test(`${document.message}, ${name}: decoded from the shared bytes, ${form.name}`, () => {
          const message = decode(payload(form.hex));
          const known = Object.keys(value).map((key) => [key, message[key]]);
          assert.deepEqual(Object.fromEntries(known), value);
        });
      }
    }
  }
}

test("keys that mean something to JavaScript are ignored like all unknown ones", () => {
  const hex = [
    "85a474797065a470696e67", // {type: "ping",
    "a95f5f70726f746f5f5f81a178a179", // __proto__: {x: "y"},
    "ab636f6e7374727563746f7201", // constructor: 1,
    "d90978785f70726f746f5f02", // xx_proto_: 2, as a str of another form,
    "a56e6f6e6365d903616263", // nonce: "abc"}
  ].join("");
  const message = decode(Buffer.from(hex, "hex"));
  assert.deepEqual([message.type, message.nonce, message.xx_proto_], ["ping", "abc", 2]);
  assert.equal(Object.getPrototypeOf(message), Object.prototype);
  assert.equal((message as { x?: unknown }).x, undefined);
});

test("the key __proto__ may not occur twice either", () => {
  const key = "a95f5f70726f746f5f5f";
  const hex = `83a474797065a470696e67${key}01${key.replace("a9", "d909")}02`;
  assert.throws(() => decode(Buffer.from(hex, "hex")), { name: "BadFrame", code: "malformed" });
});

for (const { name, hex, code } of refused.filter((it) => !NOT_THE_CODECS_BUSINESS.has(it.name))) {
  test(`refused: ${name}`, () => {
    assert.throws(() => decode(payload(hex)), { name: "BadFrame", code });
  });
}

for (const { name, max_frame, chunks, payloads, then } of read("framing.json") as Framing[]) {
  test(`frames come out of any pieces: ${name}`, () => {
    assert.deepEqual(drain(chunks, max_frame), { payloads, then });
  });
}

/** The payloads that come out of these chunks, and the code of the error that ends them. */
function drain(chunks: string[], maxFrame: number): { payloads: string[]; then: string | null } {
  const buffer = new FrameBuffer(maxFrame);
  const payloads: string[] = [];
  try {
    for (const chunk of chunks) {
      buffer.add(Buffer.from(chunk, "hex"));
      for (let found; (found = buffer.take()) !== undefined;) payloads.push(found.toString("hex"));
    }
  } catch (error) {
    return { payloads, then: (error as BadFrame).code };
  }
  return { payloads, then: null };
}

for (const [what, value, code] of [
  ["a function", () => 1, "malformed"],
  ["bytes", Buffer.from("x"), "malformed"],
  ["a date", new Date(), "malformed"],
  ["half a character", "\ud800", "malformed"],
  ["a text as long as a frame", "x".repeat(64 * 1024), "too_large"],
] as const) {
  test(`${what} cannot be sent`, () => {
    assert.throws(() => encode({ type: "move", value }), { name: "BadFrame", code });
  });
}
