// Ratings over time: the lines of the page's data, drawn by uPlot. The page has them as a table too.

import uPlot from "./vendor/uplot/uPlot.esm.js";

const HEIGHT = 320;
const FEW = 10; // a line of so few matches shows each of them
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5]];

/** The colour of a custom property of the style sheet, as it is in the present scheme. */
function token(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The lines as uPlot wants them: the times of all, and for each line its value or nothing. */
function aligned(lines) {
  return uPlot.join(lines.map(({ points }) => [points.map((p) => p[0]), points.map((p) => p[1])]));
}

function series(lines) {
  const colours = ["--seat-1", "--seat-2", "--seat-3", "--seat-0", "--muted"].map(token);
  return lines.map(({ name, points }, index) => ({
    label: name,
    stroke: colours[index % colours.length],
    dash: DASHES[index % DASHES.length],
    width: 2,
    spanGaps: true,
    points: { show: points.length <= FEW, size: 9 }, // one match makes no line
    value: (_plot, value) => (value == null ? "–" : value.toFixed(0)),
  }));
}

// Times as ISO 8601 has them: seconds of a step, its label, and what is added where a longer unit changes.
const YEAR = 31536000, MONTH = 2419200, DAY = 86400, HOUR = 3600, MINUTE = 60;
const TIMES = [
  [YEAR, "{YYYY}", null, null, null, null, null, null, 1],
  [MONTH, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
  [DAY, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
  [HOUR, "{HH}:00", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [MINUTE, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
];

/** Half a day before and after one moment; half a minute around matches within a minute. */
function wideEnough({ data: [times] }, first, last) {
  const [begin, end] = [times[0], times.at(-1)];
  if (end === begin) return [begin - DAY / 2, end + DAY / 2];
  return end - begin < MINUTE ? [begin - MINUTE / 2, end + MINUTE / 2] : [first, last];
}

/** Ratings with a margin; a single one is in the middle of a hundred points. */
function tallEnough(_plot, lowest, highest) {
  return lowest === highest ? [lowest - 50, highest + 50] : uPlot.rangeNum(lowest, highest, 0.1, true);
}

/** A moment to the minute, or to the second where all lies within an hour. */
function moment(plot, seconds) {
  const { min, max } = plot.scales.x;
  const iso = new Date(seconds * 1000).toISOString();
  return iso.slice(0, max - min < HOUR ? 19 : 16).replace("T", " ");
}

function options(lines, width, time) {
  const axis = { stroke: token("--muted"), grid: { stroke: token("--line"), width: 1 }, ticks: { stroke: token("--line"), width: 1 } };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: { x: { time: true, range: wideEnough }, y: { range: tallEnough } },
    axes: [{ ...axis, values: TIMES, space: 64 }, { ...axis, size: 56, values: (_plot, values) => values.map((value) => value.toFixed(0)) }],
    series: [{ label: time, value: (plot, value) => (value == null ? "–" : moment(plot, value)) }, ...series(lines)],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
  };
}

/** Draw the lines into a frame, and again whenever its width or the colours change. */
function chart(frame, lines) {
  let plot = null;
  const draw = () => {
    plot?.destroy();
    plot = new uPlot(options(lines, inner(frame), frame.dataset.time), aligned(lines), frame);
  };
  draw();
  new ResizeObserver(() => plot.setSize({ width: inner(frame), height: HEIGHT })).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

function inner(frame) {
  const style = getComputedStyle(frame);
  return Math.max(200, frame.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
}

const frame = document.getElementById("rating-chart");
const data = document.getElementById("data");
if (frame && data) chart(frame, JSON.parse(data.textContent).lines);
