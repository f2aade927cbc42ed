/** Ice Cult's pawns, flat pieces seen from the side, and their stacks on a field. */

import { at, group, svg, words } from "./elements.js";
import { seatClass } from "./seats.js";

/** The height of the strip with the pawns at the start and in the goal, in pixels. */
export const HEIGHT = 84;
const COLUMN = 5;

/** One pawn around a point, with the number of its colour. */
export function pawn(x, y, width, height, colour) {
  const number = words(0, height * 0.36, "pawn-number", colour);
  number.setAttribute("font-size", height * 0.95);
  return at(
    x,
    y,
    `pawn ${seatClass(colour)}`,
    svg("rect", {
      class: "pawn-body",
      x: -width / 2,
      y: -height / 2,
      width,
      height,
      rx: height * 0.4,
    }),
    number,
  );
}

/**
 * A stack around the middle of a field: upwards, and in further columns to the right when it is
 * higher than five pawns.
 *
 * @param {number[]} colours bottom to top.
 * @param {function(number): string} target the key of the pawn at a height, for a choice.
 */
export function stack(x, y, colours, target) {
  const columns = Math.max(1, Math.ceil(colours.length / COLUMN));
  const width = columns === 1 ? 39 : 42 / columns;
  const tall = { 1: 24, 2: 20, 3: 13.6 }[colours.length] ?? 8.4;
  const pawns = colours.map((colour, height) => {
    const column = Math.floor(height / COLUMN);
    const middle = x + (column - (columns - 1) / 2) * width;
    const drawn = pawn(
      middle,
      y + 21 - ((height % COLUMN) + 0.5) * tall,
      width - 1,
      tall - 0.3,
      colour,
    );
    drawn.dataset.target = target(height);
    return drawn;
  });
  return group("stack", pawns);
}

/** The length of a field in a small drawing, across its path, in pixels. */
export const ACROSS = 136;

/**
 * The same in a small drawing, whose fields are long: the pawns beside each other, the lowest at
 * the left or below. One alone is picked by its field; those of a stack, too small for a finger,
 * by their names.
 *
 * @param {boolean} upright whether the field is long from north to south.
 */
export function stackAcross(x, y, colours, target, upright) {
  const each = Math.min(26, (ACROSS - 6) / Math.max(1, colours.length));
  const [width, height] = upright ? [40, each - 1] : [each - 1, 28];
  const pawns = colours.map((colour, place) => {
    const aside = (place - (colours.length - 1) / 2) * each;
    const drawn = upright
      ? pawn(x, y - aside, width, height, colour)
      : pawn(x + aside, y, width, height, colour);
    drawn.querySelector(".pawn-number").setAttribute("font-size", Math.min(21, each));
    return drawn;
  });
  const drawn = group("stack", pawns);
  if (colours.length === 1) {
    const [wide, tall] = upright ? [46, ACROSS] : [ACROSS, 46];
    const area = { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: 7 };
    drawn.prepend(svg("rect", { class: "home-area", ...area }));
    drawn.dataset.target = target(0);
  }
  return drawn;
}

/** How many pawns of a colour are on the paths. */
export function pawnOf(state, colour) {
  return Object.values(state.paths)
    .flat(2)
    .filter((one) => one === colour).length;
}
