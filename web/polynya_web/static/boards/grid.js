/** A board as a grid of square cells, as the API gives it: `cells` are indexes into `kinds`. */

import { group, points, svg, words } from "./elements.js";
import { seatClass } from "./seats.js";

const SIZE = 40;
const EDGE = 26; // room for labels
const HALF = SIZE / 2;
const THICK = 0.72 * SIZE; // of a piece that reaches to a side
const TO_SIDE = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };

/** Shapes around the middle of a cell. */
const SHAPES = {
  fill: () => svg("rect", { x: -HALF, y: -HALF, width: SIZE, height: SIZE }),
  square: () => svg("rect", { x: -14, y: -14, width: 28, height: 28, rx: 5 }),
  disc: () => svg("circle", { r: 15 }),
  ring: () => svg("circle", { r: 12, class: "grid-ring" }),
  diamond: () => svg("polygon", { points: points([[0, -17], [17, 0], [0, 17], [-17, 0]]) }),
  triangle: () => svg("polygon", { points: points([[0, -16], [16, 13], [-16, 13]]) }),
  cross: () => svg("path", { d: "M-12,-12L12,12M12,-12L-12,12", class: "grid-ring" }),
  dot: () => svg("circle", { r: 7 }),
};

const colourClass = (colour) => (typeof colour === "number" ? seatClass(colour) : `tone-${colour}`);

/** The arm of a piece to one side of its cell; it crosses the line between the two cells. */
function arm(side) {
  const [x, y] = TO_SIDE[side];
  const reach = HALF + 0.5;
  const [width, height] = x === 0 ? [THICK, reach] : [reach, THICK];
  const left = x < 0 ? -reach : x > 0 ? 0 : -THICK / 2;
  const top = y < 0 ? -reach : y > 0 ? 0 : -THICK / 2;
  return svg("rect", { x: left, y: top, width, height });
}

/** One look of cells, drawn around the origin. */
function lookOf({ colour = null, shape = "fill", label = "", ground = "plain", joins = "" }) {
  const behind = ground === "plain" ? null : group(`grid-ground ${colourClass(ground)}`, SHAPES.fill());
  const piece =
    colour === null
      ? null
      : group(
          `grid-piece ${colourClass(colour)}`,
          [...joins].map(arm),
          joins && shape === "square" ? svg("circle", { r: THICK / 2 }) : SHAPES[shape]?.(),
        );
  const text = label === "" ? null : words(0, 7, `grid-text grid-text-${label.length}`, label);
  return { behind, piece, text };
}

function lines(width, height) {
  const path = [];
  for (let x = 1; x < width; x += 1) path.push(`M${x * SIZE},0V${height * SIZE}`);
  for (let y = 1; y < height; y += 1) path.push(`M0,${y * SIZE}H${width * SIZE}`);
  return svg("path", { class: "grid-lines", d: path.join("") });
}

/**
 * A drawing of a grid.
 *
 * @param {{cells: number[][], kinds: Object[], row_labels: string[], column_labels: string[]}} grid
 */
export function drawGrid({ cells, kinds, row_labels: rowLabels, column_labels: columnLabels }) {
  const looks = kinds.map(lookOf);
  const [width, height] = [cells[0].length, cells.length];
  const layers = { behind: [], piece: [], text: [] };
  cells.forEach((row, y) =>
    row.forEach((kind, x) => {
      for (const [layer, drawn] of Object.entries(looks[kind])) {
        if (drawn === null) continue;
        const place = svg("g", { transform: `translate(${(x + 0.5) * SIZE} ${(y + 0.5) * SIZE})` });
        place.append(drawn.cloneNode(true));
        layers[layer].push(place);
      }
    }),
  );
  const [left, top] = [rowLabels.length ? EDGE : 0, columnLabels.length ? EDGE : 0];
  const box = [-left - 4, -top - 4, width * SIZE + left + 8, height * SIZE + top + 8];
  return svg(
    "svg",
    { class: "board-drawing drawn-grid", viewBox: box.join(" ") },
    svg("rect", { class: "grid-plain", width: width * SIZE, height: height * SIZE }),
    group("grid-grounds", layers.behind),
    lines(width, height),
    group("grid-pieces", layers.piece),
    group("grid-texts", layers.text),
    rowLabels.map((label, y) => words(-EDGE / 2, (y + 0.5) * SIZE + 5, "grid-label", label)),
    columnLabels.map((label, x) => words((x + 0.5) * SIZE, -9, "grid-label", label)),
  );
}
