/** The board that a game declares: a grid, a drawing, or rows of text. */

import { drawShapes } from "./drawing.js";
import { html } from "./elements.js";
import { drawGrid } from "./grid.js";
import { say } from "./texts.js";

const DRAWN = { grid: drawGrid, drawing: drawShapes };

/** Whether a position has a board; else its document is all that can be shown. */
export function hasDeclaredBoard({ board = null, rows = null }) {
  return board !== null || rows !== null;
}

/** The rows of text; the style sheet makes them as large as there is room for. */
export function textBoard(rows) {
  const text = html("pre", { class: "text-board" }, rows.join("\n"));
  text.style.setProperty("--columns", Math.max(1, ...rows.map((row) => row.length)));
  text.style.setProperty("--lines", Math.max(1, rows.length));
  return text;
}

/**
 * The board of a position that has one.
 *
 * @param {{board: ?Object, rows: ?Array<string>}} position as the API gives it.
 * @param {Object<string, string>} texts the texts `board.*`.
 */
export function declaredBoard({ board = null, rows = null }, texts) {
  if (board === null) return textBoard(rows);
  const drawing = DRAWN[board.kind](board);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", board.title || say(texts, "board.plain.label"));
  return drawing;
}
