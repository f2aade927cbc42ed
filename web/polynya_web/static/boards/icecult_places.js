/** Where things lie in the drawing of Ice Cult: the square in the middle, the paths, the homes. */

import { COMPASS } from "./blocks.js";

export const TILE = 78;
export const FIELD = 46;
export const PATHS = ["N", "E", "S", "W"];
const GAP = 8;

/** The middle of the square, and the side of the part of the drawing above the homes. */
export const MIDDLE = TILE + GAP + 6 * FIELD + 26;
export const SIDE = 2 * MIDDLE;
export const WIDTH = SIDE;

/** Column and row of the blocks at positions 0 to 3, seen from the middle. */
export const CORNERS = [
  [-1, -1],
  [0, -1],
  [0, 0],
  [-1, 0],
];

/** The upper left corner of the block at a position. */
export function blockCorner(position) {
  const [column, row] = CORNERS[position];
  return [MIDDLE + column * TILE, MIDDLE + row * TILE];
}

/** The middle of the two blocks of a pair. */
export function pairCentre(pair) {
  const [x, y] = COMPASS[pair];
  return [MIDDLE + (x * TILE) / 2, MIDDLE + (y * TILE) / 2];
}

/** The middle of a field of a path, 1 to 5 from the inside out; 6 is the goal. */
export function fieldCentre(path, field) {
  const [x, y] = COMPASS[path];
  const distance = TILE + GAP + FIELD * (field - 0.5);
  return [MIDDLE + x * distance, MIDDLE + y * distance];
}

/**
 * The middle of the row of a colour's pawns in the start area: below the paths, or, in a small
 * drawing, in a corner.
 */
export function homeCentre(colour, small) {
  if (!small) return [WIDTH * (0.125 + 0.25 * colour), SIDE + 34];
  const [column, row] = CORNERS[colour];
  return [column < 0 ? 162 : SIDE - 162, row < 0 ? 132 : SIDE - 116];
}
