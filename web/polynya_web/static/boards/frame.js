/** What all boards have in common on the page: the drawing, what each seat holds, the choice. */

import { html, round, svg } from "./elements.js";
import { namedSeat, seatClass } from "./seats.js";
import { say } from "./texts.js";

/**
 * The elements of a board in an emptied container.
 *
 * @param {Element} container where the board goes.
 * @param {string} game its name becomes a class.
 * @param {string} label what the drawing is, for screen readers.
 * @param {Element|null} elsewhere where what the seats hold goes instead of beside the drawing.
 * @returns {{root: Element, drawing: Element, side: Element, choice: Element}}
 */
export function createFrame(container, game, label, elsewhere = null) {
  const drawing = svg("svg", { class: "board-drawing", role: "group", "aria-label": label });
  const side = elsewhere ?? html("div");
  side.classList.add("board-side");
  const choice = html("div", { class: "board-choice", hidden: true });
  const parts = elsewhere === null ? [drawing, side, choice] : [drawing, choice];
  const root = html("div", { class: `board board-${game}` }, parts);
  container.replaceChildren(root);
  return { root, drawing, side, choice };
}

/**
 * Gives the drawing its size, in its own pixels, from `first` on both ways; the style sheet makes
 * room of that shape.
 */
export function setSize(drawing, width, height, first = 0) {
  drawing.setAttribute("viewBox", `${first} ${first} ${round(width)} ${round(height)}`);
  drawing.parentElement.style.setProperty("--ratio", round((100 * width) / height) / 100);
}

/**
 * The list of what each seat holds, beside the drawing.
 *
 * @param {Array} entries per seat {player, status, parts}: an element or null, and elements.
 * @param {number|null} toMove the seat to move.
 * @param {Array<Element|undefined>} extras per seat what the page adds: its clock, for instance.
 */
export function tally(entries, toMove, texts, extras = []) {
  return html(
    "ul",
    { class: "board-tally" },
    entries.map(({ player, status, parts }) =>
      html(
        "li",
        { class: `tally-seat ${seatClass(player.seat)}${player.seat === toMove ? " to-move" : ""}` },
        html(
          "div",
          { class: "tally-name" },
          namedSeat(player),
          player.seat === toMove
            ? html("span", { class: "tally-turn" }, say(texts, "board.to_move"))
            : null,
          status,
        ),
        html("div", { class: "tally-parts" }, parts),
        extras[player.seat],
      ),
    ),
  );
}

/** A number with its picture and its name: "12 fish". */
export function counted(picture, number, name) {
  return html(
    "span",
    { class: "counted", title: name },
    picture,
    html("b", {}, String(number)),
    html("span", { class: "counted-name" }, name),
  );
}

/** How a seat stands outside of play: forfeited before out, null while it plays. */
export function status(state, seat, texts) {
  if (state.forfeited?.includes?.(seat))
    return html("span", { class: "bad" }, say(texts, "board.forfeited"));
  return state.out?.[seat] ? html("span", { class: "muted" }, say(texts, "board.out")) : null;
}

/** Slides an element in from where it stood, unless the reader asked for less motion. */
export function slide(element, [fromX, fromY], [toX, toY]) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const start = `translate(${fromX - toX}px, ${fromY - toY}px)`;
  element.animate([{ transform: start }, { transform: "none" }], {
    duration: 260,
    easing: "ease-out",
  });
}
