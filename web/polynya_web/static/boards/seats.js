/** The mark of a seat: a shape, a colour and a number, so that no one needs to see colours. */

import { group, html, svg, words } from "./elements.js";

/** Kin to `.seat-mark` of the pages: a square, a circle, an arch and a leaf of radius 1. */
const SHAPES = [
  "M-.6,-.9H.6Q.9,-.9 .9,-.6V.6Q.9,.9 .6,.9H-.6Q-.9,.9 -.9,.6V-.6Q-.9,-.9 -.6,-.9Z",
  "M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z",
  "M-.95,.9V0A.95,.95 0 0 1 .95,0V.9Z",
  "M-1,1V0A1,1 0 0 1 0,-1H1V0A1,1 0 0 1 0,1Z",
];

/** How many colours of seats the style sheet has; after them they come again. */
const COLOURS = 8;

/** The class that gives an element the colour of a seat; the neutral one from `players` on. */
export function seatClass(seat, players = Infinity) {
  return seat < players ? `seat-${seat % COLOURS}` : "seat-neutral";
}

/** A seat's shape around the origin with its number in it; `radius` in pixels. */
export function seatMark(seat, radius) {
  const shape = svg("path", { class: "seat-shape", d: SHAPES[seat % SHAPES.length] });
  shape.setAttribute("transform", `scale(${radius})`);
  const number = words(0, radius * 0.42, "seat-number", seat);
  number.setAttribute("font-size", radius * 1.2);
  return group(seatClass(seat), shape, number);
}

/**
 * A seat's mark and name in a line of text.
 *
 * @param {{seat: number, name: string}} player the name is the bot's own text.
 */
export function namedSeat({ seat, name }) {
  const mark = html("span", { class: "seat-mark" }, String(seat));
  return html("span", { class: `seat ${seatClass(seat)}` }, mark, html("bdi", {}, name));
}
