/** Remarks never cost a match: what cannot be sent is left out, and the move is sent. */

import assert from "node:assert/strict";
import test from "node:test";

import type { Step, Values } from "polynya-client";

import { sendable } from "../src/remarks.js";
import { GOODBYE, ScriptedServer } from "./scripted.js";
import { read } from "./vectors.js";

const STEP: Step = ["move", 12, 40];

function deep(levels: number): Values {
  let found: Values = {};
  for (let level = 0; level < levels; level++) found = { a: found };
  return found;
}

const cycle: Values = {};
cycle["self"] = Array(1000).fill(cycle);

const UNSENDABLE: Record<string, unknown> = {
  "lone surrogate": { text: "\ud800" },
  "lone surrogate in a key": { "\ud800": 1 },
  "2^70": { n: 2n ** 70n },
  NaN: { score: NaN },
  infinity: { score: Infinity },
  function: { f: () => 1 },
  symbol: { s: Symbol("s") },
  date: { at: new Date() },
  set: { seen: new Set([1]) },
  map: { seen: new Map([[1, 2]]) },
  bytes: { raw: new Uint8Array(3) },
  "10 MB": { text: "x".repeat(10_000_000) },
  "1 KiB": { text: "x".repeat(1_024) },
  deep: deep(16),
  "very deep": deep(100_000),
  cycle,
  getter: {
    get x() {
      throw new Error("no");
    },
  },
  "no map": "text",
};

for (const [kind, info] of Object.entries(UNSENDABLE)) {
  test(`remarks that cannot be sent are left out: ${kind}`, async (t) => {
    const lines: string[] = [];
    t.mock.method(console, "warn", (line: string) => lines.push(line));
    const server = await ScriptedServer.open(t);
    const ended = server.run((turn) => {
      turn.info = info as Values;
      return [STEP];
    });
    const peer = await server.accept();
    await peer.welcome();
    await peer.beginMatch();
    for (const turn of [1, 2]) {
      peer.ask({ seq: turn, turn });
      const move = { type: "move", match: "m1", turn, steps: [STEP] };
      assert.deepEqual(await peer.receive(), move);
    }
    peer.send(GOODBYE);
    await ended;
    assert.equal(lines.filter((line) => line.includes("without its info")).length, 1);
  });
}

test("fifteen levels and integers of 64 bits can be sent", () => {
  assert.deepEqual(sendable(deep(14)), deep(14));
  assert.deepEqual(sendable({ n: 2n ** 64n - 1n }), { n: 2n ** 64n - 1n });
});

interface SharedRemark {
  name: string;
  info: Values;
  sent: boolean;
}

for (const { name, info, sent } of read("remarks.json") as SharedRemark[]) {
  test(`shared remarks are sent or left out: ${name}`, () => {
    if (sent) assert.deepEqual(sendable(info), info);
    else assert.throws(() => sendable(info));
  });
}
