/** The rules of Packeis am Pol that the greedy bot knows. */

import assert from "node:assert/strict";
import test from "node:test";

import { free, type Packeis, raysOf, slides, worth } from "../examples/packeis.js";

/** Only these floes, as cell and fish, and these penguins. */
function position(phase: Packeis["phase"], floes: [number, number][], penguins: number[][]) {
  const fish = Array<number>(60).fill(0);
  for (const [cell, count] of floes) fish[cell] = count;
  return { phase, fish, penguins } satisfies Packeis;
}

const USUAL = raysOf();

const FULL = position(
  "movement",
  [...Array(60).keys()].map((cell) => [cell, 1]),
  [[], []],
);

test("a penguin slides along the six directions of the documented numbering", () => {
  const near = slides(24, new Set([23, 25, 16, 17, 31, 32]), USUAL);
  assert.deepEqual(
    near.sort((a, b) => a - b),
    [16, 17, 23, 25, 31, 32],
  );
});

test("a penguin does not slide round the board's edge", () => {
  assert.equal(slides(14, free(FULL), USUAL).includes(15), false);
});

test("a gap and another penguin stop a penguin", () => {
  const row: [number, number][] = [7, 8, 9, 11, 12].map((cell) => [cell, 1]);
  const state = position("movement", row, [[7], [12]]);
  assert.deepEqual(slides(7, free(state), USUAL), [8, 9]);
  assert.deepEqual(slides(12, free(state), USUAL), [11]);
});

test("penguins are placed on floes with one fish, best near many", () => {
  const state = position(
    "placement",
    [
      [0, 1],
      [1, 3],
      [2, 1],
      [30, 1],
    ],
    [[], []],
  );
  assert.deepEqual(worth(state, 0), [
    { value: 3, step: ["place", 0] },
    { value: 3, step: ["place", 2] },
    { value: 0, step: ["place", 30] },
  ]); // prettier-ignore
});

test("a move is worth the floe it leaves, then the one it reaches", () => {
  const state = position(
    "movement",
    [
      [0, 2],
      [1, 3],
      [2, 1],
    ],
    [[0], [2]],
  );
  assert.deepEqual(worth(state, 0), [{ value: 2.75, step: ["move", 0, 1] }]);
});

test("a state with rows has another board, in either form of a row", () => {
  const rays = raysOf([
    [3, 1],
    [
      [2, 0],
      [2, 6],
    ],
  ]);
  assert.deepEqual(slides(4, new Set([0, 2, 3, 5]), rays), [3, 0]);
  assert.deepEqual(slides(2, new Set([0, 1, 3, 5]), rays), [1, 0, 5]);
});
