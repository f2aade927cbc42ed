/** Any game without a module of its own: the board that it declares, or the state as a tree. */

import { declaredBoard, hasDeclaredBoard, textBoard } from "./declared.js";
import { html } from "./elements.js";
import { status, tally } from "./frame.js";
import { createPicker } from "./picking.js";
import { createRenderer } from "./renderer.js";
import { say } from "./texts.js";

const DEEPEST = 24;
const LONGEST = 500;

function simple(value) {
  return value === null || typeof value !== "object" || shortList(value);
}

function shortList(value) {
  return (
    Array.isArray(value) &&
    value.length <= 24 &&
    value.every((one) => one === null || typeof one !== "object")
  );
}

function written(value) {
  return Array.isArray(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value);
}

/** A value as nested lists; what is in it is text, whatever it looks like. */
function tree(value, depth = 0) {
  if (simple(value) || depth >= DEEPEST) return html("code", {}, written(value).slice(0, LONGEST));
  const entries = Object.entries(value).slice(0, LONGEST);
  return html(
    "ul",
    { class: "tree" },
    entries.map(([key, inner]) =>
      html("li", {}, html("span", { class: "tree-key" }, key), " ", tree(inner, depth + 1)),
    ),
  );
}

/** The game's own renderer above the plain board, and a button for the one or the other. */
function ownBoard(address, root, plain, texts) {
  let isOwn = false;
  const button = html("button", { type: "button", class: "renderer-button", hidden: true });
  const frame = createRenderer(address, say(texts, "board.plain.label"), {
    onDrawn: () => choose(true),
    onFailed: () => {
      choose(false);
      button.remove();
    },
  });

  function choose(own) {
    isOwn = own;
    button.hidden = false;
    button.textContent = say(texts, own ? "board.plain.plain" : "board.plain.own");
    plain.hidden = own;
    frame.element.hidden = !own;
  }

  button.addEventListener("click", () => choose(!isOwn));
  root.prepend(frame.element);
  root.append(button);
  return frame;
}

/** @see the contract of a board in the README of this folder. */
export function createBoard(container, { texts, seats, extras, side: elsewhere = null, renderer = null }) {
  const drawing = html("div", {
    class: "plain-state",
    tabindex: 0,
    role: "group",
    "aria-label": say(texts, "board.plain.label"),
  });
  const side = elsewhere ?? html("div");
  side.classList.add("board-side");
  const choice = html("div", { class: "board-choice", hidden: true });
  const text = html("details", { class: "board-legend", hidden: true }, html("summary", {}, say(texts, "board.plain.text")));
  const root = html("div", { class: "board board-plain" }, drawing, choice, text);
  if (elsewhere === null) drawing.after(side);
  container.replaceChildren(root);
  const describe = (step) => step.map(String).join(" ");
  const stages = (step) => [JSON.stringify(step)];
  const label = (key) => describe(JSON.parse(key));
  const picker = createPicker({ root, panel: choice, texts, stages, label, describe });

  const own = renderer && ownBoard(renderer, root, drawing, texts);

  function show(state, { rows = null, board = null, step = null, seat = null } = {}) {
    picker.offer(null, null);
    const entries = seats.map((player) => ({
      player,
      status: status(state, player.seat, texts),
      parts: [],
    }));
    const position = { rows, board };
    const isDrawn = board !== null;
    drawing.classList.toggle("plain-drawn", isDrawn);
    drawing.replaceChildren(hasDeclaredBoard(position) ? declaredBoard(position, texts) : tree(state));
    text.hidden = !isDrawn || rows === null;
    if (!text.hidden) text.replaceChildren(text.firstChild, textBoard(rows));
    own?.show({ state, step, seat, seats: seats.map((one) => ({ seat: one.seat, name: one.name })) });
    side.replaceChildren(tally(entries, state.to_move ?? null, texts, extras));
  }

  return { show, choose: picker.offer, describe };
}
