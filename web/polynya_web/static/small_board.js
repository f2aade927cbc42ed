/** A match in small: its board without anything around it, drawn by the game's own module. */

import { hasDeclaredBoard } from "./boards/declared.js";
import { html } from "./boards/elements.js";
import { boardOf, hasOwnBoard } from "./boards/games.js";

/**
 * A place for the board of a match, hidden until there is one to draw. Screen readers are told the
 * same in words beside it.
 *
 * @param {Object} match as the API gives it.
 * @param {Object<string, string>} texts the texts `board.*` by key.
 * @returns {{element: Element, show: function({state: Object, step: Array|null, seat: number|null,
 *   rows: Array|null, board: Object|null})}} `element.hidden` says whether the game has no board.
 */
export function createSmallBoard(match, texts) {
  const isOwn = hasOwnBoard(match.game);
  const name = isOwn ? match.game : "plain";
  const element = html("div", { class: `small-board small-board-of-${name}`, "aria-hidden": "true", inert: true, hidden: true });
  element.dataset.players = match.seats.length;
  let board = null;
  let latest = null;

  function draw() {
    if (board === null || latest === null) return;
    try {
      board.show(latest.state, latest);
    } catch (error) {
      element.hidden = true; // the words beside it remain
      throw error;
    }
  }

  boardOf(match.game).then(({ createBoard }) => {
    board = createBoard(element, { texts, seats: match.seats, side: html("div") });
    draw();
  });

  return {
    element,
    show(position) {
      latest = position;
      element.hidden = !isOwn && !hasDeclaredBoard(position);
      draw();
    },
  };
}
