/** What each seat of Arktia holds: points, what it took and melted, its reserve; and a legend. */

import { html, svg } from "./elements.js";
import { counted, status, tally } from "./frame.js";
import { tower } from "./muglus.js";
import { say } from "./texts.js";

const KINDS = ["G", "D", "T"];
const STACKS = [["G"], ["D"], ["T"], ["D", "G"], ["T", "D"], ["G", "T"], ["T", "D", "G"]];

/** The list of the seats; what may be placed carries the key of its choice. */
export function holdings(state, { texts, seats, extras }) {
  const t = (key) => say(texts, `board.arktia.${key}`);
  const entries = seats.map((player) => ({
    player,
    status: status(state, player.seat, texts),
    parts: [
      ...["points", "taken", "melted"].map((what) =>
        counted(null, state[what][player.seat], t(what)),
      ),
      reserve(state, player.seat, "place", t),
      state.phase === "neutral" ? reserve(state, player.seat, "neutral", t) : null,
    ],
  }));
  return tally(entries, state.to_move, texts, extras);
}

function reserve(state, seat, verb, t) {
  const counts = (verb === "place" ? state.reserve : state.neutral_reserve)[seat];
  const colour = verb === "place" ? seat : state.players;
  const pieces = KINDS.map((kind, index) => {
    const picture = stackIcon("muglu-icon", "-30 -28 60 44", [[colour, kind]], state.players);
    const none = counts[index] === 0;
    const words = `×${counts[index]}`;
    const piece = html("span", { class: `reserve-piece${none ? " none" : ""}` }, picture, words);
    if (seat === state.to_move && !none) piece.dataset.target = `${verb}:${kind}`;
    return piece;
  });
  return html("span", { class: "reserve", title: t(`reserve_${verb}`) }, pieces);
}

/** All that can stand on a tile, with its name. */
export function legend(texts) {
  const entries = STACKS.map((kinds) => {
    const stack = kinds.map((kind) => [0, kind]);
    const name = say(texts, `board.arktia.${kinds.join("")}`);
    const picture = stackIcon("legend-icon", "-30 -48 60 64", stack, 0);
    return html("span", { class: "legend-entry" }, picture, html("span", {}, name));
  });
  const summary = html("summary", {}, say(texts, "board.arktia.legend"));
  return html(
    "details",
    { class: "board-legend" },
    summary,
    html("div", { class: "legend-entries" }, entries),
  );
}

function stackIcon(kind, viewBox, stack, players) {
  return svg("svg", { class: kind, viewBox, "aria-hidden": "true" }, tower(0, 0, stack, players));
}
