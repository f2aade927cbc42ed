/** The matches in play, each a card: its board, who plays, the clocks as they run, the score. */

import { base } from "./base.js";
import { html } from "./boards/elements.js";
import { namedSeat } from "./boards/seats.js";
import { say } from "./boards/texts.js";
import { followEvents } from "./events.js";
import { listenForProjector } from "./projector.js";
import { keepFresh } from "./refresh.js";
import { createSmallBoard } from "./small_board.js";
import { leftOf, runningClocks } from "./viewer/cards.js";
import { clockFace } from "./viewer/words.js";

const LINGER_MS = 4_000; // a match that is over stays a little
const CARD_RATIO = 0.9; // of a card by a projector: its width by its height

const list = document.getElementById("live-list");
const texts = JSON.parse(document.getElementById("live-texts").textContent);
const titles = JSON.parse(list.dataset.games);
const most = Number(list.dataset.most);
const t = (key, values) => say(texts, key, values);
const cards = new Map();
const pinned = ({ match }) =>
  [undefined, match.tournament].includes(list.dataset.tournament) && [undefined, match.game].includes(list.dataset.game);
const stages = () => JSON.parse(document.getElementById("front-data")?.textContent ?? "{}").stages ?? {};

/** A card of a match; `show` is called with what the server says of it. */
function createCard({ match }) {
  const turn = html("span", { class: "muted small" });
  const clocks = match.seats.map(() => html("span", { class: "clock" }));
  const scores = match.seats.map(() => html("span", { class: "score" }));
  const seats = match.seats.map((player, seat) =>
    html("li", { class: "live-seat", title: player.name }, namedSeat(player), html("span", { class: "figures" }, scores[seat], clocks[seat])),
  );
  const address = `${base}/matches/${encodeURIComponent(match.match)}`;
  const names = match.seats.flatMap(({ name }, seat) => (seat ? [" – ", html("bdi", {}, name)] : [html("bdi", {}, name)]));
  const head = html("a", { class: "live-name", href: address }, ...names);
  const where = [titles[match.game] ?? match.game, match.tournament, match.match].filter(Boolean).join(" · ");
  const stage = html("p", { class: "live-stage" });
  const board = createSmallBoard(match, texts);
  const element = html(
    "li",
    { class: "card live-card" },
    board.element,
    html(
      "div",
      { class: "live-words" },
      html("div", { class: "live-head" }, head, turn),
      html("p", { class: "muted small live-where" }, where),
      stage,
      html("ul", {}, ...seats),
    ),
  );
  let running = null;
  let rests = match.seats.map(() => match.clock.initial_ms ?? null);

  function show(found) {
    turn.textContent = t("live.turn", { turn: found.turn });
    showPosition(found);
    running = runningClocks(found.clocks);
    if (found.clocks) rests = found.clocks.remaining_ms;
    seats.forEach((item, seat) => item.classList.toggle("to-move", found.clocks?.acting.includes(seat) ?? false));
    tick();
  }

  function showPosition(found) {
    scores.forEach((score, seat) => { score.textContent = found.scores === null ? "" : String(found.scores[seat]); });
    if (found.board) board.show(found.board);
  }

  /** Draw the clocks as they stand now. */
  function tick() {
    clocks.forEach((clock, seat) => {
      const left = leftOf(running, seat) ?? rests[seat];
      const face = left === null || left === undefined ? "" : clockFace(left);
      if (clock.textContent !== face) clock.textContent = face;
    });
  }

  function end(over) {
    running = null;
    element.classList.add("over");
    turn.textContent = t("live.over");
    showPosition(over);
    seats.forEach((item) => item.classList.remove("to-move"));
  }

  function showStage(words) {
    stage.textContent = words[match.match] ?? "";
  }

  showStage(stages());
  return { element, show, tick, end, showStage };
}

/** The match that is most worth watching stands first, and larger where there is room. */
function lead(card) {
  if (!list.classList.contains("with-lead") || card.element.classList.contains("lead")) return;
  for (const other of list.querySelectorAll(".lead")) other.classList.remove("lead");
  card.element.classList.add("lead");
  list.prepend(card.element);
}

function add(found) {
  if (cards.has(found.match.match) || !pinned(found)) return;
  const card = createCard(found);
  card.show(found);
  cards.set(found.match.match, card);
  list.append(card.element);
  if (found.lead) lead(card);
}

/** Another match takes the place of one that is over, so that the others stay where they are. */
function remove(over) {
  const card = cards.get(over.match);
  if (card === undefined) return;
  card.end(over);
  cards.delete(over.match);
  setTimeout(() => {
    const next = [...list.children].find((item) => item.hidden);
    if (next && !card.element.hidden) card.element.replaceWith(next);
    else card.element.remove();
    const first = [...cards.values()].at(0); // until the server names one
    if (first && !list.querySelector(".lead")) lead(first);
    count();
  }, LINGER_MS);
}

/** Show as many as there is room for; the others wait for theirs. */
function count() {
  [...list.children].forEach((item, place) => { item.hidden = place >= most; });
  const shown = Math.min(list.children.length, most);
  arrange(shown);
  document.getElementById("live-none").hidden = list.children.length > 0;
  document.dispatchEvent(new CustomEvent("live-count", { detail: list.children.length }));
}

/** Rows and columns for a projector: each card a little higher than wide, for the seats below its board. */
function arrange(shown) {
  const across = Math.round(Math.sqrt((shown * innerWidth) / innerHeight / CARD_RATIO));
  const rows = Math.ceil(shown / Math.max(1, across));
  list.style.setProperty("--rows", Math.max(1, rows));
  list.style.setProperty("--columns", Math.max(1, Math.ceil(shown / Math.max(1, rows))));
}

function begin(matches) {
  document.getElementById("live-still")?.remove();
  cards.clear();
  list.replaceChildren();
  matches.forEach(add);
  count();
}

function drawClocks() {
  for (const card of cards.values()) {
    if (!card.element.hidden) card.tick();
  }
  requestAnimationFrame(drawClocks);
}

followEvents(`${base}/api/v1/live`, {
  matches: begin,
  begun: (found) => {
    add(found);
    count();
    if (found.match.tournament) document.dispatchEvent(new Event("match-over")); // its stage is to be told
  },
  turn: (turn) => {
    const card = cards.get(turn.match);
    card?.show(turn);
    if (card && turn.lead) lead(card);
  },
  over: (over) => {
    remove(over);
    document.dispatchEvent(new Event("match-over"));
  },
});
addEventListener("resize", count);
document.addEventListener("renewed", () => {
  const found = stages();
  for (const card of cards.values()) card.showStage(found);
});
if (document.querySelector(".refreshed")) keepFresh(30_000);
listenForProjector(texts);
requestAnimationFrame(drawClocks);
