/** The list of turns with their times, and the steps of the turn that is shown. */

import { html } from "../boards/elements.js";
import { namedSeat } from "../boards/seats.js";
import { say } from "../boards/texts.js";
import { duration, seenWords, word } from "./words.js";

/** A step in words: it is described in the position in which it was made. */
export function stepWords(board, timeline, index) {
  const { step } = timeline.frames[index];
  return board.describe(step, timeline.frames[index - 1].state);
}

function frameWords(texts, board, timeline, index) {
  const frame = timeline.frames[index];
  if (frame.forfeit)
    return word(texts, "viewer.forfeits", frame.forfeit);
  if (frame.step !== null) return stepWords(board, timeline, index);
  return say(texts, frame.seat === null ? "viewer.beginning" : "viewer.concealed");
}

/** How far an arrow goes in the list, or to which end. */
const MOVES = {
  ArrowUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  Home: () => 0,
  End: (_at, last) => last,
};

/** The list; `go` is called with the index of a frame. The keyboard stops at one turn, arrows go on. */
export function createTurnList(texts, go) {
  const list = html("ol", { class: "turn-list", "aria-label": say(texts, "viewer.turns") });
  let listed = null; // the timeline that is in the list
  let frames = 0; // and how many of its frames are
  const entries = new Map(); // the last frame of a turn: its element

  function add(timeline, board, last) {
    const frame = timeline.frames[last];
    const turn = timeline.turnAt(last);
    const first = turn?.first_frame ?? last;
    const steps = last - first;
    const words = frameWords(texts, board, timeline, first) + (steps > 0 ? ` +${steps}` : "");
    const entry = html(
      "button",
      { type: "button", class: `turn-entry${frame.forfeit ? " forfeit" : ""}` },
      html("span", { class: "turn-number" }, String(frame.turn)),
      namedSeat(timeline.match.seats[frame.seat]),
      html("span", { class: "turn-words" }, words),
      html("span", { class: "turn-time" }, turn === null ? "" : duration(turn.charged_ms)),
    );
    entry.addEventListener("click", () => go(last));
    entry.tabIndex = entries.size === 0 ? 0 : -1;
    entries.set(last, entry);
    list.append(html("li", {}, entry));
  }

  function show(timeline, board, index) {
    if (listed !== timeline) {
      list.replaceChildren();
      entries.clear();
      [listed, frames] = [timeline, 1];
    }
    for (; frames <= timeline.last; frames += 1) {
      if (timeline.frames[frames].turn_over || timeline.frames[frames].forfeit)
        add(timeline, board, frames);
    }
    mark(timeline.turnAt(index)?.last_frame ?? index);
  }

  /** The one entry at which the keyboard stops. */
  function stopAt(entry) {
    for (const one of list.querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
    entry.tabIndex = 0;
  }

  list.addEventListener("keydown", (event) => {
    const all = [...entries.values()];
    const at = all.indexOf(event.target.closest(".turn-entry"));
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
    if (at < 0 || !isPlain || !Object.hasOwn(MOVES, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const entry = all[MOVES[event.key](at, all.length - 1)];
    if (entry === undefined) return;
    entry.click();
    entry.focus({ preventScroll: true });
  });

  function mark(last) {
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const entry = entries.get(last);
    if (entry === undefined) return list.scrollTo({ top: 0 });
    stopAt(entry);
    entry.setAttribute("aria-current", "true");
    const middle = entry.offsetTop - list.clientHeight / 2 + entry.offsetHeight / 2;
    return list.scrollTo({ top: middle });
  }

  return { element: list, show };
}

/** The turn that is shown, step by step, and in words for those who listen to the page. */
export function createStepStrip(texts, go) {
  const said = html("p", { class: "viewer-said", role: "status" });
  const strip = html("ol", { class: "step-strip", "aria-label": say(texts, "viewer.steps") });
  const told = html("p", { class: "visually-hidden", role: "status" }); // a sentence for each turn
  const seen = html("p", { class: "viewer-seen small", hidden: true });
  const element = html("div", { class: "viewer-steps" }, said, seen, strip, told);

  /** While the match goes on by itself, a turn is told when it is over, with all of its steps. */
  function tell(timeline, board, index) {
    const frame = timeline.frames[index];
    if (!frame.turn_over && frame.forfeit === null) return;
    const first = timeline.turnAt(index)?.first_frame ?? index;
    const frames = Array.from({ length: index - first + 1 }, (_, number) => first + number);
    const words = frames.map((one) => frameWords(texts, board, timeline, one)).join(", ");
    const values = { turn: frame.turn, name: timeline.match.seats[frame.seat]?.name ?? "", words };
    told.textContent = frame.seat === null ? words : say(texts, "viewer.told", values);
  }

  function show(timeline, board, index, { playing, following }) {
    const goesOn = playing || following;
    if (goesOn) tell(timeline, board, index);
    const frame = timeline.frames[index];
    element.classList.toggle("long", timeline.hasSteps);
    said.setAttribute("aria-live", goesOn ? "off" : "polite");
    const words = frameWords(texts, board, timeline, index);
    if (frame.seat === null) said.replaceChildren(words);
    else {
      const turn = html("b", {}, say(texts, "viewer.turn", { turn: frame.turn }));
      said.replaceChildren(turn, " ", namedSeat(timeline.match.seats[frame.seat]), " ", words);
    }
    seen.textContent = seenWords(texts, frame.seen);
    seen.hidden = seen.textContent === "";
    const turn = timeline.turnAt(index);
    strip.hidden = turn === null || turn.first_frame === turn.last_frame;
    strip.replaceChildren(...(strip.hidden ? [] : steps(timeline, board, index, turn)));
  }

  function steps(timeline, board, index, turn) {
    return turn.steps.slice(0, turn.last_frame - turn.first_frame + 1).map((_, number) => {
      const frame = turn.first_frame + number;
      const button = html(
        "button",
        { type: "button", class: "step-entry" },
        stepWords(board, timeline, frame),
      );
      if (frame === index) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(frame));
      return html("li", {}, button);
    });
  }

  return { element, show };
}
