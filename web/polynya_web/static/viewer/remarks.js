/** What the bots remarked last, up to the position that is shown, in full. */

import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { brief, word } from "./words.js";

/** The entries of a remark: name and value as text. */
export function entriesOf(texts, info) {
  if (info === null) return [];
  const named = typeof info === "object" && !Array.isArray(info) ? Object.entries(info) : [["", info]];
  return named.map(([key, value]) => [
    key === "" ? "" : word(texts, "viewer.info", key),
    asText(value),
  ]);
}

function asText(value) {
  if (typeof value === "number") return brief(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function createRemarks(texts) {
  const list = html("ul", { class: "remarks" });
  const element = html(
    "section",
    { class: "viewer-remarks", hidden: true },
    html("h2", {}, say(texts, "viewer.remarks")),
    list,
  );

  function remark(timeline, index, player) {
    const turn = timeline.remarkAt(index, player.seat);
    if (turn === null) return null;
    return html(
      "li",
      {},
      html(
        "p",
        { class: "remark-head" },
        namedSeat(player),
        " ",
        html("span", { class: "muted" }, say(texts, "viewer.turn", { turn: turn.turn })),
      ),
      html(
        "dl",
        { class: "facts" },
        entriesOf(texts, turn.info).map(([name, value]) => [
          html("dt", {}, name),
          html("dd", {}, html("bdi", {}, value)),
        ]),
      ),
    );
  }

  function show(timeline, index) {
    element.hidden = !timeline.hasRemarks;
    if (element.hidden) return;
    const remarks = timeline.match.seats.map((player) => remark(timeline, index, player));
    list.replaceChildren(...remarks.filter((one) => one !== null));
  }

  return { element, show };
}
