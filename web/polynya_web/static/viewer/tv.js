/** The television: the most interesting match in play, then the next one; else recorded matches. */

import { base } from "../base.js";
import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { followEvents } from "../events.js";
import { listenForProjector } from "../projector.js";
import { keepFresh, renewSoon } from "../refresh.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const END_MS = 6_000; // how long the end of a recorded match is shown
const LOOK_MS = 500;
const container = document.getElementById("viewer");
const state = document.getElementById("tv-state");
let viewer = null; // the one of the match that is shown
let shown = null; // its id
let stage = null; // the element that says which stage of a tournament it is
let number = 0; // of the recorded match that comes next
let recording = null; // the timer of recorded matches, while they are shown
let work = Promise.resolve(); // each event waits for those before it

const served = () => JSON.parse(document.getElementById("front-data").textContent);

function told(words) {
  state.textContent = words;
}

/** What the page shows: `live`, `between` two matches, or `recorded` ones. */
function mode(name) {
  document.documentElement.dataset.tv = name;
}

/** The names with their scores, and below them what is played for. */
function head({ game, match, tournament, seats }, why) {
  const address = `${base}/matches/${encodeURIComponent(match)}`;
  const scores = seats.map(() => html("b", { class: "tv-score" }));
  const players = seats.map((player, seat) => html("span", { class: "tv-player" }, namedSeat(player), " ", scores[seat]));
  stage = html("span", { class: "tv-stage" });
  const where = html("span", { class: "muted" }, [data.games[game] ?? game, tournament].filter(Boolean).join(" · "));
  const marks = why.map((one) => html("span", { class: "tag" }, one));
  const title = html("h2", {}, html("a", { class: "tv-players", href: address }, ...players));
  const about = html("p", { class: "tv-about" }, ...marks, where, stage, html("span", { class: "muted small" }, match));
  return { element: html("div", { class: "viewer-head" }, title, about), scores };
}

async function open(replay, why = []) {
  viewer?.close();
  const { element, scores } = head(replay.match, why);
  container.replaceChildren(element);
  viewer = await createViewer(container, {
    texts,
    replay,
    address: null,
    download: null,
    onFrame: (frame) =>
      scores.forEach((score, seat) => {
        score.textContent = frame.scores === null ? "" : String(frame.scores[seat]);
      }),
  });
  shown = replay.match.match;
  container.hidden = false;
  showStage();
}

function showStage() {
  if (stage === null || recording !== null) return;
  const words = served().stages[shown];
  stage.textContent = words ?? "";
  if (words === undefined) renewSoon();
}

async function show(replay) {
  stopRecorded();
  told("");
  mode("live");
  if (viewer !== null && shown === replay.match.match) viewer.restart(replay);
  else await open(replay);
}

function wait({ next_s: next }) {
  if (next !== null) {
    mode("between");
    document.dispatchEvent(new Event("match-over"));
    told(say(texts, "tv.next", { seconds: next }));
  } else if (recording === null) {
    renewSoon();
    playRecorded();
  }
}

/** Recorded matches one after the other, until one is in play. */
async function playRecorded() {
  const found = served().recorded;
  mode("recorded");
  recording = setTimeout(playRecorded, 10 * LOOK_MS); // until there is one to show
  told(say(texts, found.length ? "tv.recorded" : "tv.none"));
  if (found.length === 0) return;
  const chosen = found[number % found.length];
  number += 1;
  const answer = await fetch(`${base}/api/v1/matches/${encodeURIComponent(chosen.match)}/frames`).catch(() => null);
  if (!answer?.ok || recording === null) return;
  const replay = await answer.json();
  const mine = recording;
  await open(replay, [say(texts, "recorded.title"), ...chosen.why]);
  if (recording !== mine) return;
  clearTimeout(recording);
  viewer.play();
  recording = setTimeout(onward, LOOK_MS);
}

function onward() {
  recording = viewer.isAtEnd ? setTimeout(playRecorded, END_MS) : setTimeout(onward, LOOK_MS);
}

function stopRecorded() {
  clearTimeout(recording);
  recording = null;
}

function then(act) {
  return (event) => {
    work = work.then(() => act(event)).catch((error) => notice(container, error.message));
  };
}

const events = {
  replay: then(show),
  turn: then((turn) => viewer?.addTurn(turn)),
  forfeit: then((forfeit) => viewer?.addForfeit(forfeit)),
  over: then((over) => viewer?.finish(over)),
  waiting: then(wait),
};
const pins = new URLSearchParams([...new URLSearchParams(location.search)].filter(([key]) => key === "tournament" || key === "game"));
if (served().live) {
  followEvents(`${base}/api/v1/tv${pins.size ? `?${pins}` : ""}`, events, {
    onLost: () => told(say(texts, "viewer.connection_lost")),
    onGone: () => told(say(texts, "tv.gone")),
    anew: true,
  });
} else if (state !== null) playRecorded();
document.addEventListener("renewed", showStage);
keepFresh(30_000);
listenForProjector(texts);
