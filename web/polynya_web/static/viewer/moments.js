/** The moments that decided a match: changes of the lead, the largest gain, forfeits. */

import { html, svg } from "../boards/elements.js";
import { say } from "../boards/texts.js";

const MOST = 5;

/** The seat that leads alone; null if none does. */
function leader(scores) {
  const most = Math.max(...scores);
  return scores.filter((score) => score === most).length === 1 ? scores.indexOf(most) : null;
}

/**
 * The moments of a match, in their order: {kind, frame, turn, seat, points}. A change of the lead is
 * one from a seat to another; of many the last ones count.
 */
export function momentsOf(timeline) {
  const frames = timeline.frames.filter(({ scores, turn_over: over }) => scores !== null && over);
  const leads = [];
  let gain = null;
  let ahead = null;
  frames.forEach((frame, place) => {
    const before = frames[place - 1]?.scores ?? frame.scores.map(() => 0);
    const now = leader(frame.scores);
    if (now !== null && ahead !== null && now !== ahead) leads.push(momentOf("lead", frame, now));
    ahead = now ?? ahead;
    const points = frame.scores.map((score, seat) => score - before[seat]);
    const best = Math.max(...points);
    if (best > 0 && best > (gain?.points ?? 0)) gain = { ...momentOf("gain", frame, points.indexOf(best)), points: best };
  });
  const lost = timeline.forfeits.map(({ frame, turn, seat }) => ({ kind: "forfeit", frame, turn, seat }));
  const found = [...leads.slice(-3), gain, ...lost].filter((one) => one !== null);
  return found.slice(-MOST).sort((one, other) => one.frame - other.frame);
}

function momentOf(kind, { index, turn }, seat) {
  return { kind, frame: index, turn, seat };
}

/** The moment in words. */
export function momentWords(texts, timeline, { kind, turn, seat, points }) {
  return say(texts, `viewer.moment.${kind}`, { turn, name: timeline.match.seats[seat].name, points });
}

/** A list of buttons that go to the moments of a match that is over. */
export function createMoments(texts, go) {
  const list = html("ul", {});
  const element = html("section", { class: "moments", hidden: true }, html("h2", {}, say(texts, "viewer.moments")), list);
  let listed = null;

  function show(timeline) {
    const now = `${timeline.frames.length} ${timeline.match.in_play}`;
    if (listed === now) return;
    listed = now;
    const found = timeline.match.in_play ? [] : momentsOf(timeline);
    element.hidden = found.length === 0;
    list.replaceChildren(
      ...found.map((moment) => {
        const button = html("button", { type: "button" }, momentWords(texts, timeline, moment));
        button.addEventListener("click", () => go(moment.frame));
        return html("li", {}, button);
      }),
    );
  }

  return { element, show };
}

/** A mark above the bars of a chart. */
export function momentMark(x, words) {
  return svg("g", { class: "chart-moment" }, svg("title", {}, words), svg("path", { d: `M${x - 5},0h10l-5,8z` }));
}
