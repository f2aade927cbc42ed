/** Lets a person pick one of the legal steps: on the board, by buttons, or from a list of words. */

import { html } from "./elements.js";
import { say } from "./texts.js";

/**
 * A picker over the elements of a board that carry `data-target`.
 *
 * A step is picked in stages, each a key such as "cell:12". A key with an element on the board is
 * picked there (mouse, touch, or Enter on the focused element), any other by a button in the panel.
 *
 * @param {{root: Element, panel: Element, texts: Object, stages: function(Array): string[],
 *   label: function(string): string, describe: function(Array): string}} board
 *   stages gives a step's keys, label a key's words, describe a step's words.
 */
export function createPicker({ root, panel, texts, stages, label, describe }) {
  let offered = null; // {paths: [{step, keys}], onStep}
  let picked = [];

  root.addEventListener("click", (event) => pickFrom(event, false));
  root.addEventListener("keydown", (event) => {
    if (offered === null) return;
    if (event.key === "Escape") restart(event);
    if (event.key === "Enter" || event.key === " ") pickFrom(event, true);
    if (event.key.startsWith("Arrow")) moveFocus(event);
  });

  function pickFrom(event, byKeyboard) {
    const key = event.target.closest?.("[data-target]")?.dataset.target;
    if (offered === null || key === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (possible(picked).has(key)) pick(key, byKeyboard);
    else if (possible([]).has(key)) startWith(key, byKeyboard);
  }

  function startWith(key, byKeyboard) {
    picked = [];
    pick(key, byKeyboard);
  }

  function restart(event) {
    event.preventDefault();
    event.stopPropagation();
    picked = [];
    draw();
  }

  function continuing(path) {
    return offered.paths.filter(({ keys }) => path.every((key, index) => keys[index] === key));
  }

  function possible(path) {
    return new Set(continuing(path).map(({ keys }) => keys[path.length]));
  }

  function pick(key, byKeyboard) {
    picked = [...picked, key];
    skipWhatIsCertain();
    const found = continuing(picked).find(({ keys }) => keys.length === picked.length);
    if (found !== undefined) return take(found.step);
    draw();
    if (byKeyboard) (root.querySelector(".pickable") ?? panel.querySelector("button"))?.focus();
  }

  /** A stage that is not on the board and leaves no choice is not asked for. */
  function skipWhatIsCertain() {
    for (;;) {
      const [only, ...others] = possible(picked);
      if (only === undefined || others.length > 0 || targets(only).length > 0) return;
      picked = [...picked, only];
    }
  }

  function take(step) {
    const { onStep } = offered;
    offer(null, null);
    onStep(step);
  }

  function targets(key) {
    return [...root.querySelectorAll("[data-target]")].filter((one) => one.dataset.target === key);
  }

  function clear() {
    for (const element of root.querySelectorAll(".pickable, .picked")) {
      element.classList.remove("pickable", "picked");
      for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
    }
    panel.replaceChildren();
    panel.hidden = offered === null;
  }

  function draw() {
    clear();
    if (offered === null) return;
    for (const key of picked) for (const one of targets(key)) one.classList.add("picked");
    const buttons = [];
    for (const key of possible(picked)) {
      const there = targets(key);
      there.forEach((one, index) => mark(one, label(key), index === 0));
      if (there.length === 0) buttons.push(button(label(key), () => pick(key, true)));
    }
    if (picked.length > 0)
      buttons.push(
        button(say(texts, "board.choose.back"), () => {
          picked = [];
          draw();
        }),
      );
    panel.append(
      html("p", { class: "choice-prompt", role: "status" }, prompt()),
      html("div", { class: "choice-buttons" }, buttons),
      list(),
    );
  }

  function prompt() {
    const stage = picked.length === 0 ? "board.choose.first" : "board.choose.next";
    return say(texts, stage, { picked: picked.map(label).join(", ") });
  }

  function mark(element, words, focusable) {
    element.classList.add("pickable");
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", words);
    if (focusable) element.setAttribute("tabindex", "0");
  }

  function button(words, onClick) {
    const element = html("button", { type: "button" }, words);
    element.addEventListener("click", onClick);
    return element;
  }

  function list() {
    const steps = continuing(picked).map(({ step }) =>
      html(
        "li",
        {},
        button(describe(step), () => take(step)),
      ),
    );
    const count = steps.length;
    const key = count === 1 ? "board.choose.list_one" : "board.choose.list";
    const summary = html("summary", {}, say(texts, key, { count }));
    return html("details", { class: "choice-list" }, summary, html("ul", {}, steps));
  }

  /** Arrow keys go to the nearest pickable place in that direction. */
  function moveFocus(event) {
    const here = event.target.closest?.(".pickable");
    if (!here) return;
    const along = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      event.key
    ];
    const next = nearest(here, [...root.querySelectorAll(".pickable[tabindex]")], along);
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  }

  /** Offers steps; null ends the choice. */
  function offer(steps, onStep) {
    offered = steps && { paths: steps.map((step) => ({ step, keys: stages(step) })), onStep };
    picked = [];
    draw();
  }

  return { offer };
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

function nearest(here, others, [alongX, alongY]) {
  const [x, y] = middle(here);
  let best = null;
  let least = Infinity;
  for (const other of others) {
    const [dx, dy] = [middle(other)[0] - x, middle(other)[1] - y];
    const ahead = dx * alongX + dy * alongY;
    const cost = ahead + 2 * Math.abs(dx * alongY) + 2 * Math.abs(dy * alongX);
    if (ahead > 1 && cost < least) [best, least] = [other, cost];
  }
  return best;
}
