/** How a turn's time is shared out by `Turn.thinkUntil`. */

import assert from "node:assert/strict";
import test from "node:test";

import { Match } from "../src/match.js";
import { Turn } from "../src/turn.js";
import { MATCH_START } from "./scripted.js";

/** When the turn arrived, on the monotonic clock, in ms. */
const MOMENT = 1000;

for (const [what, clock, remaining_ms, thinking] of [
  ["60 ms are kept of a short limit", { move_ms: 100 }, 100, 40],
  ["a fifth is kept of a long limit", { move_ms: 1000 }, 1000, 800],
  ["three tenths are for thinking at least", { move_ms: 50 }, 50, 15],
  ["a turn gets its part of a budget", { initial_ms: 60_000 }, 60_000, 2400],
  ["and the increment", { initial_ms: 60_000, increment_ms: 500 }, 60_000, 2800],
  ["but not more than is left", { initial_ms: 60_000, increment_ms: 500 }, 300, 240],
] as const) {
  test(what, () => {
    const match = new Match({ ...MATCH_START, clock }, nobody);
    const message = { type: "turn", turn: 1, remaining_ms };
    const turn = new Turn(match, message, MOMENT, new AbortController().signal, nobody);

    assert.ok(Math.abs(turn.thinkUntil(20) - (MOMENT + thinking)) < 1e-6);
  });
}

function nobody(): never {
  throw new Error("this turn has nobody to ask");
}
