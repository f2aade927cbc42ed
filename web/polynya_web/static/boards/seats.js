/** The badge of a seat: a shape, a colour and a number, so that no one needs to see colours. */

import { group, html, points, svg, words } from "./elements.js";

const SHAPES = [
  (r) => svg("circle", { class: "shape", r }),
  (r) => svg("rect", { class: "shape", x: -0.88 * r, y: -0.88 * r, width: 1.76 * r, height: 1.76 * r, rx: 0.2 * r }),
  (r) => svg("polygon", { class: "shape", points: points([[0, -1.25 * r], [1.2 * r, 0.85 * r], [-1.2 * r, 0.85 * r]]) }),
  (r) => svg("polygon", { class: "shape", points: points([[0, -1.25 * r], [1.15 * r, 0], [0, 1.25 * r], [-1.15 * r, 0]]) }),
];

/** The class that gives an element the colour of a seat; `neutral` from `players` on. */
export function seatClass(seat, players = 4) {
  return seat < players ? `seat-${seat}` : "seat-neutral";
}

/** A seat's shape around the origin with its number in it. */
export function badgeShape(seat, radius) {
  const shape = SHAPES[seat % SHAPES.length](radius);
  const number = words(0, radius * 0.36, "badge-number", seat);
  number.setAttribute("font-size", radius * 1.15);
  return group(`badge ${seatClass(seat)}`, shape, number);
}

/** A seat's badge as an element of its own, for lines of text; decoration, the text says who. */
export function badge(seat) {
  const picture = svg("svg", { class: "badge-icon", viewBox: "-13 -13 26 26", "aria-hidden": "true" });
  picture.append(badgeShape(seat, 9.5));
  return picture;
}

/**
 * A seat's name after its badge.
 *
 * @param {{seat: number, name: string}} player the name is the bot's own text.
 */
export function namedSeat({ seat, name }) {
  return html("span", { class: "named-seat" }, badge(seat), html("bdi", {}, name));
}
