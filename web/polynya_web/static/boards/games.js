/** Which board shows a game. */

import { assets } from "../base.js";

const OWN = new Set(["packeis", "arktia", "icecult"]);

/** Whether a game's board says the scores itself, as a number of something. */
export function hasOwnBoard(game) {
  return OWN.has(game);
}

/**
 * The module of a game's board; games without one of their own are shown as plain text.
 *
 * @param {string} game its name, from the server: never made into an address unless it is known.
 * @returns {Promise<{createBoard: function(Element, {texts: Object, seats: Array}): Object}>}
 */
export function boardOf(game) {
  return import(`${assets}/boards/${OWN.has(game) ? game : "plain"}.js`);
}
