/** Who forfeited and why, and the times of the turn that is shown. */

import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { said, say } from "../boards/texts.js";
import { timesOf } from "./times.js";
import { word } from "./words.js";

/** A panel for each forfeit: the server's own sentence and, if there was a clock, its times. */
export function createForfeits(texts, go) {
  const element = html("section", { class: "forfeits" });
  let shown = 0;

  function panel(forfeit, match) {
    const why = said(texts, forfeit.detail_cause, forfeit.detail);
    const jump = html(
      "button",
      { type: "button" },
      say(texts, "viewer.turn", { turn: forfeit.turn }),
    );
    jump.addEventListener("click", () => go(forfeit.frame));
    return html(
      "article",
      { class: "card forfeit-panel" },
      html(
        "h2",
        {},
        namedSeat(match.seats[forfeit.seat]),
        " ",
        word(texts, "viewer.forfeits", forfeit.reason),
        " ",
        jump,
      ),
      html("p", { class: "forfeit-detail", lang: why.lang }, why.text),
      forfeit.refused_steps
        ? html(
            "p",
            { class: "forfeit-detail" },
            say(texts, "viewer.refused_steps"),
            " ",
            html("code", { lang: "zxx" }, forfeit.refused_steps),
          )
        : null,
      forfeit.reason === "timeout" ? html("p", {}, say(texts, "viewer.timeout")) : null,
      timesOf(texts, forfeit, forfeit.limit_ms ?? null),
    );
  }

  function show(timeline) {
    if (shown === timeline.forfeits.length) return;
    shown = timeline.forfeits.length;
    element.replaceChildren(...timeline.forfeits.map((forfeit) => panel(forfeit, timeline.match)));
  }

  return { element, show };
}

/** The times of the turn that is shown, folded away until somebody wants them. */
export function createTurnTimes(texts) {
  const content = html("div");
  const element = html(
    "details",
    { class: "turn-times" },
    html("summary", {}, say(texts, "viewer.turn_times")),
    content,
  );
  let latest = null;

  function draw() {
    const turn = latest?.timeline.turnAt(latest.index) ?? null;
    if (!element.open) return;
    const limit = turn === null ? null : latest.timeline.limitOf(turn.seat, turn.first_frame - 1);
    content.replaceChildren(
      turn === null ? say(texts, "viewer.no_turn") : timesOf(texts, turn, limit),
    );
  }

  element.addEventListener("toggle", draw);
  return {
    element,
    show(timeline, index) {
      latest = { timeline, index };
      draw();
    },
  };
}
