/** Hexagonal floes with a point to the north: corners, slabs, and the arrow of a move. */

import { group, points, round, svg } from "./elements.js";

const GAP = 0.95;
const SLAB = 5;

/** The corners of a hexagon around a point; `radius` in pixels. */
export function hexagon(x, y, radius) {
  return [...Array(6).keys()].map((corner) => {
    const angle = (Math.PI / 180) * (60 * corner + 30);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** A floe as a slab of ice, seen a little from the south. */
export function slab(x, y, radius) {
  const corners = hexagon(x, y, radius * GAP);
  const [east, south, west] = corners;
  const wall = [
    east,
    south,
    west,
    [west[0], west[1] + SLAB],
    [south[0], south[1] + SLAB],
    [east[0], east[1] + SLAB],
  ];
  return [
    svg("polygon", { class: "floe-wall", points: points(wall) }),
    svg("polygon", { class: "floe", points: points(corners) }),
  ];
}

/** Where a floe has been. */
export function gone(x, y, radius, kind = "gone") {
  return svg("polygon", { class: kind, points: points(hexagon(x, y, radius * GAP * 0.93)) });
}

/** The arrow of a move from one point to another: it ends short of the middle of its goal. */
export function moveArrow([x1, y1], [x2, y2], kind, short = 20) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [alongX, alongY] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - alongX * short, y2 - alongY * short];
  const [neckX, neckY] = [tipX - alongX * 13, tipY - alongY * 13];
  const head = points([
    [tipX, tipY],
    [neckX - alongY * 8, neckY + alongX * 8],
    [neckX + alongY * 8, neckY - alongX * 8],
  ]);
  const line = { x1: round(x1), y1: round(y1), x2: round(neckX), y2: round(neckY) };
  return group(
    `mark ${kind}`,
    svg("line", { class: "mark-casing", ...line }),
    svg("polygon", { class: "mark-casing", points: head }),
    svg("line", { class: "mark-line", ...line }),
    svg("polygon", { class: "mark-head", points: head }),
  );
}

/** A ring around a point: here something came, or left. */
export function ring(x, y, radius, kind) {
  return svg("circle", { class: `mark ${kind}`, cx: round(x), cy: round(y), r: radius });
}
