/** A match in small: its board without anything around it, drawn by the game's own module. */

import { html } from "./boards/elements.js";
import { boardOf, hasOwnBoard } from "./boards/games.js";

/**
 * A place for the board of a match; empty for a game whose position is shown as text. Screen readers
 * are told the same in words beside it.
 *
 * @param {Object} match as the API gives it.
 * @param {Object<string, string>} texts the texts `board.*` by key.
 * @returns {{element: Element|null, show: function({state: Object, step: Array|null, seat: number|null})}}
 */
export function createSmallBoard(match, texts) {
  if (!hasOwnBoard(match.game)) return { element: null, show() {} };
  const element = html("div", { class: `small-board small-board-of-${match.game}`, "aria-hidden": "true", inert: true });
  element.dataset.players = match.seats.length;
  let board = null;
  let latest = null;

  function draw() {
    if (board === null || latest === null) return;
    try {
      board.show(latest.state, { step: latest.step, seat: latest.seat });
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
      draw();
    },
  };
}
