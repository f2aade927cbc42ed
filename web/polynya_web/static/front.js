/** The first page: it stays up to date, and plays recorded matches while none is in play. */

import { base } from "./base.js";
import { html } from "./boards/elements.js";
import { say } from "./boards/texts.js";
import { keepFresh } from "./refresh.js";
import { createSmallBoard } from "./small_board.js";

const STEP_MS = 700;
const END_MS = 5_000; // how long the end of a match is shown
const texts = JSON.parse(document.getElementById("live-texts")?.textContent ?? "{}");
const place = document.getElementById("recorded");
const board = document.getElementById("recorded-board");
let number = 0; // of the recorded match that plays
let timer = null;
let paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
let resume = () => {};

const choices = () => JSON.parse(document.getElementById("front-data").textContent).recorded;

async function framesOf(match) {
  const answer = await fetch(`${base}/api/v1/matches/${encodeURIComponent(match)}/frames`).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

/** The names, and why the match is shown. */
function tell({ match, names, why }) {
  const link = place.querySelector(".live-name");
  link.href = `${base}/matches/${encodeURIComponent(match)}`;
  link.replaceChildren(...names.flatMap((name, seat) => (seat ? [" – ", html("bdi", {}, name)] : [html("bdi", {}, name)])));
  const tags = place.querySelector("p");
  tags.replaceChildren(tags.firstElementChild, ...why.flatMap((one) => [" ", html("span", { class: "tag good" }, one)]));
}

/** Plays the next match whose game has a board. */
async function playNext() {
  const found = choices();
  for (let tried = 0; tried < found.length && !place.hidden; tried += 1) {
    const chosen = found[number % found.length];
    number += 1;
    const replay = await framesOf(chosen.match);
    if (replay === null) return;
    const small = createSmallBoard(replay.match, texts);
    small.show(replay.frames[0]);
    if (small.element.hidden) continue;
    tell(chosen);
    board.replaceChildren(small.element);
    show(replay.frames, small, paused ? replay.frames.length - 1 : 0);
    return;
  }
}

function show(frames, small, index) {
  small.show(frames[index]);
  const last = index === frames.length - 1;
  resume = () => {
    timer = setTimeout(() => (last ? playNext() : show(frames, small, index + 1)), last ? END_MS : STEP_MS);
  };
  if (!paused && !place.hidden) resume();
}

/** What moves by itself can be stopped. */
function pauseButton() {
  const button = html("button", { type: "button", class: "small" });
  const word = () => {
    button.textContent = say(texts, paused ? "recorded.play" : "recorded.pause");
  };
  button.addEventListener("click", () => {
    paused = !paused;
    clearTimeout(timer);
    if (!paused) resume();
    word();
  });
  word();
  return button;
}

document.addEventListener("live-count", ({ detail }) => {
  if (place.hidden === detail > 0) return;
  place.hidden = detail > 0;
  clearTimeout(timer);
  if (!place.hidden && board !== null) playNext();
});
if (document.getElementById("live-list") === null) keepFresh(); // else live.js does
if (board !== null) {
  place.querySelector(".live-words").append(pauseButton());
  if (!place.hidden) requestAnimationFrame(() => setTimeout(playNext));
}
