/** Arktia's muglus, seen from the south and a little from above: globe, disc, torus, and towers. */

import { group, round, svg, words } from "./elements.js";
import { seatClass } from "./seats.js";

const DISC = { rx: 18, ry: 7.5, height: 10 };
const TORUS = { rx: 27, ry: 11.5, height: 11, hole: 13.5, holeDepth: 5.6 };
const GLOBE = 11.5;

/** The size that a kind adds to a tower, in pixels. */
const HEIGHTS = { G: 2 * GLOBE, D: DISC.height, T: TORUS.height };

function cylinder(x, floor, { rx, ry, height }) {
  const [west, east, top] = [round(x - rx), round(x + rx), round(floor - height)];
  const side = `M${west},${top}V${round(floor)}A${rx},${ry} 0 0 0 ${east},${round(floor)}V${top}Z`;
  return [
    svg("path", { class: "muglu-side", d: side }),
    svg("ellipse", { class: "muglu-top", cx: round(x), cy: top, rx, ry }),
  ];
}

function label(x, y, number, size = 9.5) {
  const text = words(x, y, "seat-number", number);
  text.setAttribute("font-size", size);
  return text;
}

function globe(x, floor) {
  const y = floor - GLOBE;
  return [
    svg("circle", { class: "muglu-globe", cx: round(x), cy: round(y), r: GLOBE }),
    svg("ellipse", {
      class: "muglu-shine",
      cx: round(x - 4),
      cy: round(y - 5.5),
      rx: 3.4,
      ry: 2.2,
    }),
  ];
}

function hole(x, top) {
  const { hole: rx, holeDepth: ry } = TORUS;
  return svg("ellipse", { class: "muglu-hole", cx: round(x), cy: round(top), rx, ry });
}

/** The front half of a torus' upper side, which hides the lower part of what it closes in. */
function torusFront(x, floor) {
  const { rx, ry, height, hole: inner, holeDepth } = TORUS;
  const top = round(floor - height);
  const outerArc = `M${round(x - rx)},${top}A${rx},${ry} 0 0 0 ${round(x + rx)},${top}`;
  const innerArc = `A${inner},${holeDepth} 0 0 1 ${round(x - inner)},${top}`;
  return [
    svg("path", { class: "muglu-front", d: `${outerArc}H${round(x + inner)}${innerArc}Z` }),
    svg("path", { class: "muglu-edge", d: `${outerArc}M${round(x + inner)},${top}${innerArc}` }),
  ];
}

const DRAWN = {
  G: (x, floor, number) => [...globe(x, floor), label(x, floor - GLOBE + 4.5, number, 12)],
  D: (x, floor, number) => [...cylinder(x, floor, DISC), label(x, floor + 4.5, number)],
  T: (x, floor, number) => [
    ...cylinder(x, floor, TORUS),
    hole(x, floor - TORUS.height),
    label(x, floor + 7.5, number),
  ],
};

function enclosed(x, floor, [inner, outer], name, players) {
  const torus = seatClass(outer[0], players);
  return [
    group(`muglu ${torus}`, cylinder(x, floor, TORUS), hole(x, floor - TORUS.height)),
    group(
      `muglu ${seatClass(inner[0], players)}`,
      globe(x, floor - 5),
      label(x, floor - 14.5, name(inner[0]), 12),
    ),
    group(`muglu ${torus}`, torusFront(x, floor), label(x, floor + 7.5, name(outer[0]))),
  ];
}

/**
 * A stack, from the ground up; a globe in a torus looks out of its hole.
 *
 * @param {number} x the middle, in pixels.
 * @param {number} floor the height of the ground.
 * @param {Array} stack [[colour, kind], …], bottom to top.
 * @param {number} players colours from here on are neutral, and say so with an "n".
 */
export function tower(x, floor, stack, players) {
  const name = (colour) => (colour < players ? colour : "n");
  if (stack.length === 2 && stack[0][1] === "G") {
    return group("tower", enclosed(x, floor, stack, name, players));
  }
  let height = floor;
  const pieces = stack.map(([colour, kind]) => {
    const piece = group(
      `muglu ${seatClass(colour, players)}`,
      DRAWN[kind](x, height, name(colour)),
    );
    height -= HEIGHTS[kind];
    return piece;
  });
  return group("tower", pieces);
}
