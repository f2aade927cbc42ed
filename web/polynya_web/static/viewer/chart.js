/** The time of each turn as a bar: a row for each seat, one scale for all. */

import { html, round, svg, words } from "../boards/elements.js";
import { seatClass, seatMark } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { momentMark, momentWords, momentsOf } from "./moments.js";
import { duration } from "./words.js";

/** The height of the row of a seat at most, and of all rows together. */
const ROW = 54;
const ROWS = 120;
export const LEFT = 34;
const FOOT = 20;
export const WIDEST = 18;

/** The smallest of 1, 2, 5, 10, 20, … that is no less. */
export function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((times) => times * power).find((nice) => nice >= value);
}

/** The chart; `go` is called with the index of the frame after a turn. */
export function createChart(texts, go) {
  const drawing = svg("svg", { class: "time-chart", role: "img" });
  const element = html("div", { class: "time-frame" }, drawing);
  let drawn = null; // what is drawn: {timeline, frames, width}
  const cursor = svg("line", { class: "chart-cursor" });
  let turnX = () => LEFT;
  let rowHeight = ROW;

  drawing.addEventListener("click", (event) => {
    const frame = event.target.closest("[data-frame]")?.dataset.frame;
    if (frame !== undefined) go(Number(frame));
  });

  function show(timeline, index) {
    const width = Math.max(280, element.clientWidth);
    const now = { timeline, frames: timeline.frames.length, width };
    if (drawn === null || Object.keys(now).some((key) => now[key] !== drawn[key])) {
      draw(timeline, width);
      drawn = now;
    }
    const x = round(turnX(timeline.frames[index].turn));
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
  }

  function draw(timeline, width) {
    const turns = Math.max(10, timeline.frames.at(-1).turn);
    const step = Math.min(WIDEST, (width - LEFT - 6) / turns);
    const bar = Math.max(1, step - (step > 4 ? 2 : 0.5));
    const longest = niceCeiling(Math.max(...timeline.turns.map(({ charged_ms: time }) => time), 1));
    const seats = timeline.match.seats.length;
    rowHeight = Math.min(ROW, ROWS / seats);
    const height = rowHeight * seats + FOOT;
    turnX = (turn) => LEFT + (turn - 0.5) * step;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("aria-label", summary(timeline));
    Object.entries({ y1: 0, y2: height - FOOT }).forEach(([name, value]) =>
      cursor.setAttribute(name, value),
    );
    drawing.replaceChildren(
      ...timeline.match.seats.map(({ seat }) => row(timeline, seat, width, longest)),
      ...timeline.turns.map((turn) => timeBar(turn, longest, bar, step)),
      ...timeline.forfeits.map(({ turn, seat }) => forfeitMark(turnX(Math.max(1, turn)), floorOf(seat))),
      ...momentsOf(timeline).map((moment) =>
        momentMark(round(turnX(Math.max(1, moment.turn))), momentWords(texts, timeline, moment)),
      ),
      cursor,
      ...ticks(turns, height, step),
    );
  }

  function floorOf(seat) {
    return rowHeight * (seat + 1) - 4;
  }

  function row(timeline, seat, width, longest) {
    const floor = floorOf(seat);
    const mark = seatMark(seat, 8);
    mark.setAttribute("transform", `translate(12 ${floor - 16})`);
    const scale = seat === 0 ? words(width - 3, 12, "chart-scale", duration(longest)) : null;
    return svg(
      "g",
      {},
      svg("line", { class: "chart-line", x1: LEFT, x2: width, y1: floor, y2: floor }),
      svg("line", {
        class: "chart-line most",
        x1: LEFT,
        x2: width,
        y1: floor - rowHeight + 10,
        y2: floor - rowHeight + 10,
      }),
      mark,
      scale,
    );
  }

  function timeBar(turn, longest, bar, step) {
    const height = Math.max(1.5, ((rowHeight - 10) * turn.charged_ms) / longest);
    const floor = floorOf(turn.seat);
    const title = say(texts, "viewer.bar", { turn: turn.turn, time: duration(turn.charged_ms) });
    return svg(
      "g",
      { class: `chart-turn ${seatClass(turn.seat)}`, "data-frame": turn.last_frame },
      svg("title", {}, title),
      svg("rect", {
        class: "chart-hit",
        x: round(turnX(turn.turn) - step / 2),
        y: floor - rowHeight + 8,
        width: round(step),
        height: rowHeight - 8,
      }),
      svg("rect", {
        class: "chart-bar",
        x: round(turnX(turn.turn) - bar / 2),
        y: round(floor - height),
        width: round(bar),
        height: round(height),
      }),
    );
  }

  function summary(timeline) {
    const slowest = timeline.turns.reduce(
      (most, turn) => (most === null || turn.charged_ms > most.charged_ms ? turn : most),
      null,
    );
    if (slowest === null) return say(texts, "viewer.chart");
    return say(texts, "viewer.chart_summary", {
      turn: slowest.turn,
      name: timeline.match.seats[slowest.seat].name,
      time: duration(slowest.charged_ms),
    });
  }

  function ticks(turns, height, step) {
    const every = niceCeiling(Math.ceil(60 / step));
    return [...Array(Math.floor(turns / every)).keys()].map((number) => {
      const turn = (number + 1) * every;
      return words(turnX(turn), height - 5, "chart-tick", turn);
    });
  }

  return { element, show };
}

function forfeitMark(x, floor) {
  const y = floor - 18;
  return svg("path", { class: "chart-forfeit", d: `M${round(x - 5)},${y - 5}l10,10m0,-10l-10,10` });
}
