/** What stands with each seat besides what it holds: clock, score, rank, and the bot's remarks. */

import { html } from "../boards/elements.js";
import { hasOwnBoard } from "../boards/games.js";
import { say } from "../boards/texts.js";
import { entriesOf } from "./remarks.js";
import { clockFace, duration } from "./words.js";

/** The cards of all seats; `elements` go to the board, one per seat. */
export function createCards(texts, match) {
  const t = (key, values) => say(texts, `viewer.${key}`, values);
  const cards = match.seats.map(() => ({
    clock: html("span", { class: "clock", role: "timer" }),
    bar: html("span", { class: "clock-bar", hidden: true }, html("span", { class: "clock-left" })),
    charged: html("span", { class: "clock-charged muted small" }),
    result: html("span", { class: "seat-result" }),
    info: html("div", { class: "bot-info small" }),
  }));
  const elements = cards.map(({ clock, bar, charged, result, info }) =>
    html(
      "div",
      { class: "seat-card" },
      html("div", { class: "seat-clock" }, clock, result, charged),
      bar,
      info,
    ),
  );
  let running = null; // {seats, budgets, limit, since}: the clocks that run now
  let drawing = 0; // the next drawing of it

  function show(timeline, index, live) {
    const remaining = timeline.remainingAt(index);
    const turn = timeline.turnAt(index) ?? timeline.lastTurnBefore(index);
    cards.forEach((card, seat) => {
      card.clock.textContent = resting(remaining[seat]);
      card.clock.className = remaining[seat] === null ? "clock resting" : "clock";
      card.bar.hidden = true;
      card.charged.textContent =
        turn?.seat === seat ? t("took", { time: duration(turn.charged_ms) }) : "";
      showInfo(card.info, timeline, timeline.remarkAt(index, seat)?.info ?? null);
      showResult(card.result, timeline, index, seat);
    });
    running = live;
    draw();
  }

  function resting(budget) {
    if (budget !== null) return clockFace(budget);
    return match.clock.move_ms ? t("per_turn", { time: duration(match.clock.move_ms) }) : "";
  }

  function showResult(element, timeline, index, seat) {
    const player = timeline.match.seats[seat];
    const over = index === timeline.last && !timeline.match.in_play;
    const scores = timeline.frames[index].scores;
    const score =
      scores !== null && !hasOwnBoard(match.game) ? t("score", { score: scores[seat] }) : "";
    const rank = over && player.rank !== null ? t("rank", { rank: player.rank }) : "";
    element.textContent = [rank, score].filter(Boolean).join(" · ");
  }

  /** The remarks in short, in one line; the page has them in full below. */
  function showInfo(element, timeline, info) {
    element.hidden = !timeline.hasRemarks;
    element.replaceChildren(
      ...entriesOf(texts, info).map(([name, value]) =>
        html(
          "span",
          { class: "info-entry" },
          html("span", { class: "muted" }, name),
          " ",
          html("bdi", {}, value),
          " ",
        ),
      ),
    );
  }

  /** Draws the running clock; the next frame of the screen draws it again. */
  function draw() {
    if (running === null) return;
    const used = performance.now() - running.since;
    for (const seat of running.seats) drawClock(cards[seat], running.budgets[seat], used);
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(draw);
  }

  function drawClock(card, budget, used) {
    const limit = budget === null ? running.limit : Math.min(budget, running.limit ?? budget);
    card.clock.textContent = clockFace((budget ?? limit) - used);
    const short = limit - used < limit * 0.2;
    card.clock.className = short ? "clock running short" : "clock running";
    card.bar.hidden = running.limit === null;
    card.bar.firstChild.style.width = `${Math.max(0, Math.min(100, 100 * (1 - used / limit)))}%`;
  }

  return { elements, show };
}

/**
 * The clocks that run, as `show` of the cards wants them, null if none does. In a joint turn those of
 * all acting seats run together.
 *
 * @param {Object|null} clocks as the API gives them, just received.
 */
export function runningClocks(clocks) {
  if (!clocks || clocks.to_move === null || clocks.running_ms === null) return null;
  const { remaining_ms: budgets, limit_ms: limit } = clocks;
  const seats = clocks.acting.filter((seat) => budgets[seat] !== null || limit !== null);
  if (seats.length === 0) return null; // untimed seats
  return { seats, budgets, limit, since: performance.now() - clocks.running_ms };
}

/** How much of its budget, or of its turn, a seat has left now; null if its clock does not run. */
export function leftOf(running, seat) {
  if (running === null || !running.seats.includes(seat)) return null;
  return (running.budgets[seat] ?? running.limit) - (performance.now() - running.since);
}

/** The clock that must have been started by now, where the server has not said so yet. */
export function startingClocks(timeline, seat) {
  if (seat === null) return null;
  const limit = timeline.limitOf(seat, timeline.last);
  if (limit === null) return null;
  return { seats: [seat], budgets: timeline.remainingAt(timeline.last), limit, since: performance.now() };
}
