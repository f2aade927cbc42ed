/** The television: the most interesting match in play, and when it is over the next one. */

import { base } from "../base.js";
import { html } from "../boards/elements.js";
import { say } from "../boards/texts.js";
import { followEvents } from "../events.js";
import { listenForProjector } from "../projector.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const state = document.getElementById("tv-state");
let viewer = null; // the one of the match that is shown
let shown = null; // its id
let work = Promise.resolve(); // each event waits for those before it

function told(words) {
  state.textContent = words;
}

async function open(replay) {
  viewer?.close();
  const { game, match } = replay.match;
  const address = `${base}/matches/${encodeURIComponent(match)}`;
  const name = html("a", { href: address }, html("bdi", {}, match));
  const title = html("h2", {}, data.games[game] ?? game, " ", html("span", { class: "muted" }, name));
  container.replaceChildren(html("div", { class: "viewer-head" }, title));
  viewer = await createViewer(container, { texts, replay, address: null, download: null });
  shown = match;
}

async function show(replay) {
  told("");
  container.hidden = false;
  if (viewer !== null && shown === replay.match.match) viewer.restart(replay);
  else await open(replay);
}

function wait({ next_s: next }) {
  told(next === null ? say(texts, "tv.none") : say(texts, "tv.next", { seconds: next }));
}

function then(act) {
  return (data) => {
    work = work.then(() => act(data)).catch((error) => notice(container, error.message));
  };
}

const events = {
  replay: then(show),
  turn: then((turn) => viewer?.addTurn(turn)),
  forfeit: then((forfeit) => viewer?.addForfeit(forfeit)),
  over: then((over) => viewer?.finish(over)),
  waiting: then(wait),
};
followEvents(`${base}/api/v1/tv`, events, {
  onLost: () => told(say(texts, "viewer.connection_lost")),
  onGone: () => told(say(texts, "tv.gone")),
  anew: true,
});
listenForProjector(texts);
