/** What a step of Ice Cult did, marked on the board: blocks that were turned, pawns that moved. */

import { group, round, svg } from "./elements.js";
import { COMPASS } from "./blocks.js";
import { moveArrow } from "./hexes.js";
import { FIELD, TILE, blockCorner, fieldCentre, pairCentre } from "./icecult_places.js";

/**
 * The marks of a step.
 *
 * @param {Array} step as in the rules.
 * @param {Object} before the position in which it was made.
 * @param {string} kind a further class for the marks, after a space.
 */
export function stepMarks([verb, first, second], before, kind = "") {
  if (verb === "tip") return [tipMark(first, second, kind)];
  if (verb === "rotate") return [blockMark(first, kind), turnMark(first, second, kind)];
  return verb === "advance" ? advanceMarks(first, second, before, kind) : [];
}

/** A square around a point. */
export function square(x, y, kind, size = FIELD - 2) {
  const [left, upper] = [round(x - size / 2), round(y - size / 2)];
  return svg("rect", { class: kind, x: left, y: upper, width: size, height: size, rx: 7 });
}

function blockCentre(position) {
  return blockCorner(position).map((corner) => corner + TILE / 2);
}

function blockMark(position, kind) {
  return square(...blockCentre(position), `mark here${kind}`, TILE - 4);
}

function tipMark(pair, direction, kind) {
  const [x, y] = pairCentre(pair);
  const flat = pair === "N" || pair === "S";
  const [width, height] = flat ? [2 * TILE - 2, TILE - 2] : [TILE - 2, 2 * TILE - 2];
  const corner = { x: round(x - width / 2), y: round(y - height / 2) };
  const [dx, dy] = COMPASS[direction];
  return group(
    "",
    svg("rect", { class: `mark here${kind}`, ...corner, width, height, rx: 8 }),
    moveArrow([x - dx * 22, y - dy * 22], [x + dx * 42, y + dy * 42], `move${kind}`, 0),
  );
}

function turnMark(position, sense, kind) {
  const [x, y] = blockCentre(position);
  const mirrored = sense === "ccw" ? "scale(-1 1)" : "";
  const place = `translate(${round(x)} ${round(y)}) ${mirrored}`;
  const d = "M-22,-12A25,25 0 1 1 -22,12";
  const head = { points: "-30,8 -12,8 -23,24", transform: "rotate(20 -22 12)" };
  return svg(
    "g",
    { class: `mark turned${kind}`, transform: place },
    svg("path", { class: "mark-casing turn-line", d }),
    svg("path", { class: "mark-line turn-line", d }),
    svg("polygon", { class: "mark-head", ...head }),
  );
}

function advanceMarks(position, field, before, kind) {
  const path = before.blocks[position][0][1];
  const goal = fieldCentre(path, field + 1);
  const marks = [blockMark(position, kind), square(...goal, `mark here${kind}`)];
  if (field === 0) return marks;
  const from = fieldCentre(path, field);
  const arrow = moveArrow(aside(from, path), aside(goal, path), `move${kind}`, 12);
  return [...marks, square(...from, `mark here source${kind}`), arrow];
}

/** Beside the middle of a field, so that an arrow leaves the numbers of the pawns to be read. */
function aside([x, y], path) {
  const [alongX, alongY] = COMPASS[path];
  return [x + 17 * Math.abs(alongY), y + 17 * Math.abs(alongX)];
}
