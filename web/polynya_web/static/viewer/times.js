/** What happened to the clock in one turn, in plain words and as a line of time. */

import { html, round, svg, words } from "../boards/elements.js";
import { seatClass } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { duration } from "./words.js";

const WIDTH = 460;
const LEFT = 10;
const LINE = 44;

/**
 * The moments of a turn in ms after the clock started; null for what did not happen.
 *
 * @param {Object} times a turn or a forfeit, as the API gives it.
 */
function moments({
  queued_us: queued,
  flushed_us: flushed,
  first_byte_us: first,
  last_byte_us: last,
}) {
  if (queued === null || queued === undefined) return null;
  const start = flushed ?? queued;
  const after = (moment) =>
    moment === null || moment === undefined ? null : (moment - start) / 1000;
  return { queued: after(queued), flushed: after(flushed), first: after(first), last: after(last) };
}

/** The sentences that say what happened, in order. */
function sentences(texts, times, at, limit) {
  const t = (key, values) => say(texts, `viewer.times.${key}`, values);
  const said = [];
  if (at.flushed === null) said.push(t("not_sent"));
  else said.push(t("sent", { wait: duration(Math.max(0, -at.queued)) }));
  if (at.last !== null) {
    said.push(t("answered", { first: duration(at.first ?? at.last), last: duration(at.last) }));
    said.push(t(times.kernel ? "kernel" : "read"));
  } else if (at.first !== null) said.push(t("begun", { first: duration(at.first) }));
  else if (times.reason !== undefined) said.push(t("silent"));
  if (times.charged_ms !== null && times.charged_ms !== undefined) {
    const values = {
      charged: duration(times.charged_ms),
      limit: limit === null ? "" : duration(limit),
    };
    said.push(t(limit === null ? "charged" : "charged_of", values));
  }
  if (times.cpu_ms !== null && times.cpu_ms !== undefined)
    said.push(t("processor", { cpu: duration(times.cpu_ms) }));
  if (times.loop_delay_us > 0)
    said.push(t("loop", { delay: duration(times.loop_delay_us / 1000) }));
  return said;
}

/** The same as a picture: the question on its way, the clock, the limit, the answer. */
function line(texts, times, at, limit, seat) {
  const t = (key) => say(texts, `viewer.times.${key}`);
  const charged = times.charged_ms ?? 0;
  const end = Math.max(limit ?? 0, at.last ?? 0, at.first ?? 0, charged, 1) * 1.06;
  const begin = Math.min(at.queued, 0);
  const x = (time) => round(LEFT + ((time - begin) / (end - begin)) * (WIDTH - 2 * LEFT));
  const bar = (kind, from, to, height) =>
    svg("rect", {
      class: kind,
      x: x(from),
      y: LINE - height / 2,
      width: Math.max(1, x(to) - x(from)),
      height,
    });
  const over = limit !== null && charged > limit;
  const drawing = svg(
    "svg",
    { class: `time-line ${seatClass(seat)}`, viewBox: `0 0 ${WIDTH} 78`, "aria-hidden": "true" },
    bar("time-ground", begin, end, 6),
    bar("time-queue", begin, 0, 14),
    bar("time-charged", 0, over ? limit : charged, 14),
    over ? bar("time-over", limit, charged, 14) : null,
    tick(x(0), "start", t("label_start"), true),
    at.first !== null && at.last !== null && at.last - at.first > (end - begin) / 12
      ? tick(x(at.first), "answer", t("label_first"), true)
      : null,
    at.last === null ? null : tick(x(at.last), "answer", t("label_last"), true),
    limit === null ? null : tick(x(limit), "limit", t("label_limit"), false),
  );
  return drawing;
}

function tick(x, kind, label, above) {
  const anchor = x < 80 ? "start" : x > WIDTH - 80 ? "end" : "middle";
  const text = words(x, above ? 16 : 74, "time-label", label);
  text.setAttribute("text-anchor", anchor);
  return svg(
    "g",
    { class: `time-tick ${kind}` },
    svg("line", { x1: x, x2: x, y1: LINE - 20, y2: LINE + 18 }),
    text,
  );
}

/**
 * The times of a turn or of a forfeit; null if none were kept.
 *
 * @param {Object} texts texts by key.
 * @param {Object} times a turn or a forfeit, as the API gives it.
 * @param {number|null} limit what the turn could take, ms.
 */
export function timesOf(texts, times, limit) {
  const at = moments(times);
  if (at === null) return null;
  return html(
    "div",
    { class: "times" },
    line(texts, times, at, limit, times.seat),
    html(
      "ul",
      { class: "times-words" },
      sentences(texts, times, at, limit).map((words) => html("li", {}, words)),
    ),
  );
}
