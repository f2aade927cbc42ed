/** How each bot judged the match: the number `score` of its remarks, turn by turn, as lines. */

import { html, points, round, svg, words } from "../boards/elements.js";
import { seatClass, seatMark } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { LEFT, WIDEST, niceCeiling } from "./chart.js";
import { brief } from "./words.js";

const HEIGHT = 120;
const MIDDLE = HEIGHT / 2;
const EDGE = 10;
/** The share of the judgements that fit into the scale; the others are drawn at its edge. */
const WITHIN_SCALE = 0.95;

/** The turns whose bot gave a number as its score. */
function judgements(timeline) {
  return timeline.turns.filter(({ info }) => Number.isFinite(info?.score));
}

function scaleOf(judged) {
  const sizes = judged.map(({ info }) => Math.abs(info.score)).sort((one, other) => one - other);
  const size = sizes[Math.ceil(WITHIN_SCALE * sizes.length) - 1] ?? 1;
  return size >= 1 ? niceCeiling(size) : size || 1;
}

/** The graph; `go` is called with the index of the frame after the turn that was clicked. */
export function createEvaluation(texts, go) {
  const drawing = svg("svg", { class: "time-chart evaluation", role: "img" });
  const frame = html("div", { class: "time-frame" }, drawing);
  const element = html(
    "section",
    { class: "viewer-evaluation", hidden: true },
    html("h2", {}, say(texts, "viewer.evaluation")),
    frame,
  );
  const cursor = svg("line", { class: "chart-cursor", y1: 0, y2: HEIGHT });
  let drawn = null; // {timeline, turns, width}
  let turnX = () => LEFT;
  let shown = null;

  drawing.addEventListener("click", (event) => {
    if (shown === null) return;
    const box = drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * drawing.viewBox.baseVal.width;
    const distance = ({ turn }) => Math.abs(turnX(turn) - x);
    const nearest = shown.turns.reduce((best, turn) =>
      distance(turn) < distance(best) ? turn : best,
    );
    go(nearest.last_frame);
  });

  function show(timeline, index) {
    const now = { timeline, turns: timeline.turns.length, width: Math.max(280, frame.clientWidth) };
    if (drawn === null || Object.keys(now).some((key) => now[key] !== drawn[key])) {
      const judged = judgements(timeline);
      element.hidden = judged.length === 0;
      if (element.hidden) return;
      now.width = Math.max(280, frame.clientWidth);
      draw(timeline, judged, now.width);
      drawn = now;
    }
    shown = timeline;
    const x = round(turnX(timeline.frames[index].turn));
    for (const name of ["x1", "x2"]) cursor.setAttribute(name, x);
  }

  function draw(timeline, judged, width) {
    const step = Math.min(WIDEST, (width - LEFT - 6) / Math.max(10, timeline.frames.at(-1).turn));
    turnX = (turn) => LEFT + (turn - 0.5) * step;
    const most = scaleOf(judged);
    const height = (score) =>
      MIDDLE - (Math.max(-most, Math.min(most, score)) / most) * (MIDDLE - EDGE);
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.setAttribute("aria-label", summary(timeline, judged));
    drawing.replaceChildren(
      svg("rect", { class: "chart-hit", width, height: HEIGHT }),
      svg("line", { class: "chart-line", x1: LEFT, x2: width, y1: MIDDLE, y2: MIDDLE }),
      edge(EDGE, brief(most)),
      label(MIDDLE, "0"),
      edge(HEIGHT - EDGE, brief(-most)),
      ...timeline.match.seats.map(({ seat }) => line(judged, seat, height)),
      cursor,
    );
  }

  function label(y, content) {
    return words(LEFT - 6, y + 4, "chart-label", content);
  }

  /** The end of the scale, which may be a long number: it begins at the edge of the drawing. */
  function edge(y, content) {
    return words(3, y + 4, "chart-label edge", content);
  }

  function line(judged, seat, height) {
    const own = judged.filter((turn) => turn.seat === seat);
    if (own.length === 0) return "";
    const places = own.map(({ turn, info }) => [turnX(turn), height(info.score)]);
    const mark = seatMark(seat, 6);
    mark.setAttribute("transform", `translate(${places.at(-1).map(round).join(" ")})`);
    return svg(
      "g",
      { class: `judged ${seatClass(seat)}` },
      svg("polyline", { class: `judged-line dash-${seat % 4}`, points: points(places) }),
      mark,
    );
  }

  function summary(timeline, judged) {
    const last = timeline.match.seats
      .map(({ seat, name }) => [name, judged.findLast((turn) => turn.seat === seat)])
      .filter(([, turn]) => turn !== undefined)
      .map(([name, { info }]) => `${name} ${brief(info.score)}`);
    return say(texts, "viewer.evaluation_summary", { last: last.join(", ") });
  }

  return { element, show };
}
