// Ratings match by match or day by day: the lines of the page's data, drawn by uPlot. The page has
// them as a table too. A point is [seconds, rating, number of the match].

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

const dayOf = (seconds) => Math.floor(seconds / DAY) * DAY;

/** How the points lie side by side: `at` is the place of one, and whether it is a moment. */
const WAYS = {
  number: { isTime: false, at: ([, , number]) => number },
  day: { isTime: true, at: ([seconds]) => dayOf(seconds) },
};

/** The points of a line by their places; of several at one place the last. */
function placed(points, { at }) {
  const found = new Map(points.map((point) => [at(point), point[1]]));
  return [[...found.keys()], [...found.values()]];
}

/** The lines as uPlot wants them: the places of all, and for each line its value or nothing. */
function aligned(lines, way) {
  return uPlot.join(lines.map(({ points }) => placed(points, way)));
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

// Days as ISO 8601 has them: seconds of a step, its label, and what is added where a year changes.
const YEAR = 31536000, MONTH = 2419200, DAY = 86400;
const DAYS = [
  [YEAR, "{YYYY}", null, null, null, null, null, null, 1],
  [MONTH, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
  [DAY, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
];
const WHOLE = [1, 2, 5].flatMap((one) => [1, 10, 100, 1_000, 10_000].map((ten) => one * ten)).sort((a, b) => a - b);

/** Room on both sides of a single place. */
function wideEnough({ data: [places] }, first, last, unit) {
  const [begin, end] = [places[0], places.at(-1)];
  return end === begin ? [begin - unit, end + unit] : [first, last];
}

/** Ratings with a margin; a single one is in the middle of a hundred points. */
function tallEnough(_plot, lowest, highest) {
  return lowest === highest ? [lowest - 50, highest + 50] : uPlot.rangeNum(lowest, highest, 0.1, true);
}

const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

function options(lines, width, way, label) {
  const axis = { stroke: token("--muted"), grid: { stroke: token("--line"), width: 1 }, ticks: { stroke: token("--line"), width: 1 } };
  const place = way.isTime ? { values: DAYS, incrs: [1, 2, 7, 14, 30, 91, 365].map((days) => days * DAY) } : { incrs: WHOLE };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: {
      x: { time: way.isTime, range: (plot, first, last) => wideEnough(plot, first, last, way.isTime ? DAY / 2 : 1) },
      y: { range: tallEnough },
    },
    axes: [{ ...axis, ...place, space: 64 }, { ...axis, size: 56, values: (_plot, values) => values.map((value) => value.toFixed(0)) }],
    series: [{ label, value: (_plot, value) => (value == null ? "–" : way.isTime ? day(value) : String(value)) }, ...series(lines)],
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
  };
}

/** Draw the lines into a frame, and again whenever its width, the colours or the way change. */
function chart(frame, lines, buttons) {
  let plot = null;
  let by = "number";
  const draw = () => {
    plot?.destroy();
    const data = aligned(lines, WAYS[by]);
    plot = new uPlot(options(lines, inner(frame), WAYS[by], frame.dataset[by]), data, frame);
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.by === by));
  };
  for (const one of buttons) {
    one.addEventListener("click", () => {
      by = one.dataset.by;
      draw();
    });
  }
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
if (frame && data) {
  const { lines } = JSON.parse(data.textContent);
  const choice = document.getElementById("chart-choice");
  const days = new Set(lines.flatMap(({ points }) => points.map(([seconds]) => dayOf(seconds))));
  choice.hidden = days.size < 2;
  chart(frame, lines, [...choice.querySelectorAll("button")]);
}
