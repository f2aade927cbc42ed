/**
 * The layout for a projector: the board and large clocks alone, in full screen where the browser has
 * that. A button and Alt+Enter turn it on and off, Escape turns it off; an address with `?projector`
 * begins with it.
 */

import { html } from "./boards/elements.js";
import { say } from "./boards/texts.js";

const NAME = "projector";
const root = document.documentElement;
const exit = html("button", { type: "button", class: "projector-exit" });

function isOn() {
  return root.classList.contains(NAME);
}

function turn(on) {
  root.classList.toggle(NAME, on);
  dispatchEvent(new Event("resize")); // what is drawn by size is drawn anew
}

function enter() {
  turn(true);
  root.requestFullscreen?.().catch(() => {}); // without it, it fills the window
}

function leave() {
  turn(false);
  if (document.fullscreenElement) document.exitFullscreen();
}

function toggle() {
  if (isOn()) leave();
  else enter();
}

/** Lets the page be shown by a projector; `texts` are those of the page. */
export function listenForProjector(texts) {
  exit.textContent = "✕";
  for (const name of ["aria-label", "title"]) exit.setAttribute(name, say(texts, "projector.leave"));
  exit.addEventListener("click", leave);
  document.body.append(exit);
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && isOn()) turn(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isOn()) leave();
    if (event.key !== "Enter" || !event.altKey) return;
    event.preventDefault();
    toggle();
  });
  for (const button of document.querySelectorAll(".projector-button")) {
    button.hidden = false;
    button.addEventListener("click", enter);
  }
  if (new URLSearchParams(location.search).has(NAME)) turn(true);
}

/** A button that turns it on. */
export function projectorButton(texts) {
  const made = html(
    "button",
    { type: "button", "aria-keyshortcuts": "Alt+Enter", title: say(texts, "projector.how") },
    say(texts, "projector.enter"),
  );
  made.addEventListener("click", enter);
  return made;
}
