/** What match this is and how it stands or ended. */

import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { word } from "./words.js";

/** The players as they came in, best first; in the order of the seats while there is no result. */
function placed(seats) {
  return [...seats].sort(
    (one, other) => (one.rank ?? 0) - (other.rank ?? 0) || one.seat - other.seat,
  );
}

function outcome(match, texts) {
  if (match.in_play) return html("span", { class: "tag live" }, say(texts, "viewer.in_play"));
  if (match.server_fault)
    return html("span", { class: "tag wait" }, say(texts, "viewer.server_fault"));
  if (match.termination !== null)
    return html("span", { class: "tag" }, word(texts, "viewer.ended", match.termination));
  return match.reason === null
    ? null
    : html("span", { class: "tag wait" }, word(texts, "result", match.reason));
}

export function createHeadline(texts) {
  const element = html("div", { class: "viewer-headline" });

  function show({ match }) {
    const players = placed(match.seats).map((seat) =>
      html(
        "li",
        {},
        match.in_play || seat.rank === null
          ? null
          : html("span", { class: "muted" }, `${seat.rank}.`),
        namedSeat(seat),
        match.in_play || seat.score === null ? null : html("b", {}, String(seat.score)),
      ),
    );
    element.replaceChildren(
      html("ul", { class: "headline-seats" }, players),
      outcome(match, texts) ?? "",
      html("span", { class: "muted viewer-detail" }, match.detail ?? ""),
    );
  }

  return { element, show };
}
