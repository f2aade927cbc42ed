/** Ice Cult's blocks: their faces with arrow, circle and arc, from above and unfolded. */

import { group, points, round, svg, words } from "./elements.js";
import { seatClass } from "./seats.js";

export const CIRCLE = 4;
export const ARC = 5;

/** The faces in the order of a state, by the direction that each looks in. */
const FACINGS = ["U", "D", "N", "E", "S", "W"];
const OPPOSITE = { N: "S", S: "N", E: "W", W: "E", U: "D", D: "U" };

/**
 * Per facing: its place in the net (column, row), and where a direction in the room points on the
 * paper when the sides are folded up around the top; the same as in the rules' pictures.
 */
const NET = {
  U: [[1, 1], { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] }],
  D: [[1, 3], { N: [0, 1], E: [1, 0], S: [0, -1], W: [-1, 0] }],
  N: [[1, 0], { U: [0, 1], D: [0, -1], E: [1, 0], W: [-1, 0] }],
  E: [[2, 1], { U: [-1, 0], D: [1, 0], N: [0, -1], S: [0, 1] }],
  S: [[1, 2], { U: [0, -1], D: [0, 1], E: [1, 0], W: [-1, 0] }],
  W: [[0, 1], { U: [1, 0], D: [-1, 0], N: [0, -1], S: [0, 1] }],
};

/** The paper directions of paths, and of arrows on top. */
export const COMPASS = NET.U[1];

/** The outline of an arrow around a point that points along a unit vector. */
export function arrowOutline(x, y, [alongX, alongY], size) {
  const half = [
    [0.5, 0],
    [0.02, 0.4],
    [0.02, 0.19],
    [-0.48, 0.19],
  ];
  const outline = [
    ...half,
    ...half
      .slice(1)
      .reverse()
      .map(([forward, aside]) => [forward, -aside]),
  ];
  return points(
    outline.map(([forward, aside]) => [
      x + size * (forward * alongX - aside * alongY),
      y + size * (forward * alongY + aside * alongX),
    ]),
  );
}

function arrow(x, y, colour, way, size) {
  const number = words(
    x - 0.1 * size * way[0],
    y - 0.1 * size * way[1] + size * 0.15,
    "seat-number",
    colour,
  );
  number.setAttribute("font-size", round(size * 0.44));
  return group(
    seatClass(colour),
    svg("polygon", { class: "face-arrow", points: arrowOutline(x, y, way, size) }),
    number,
  );
}

/** A quarter of a circle around a corner of a face; `corner` says which, e.g. [1, 1] south-east. */
function arc(x, y, [right, down], size) {
  const [half, near] = [size / 2, size * 0.14];
  const radius = half + near;
  const sweep = right === down ? 0 : 1;
  const from = `M${round(x + right * half)},${round(y - down * near)}`;
  const to = `${round(x - right * near)},${round(y + down * half)}`;
  return svg("path", {
    class: "face-arc",
    d: `${from}A${round(radius)},${round(radius)} 0 0 ${sweep} ${to}`,
  });
}

/**
 * The corner of a face that its arc goes around, on the paper. A state does not say it. In this
 * project's blocks it follows from the arrows: the one that points to the arc is on the frame's
 * north face, the one that points away from it on its west face, and the arc goes around the
 * frame's south-east corner (rules, "Blocks"). In other blocks it is always the same corner.
 */
function arcCorner(faces, facing, ways) {
  const looking = (way) => FACINGS[faces.findIndex(([, direction]) => direction === way)];
  const one = ways[OPPOSITE[looking(facing)]];
  const other = ways[OPPOSITE[looking(OPPOSITE[facing])]];
  const isCorner = one && other && one[0] * other[0] + one[1] * other[1] === 0;
  return isCorner ? [one[0] + other[0], one[1] + other[1]] : [1, 1];
}

/** One face of a block with its upper left corner at a point. */
function face(faces, facing, left, upper, size) {
  const [symbol, direction] = faces[FACINGS.indexOf(facing)];
  const ways = NET[facing][1];
  const [x, y] = [left + size / 2, upper + size / 2];
  const sheet = svg("rect", {
    class: "face",
    x: round(left),
    y: round(upper),
    width: size,
    height: size,
    rx: size * 0.09,
  });
  if (direction !== null) return [sheet, arrow(x, y, symbol, ways[direction], size * 0.66)];
  if (symbol === CIRCLE)
    return [
      sheet,
      svg("circle", { class: "face-circle", cx: round(x), cy: round(y), r: round(size * 0.27) }),
    ];
  return [sheet, arc(x, y, arcCorner(faces, facing, ways), size)];
}

/** The upper face of a block, for the view from above. */
export function topFace(faces, left, upper, size) {
  return face(faces, "U", left, upper, size);
}

/**
 * All six faces of a block, folded out around the top one.
 *
 * @param {Array} faces as in a state: top, bottom, north, east, south, west.
 * @param {number} left the left edge, in pixels; the net is 3 faces wide and 4 high.
 * @param {number} upper its upper edge.
 * @param {number} size the side of a face.
 * @param {function(string): string} name the word for a facing, written into its face.
 */
export function net(faces, left, upper, size, name) {
  return FACINGS.map((facing) => {
    const [column, row] = NET[facing][0];
    const [x, y] = [left + column * size, upper + row * size];
    return group(
      `net-face${facing === "U" ? " on-top" : ""}`,
      face(faces, facing, x, y, size),
      words(x + size / 2, y + size * 0.17, "face-name", name(facing)),
    );
  });
}
