/** What a turn of Ice Cult has used up, and the handles by which a person tips and rotates. */

import { at, group, round, svg, words } from "./elements.js";
import { ARC, CIRCLE, COMPASS, arrowOutline } from "./blocks.js";
import { CORNERS, MIDDLE, TILE, blockCorner } from "./icecult_places.js";

const PAIRS = [
  ["N", "NS"],
  ["S", "NS"],
  ["W", "WE"],
  ["E", "WE"],
];

/**
 * The sign on a block whose symbol has been used in this turn: an arrow says how often; circles
 * and arcs are used up one after another, in the order of their positions.
 */
export function used(state, position, left, upper, t) {
  if (state.phase !== "act") return null;
  const symbols = state.blocks.map(([[symbol]]) => symbol);
  const times = timesUsed(state, symbols, position);
  if (times === 0) return null;
  const veil = svg("rect", {
    class: "used-veil",
    x: round(left),
    y: round(upper),
    width: TILE,
    height: TILE,
    rx: 7,
  });
  return group(
    "used",
    symbols[position] < CIRCLE ? null : veil,
    at(
      left + TILE - 17,
      upper + 17,
      "used-sign",
      svg("circle", { r: 12 }),
      words(0, 4.5, "used-number", times > 1 ? `×${times}` : "✓"),
    ),
    svg("title", {}, t("used", { times })),
  );
}

function timesUsed(state, symbols, position) {
  const symbol = symbols[position];
  if (symbol < CIRCLE) return state.uses[position];
  const spent =
    symbol === CIRCLE
      ? state.uses.reduce((sum, uses) => sum + Math.max(0, uses - 1), 0)
      : symbols.filter((one) => one === ARC).length - state.arcs_left;
  const before = symbols.slice(0, position).filter((one) => one === symbol).length;
  return before < spent ? 1 : 0;
}

/**
 * Small arrows around the square: they are seen while a person chooses a tip or a rotation; in a
 * small drawing they are as large as a finger needs.
 */
export function handles(small) {
  const radius = small ? 26 : 17;
  const tips = PAIRS.flatMap(([pair, directions]) =>
    [...directions].map((direction, index) => tipHandle(pair, direction, index === 0 ? -1 : 1, radius)),
  );
  const turns = CORNERS.flatMap((_, position) => [
    turnHandle(position, "cw", 0, radius),
    turnHandle(position, "ccw", 1, radius),
  ]);
  return group("handles", tips, turns);
}

function handle(x, y, target, shape, radius) {
  const drawn = at(x, y, "handle", svg("circle", { class: "handle-ground", r: radius }), shape);
  drawn.dataset.target = target;
  return drawn;
}

function tipHandle(pair, direction, sign, radius) {
  const [outX, outY] = COMPASS[pair];
  const distance = TILE + radius + 6;
  const [x, y] = [
    MIDDLE + outX * distance + sign * 50 * Math.abs(outY),
    MIDDLE + outY * distance + sign * 50 * Math.abs(outX),
  ];
  const shape = svg("polygon", {
    class: "handle-arrow",
    points: arrowOutline(0, 0, COMPASS[direction], radius * 1.4),
  });
  return handle(x, y, `tip:${pair}:${direction}`, shape, radius);
}

function turnHandle(position, sense, second, radius) {
  const [left, upper] = blockCorner(position);
  const [column, row] = CORNERS[position];
  const out = radius + 7;
  const outX = column < 0 ? left - out : left + TILE + out;
  const outY = row < 0 ? upper - out : upper + TILE + out;
  const aside = second * (2 * radius + 3) * (column < 0 ? -1 : 1);
  const drawn = words(0, 7, "handle-turn", sense === "cw" ? "↻" : "↺");
  return handle(outX + aside, outY, `rotate:${position}:${sense}`, drawn, radius);
}
