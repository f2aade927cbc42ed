/** What each bot used of its time, as a table. */

import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { duration } from "./words.js";

/** Of the times charged to a seat, ms: how many, their sum, median, and the longest. */
function statisticsOf(times) {
  const sorted = [...times].sort((one, other) => one - other);
  const sum = sorted.reduce((total, time) => total + time, 0);
  return [sorted[Math.floor((sorted.length - 1) / 2)], sum / sorted.length, sorted.at(-1), sum];
}

export function createStatistics(texts) {
  const t = (key) => say(texts, `viewer.statistics.${key}`);
  const body = html("tbody");
  const columns = ["turns", "median", "mean", "longest", "total"];
  const element = html(
    "section",
    { class: "viewer-statistics" },
    html("h2", {}, t("title")),
    html(
      "div",
      { class: "table", role: "region", tabindex: "0", "aria-label": t("title") },
      html(
        "table",
        {},
        html(
          "thead",
          {},
          html(
            "tr",
            {},
            html("th", { scope: "col" }, t("bot")),
            columns.map((name) => html("th", { class: "number", scope: "col" }, t(name))),
          ),
        ),
        body,
      ),
    ),
  );
  let counted = null; // the timeline and how many turns of it are in the table

  function row(timeline, player) {
    const times = timeline.turns
      .filter(({ seat }) => seat === player.seat)
      .map(({ charged_ms: time }) => time);
    const figures = times.length > 0 ? statisticsOf(times).map(duration) : ["–", "–", "–", "–"];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, namedSeat(player)),
      [times.length, ...figures].map((figure) => html("td", { class: "number" }, String(figure))),
    );
  }

  function show(timeline) {
    const turns = timeline.turns.length;
    if (counted?.timeline === timeline && counted.turns === turns) return;
    counted = { timeline, turns };
    body.replaceChildren(...timeline.match.seats.map((player) => row(timeline, player)));
  }

  return { element, show };
}
