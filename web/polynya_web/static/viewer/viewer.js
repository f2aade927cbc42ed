/** A match on the page: board, controls, turns, times; whether it is over or in play. */

import { html } from "../boards/elements.js";
import { boardOf } from "../boards/games.js";
import { say } from "../boards/texts.js";
import { createCards, runningClock, startingClock } from "./cards.js";
import { createChart } from "./chart.js";
import { createControls, listenToKeys } from "./controls.js";
import { createHeadline } from "./headline.js";
import { createForfeits, createTurnTimes } from "./panels.js";
import { createPlayer } from "./player.js";
import { Timeline } from "./timeline.js";
import { createStepStrip, createTurnList } from "./turns.js";

/**
 * @param {Element} container where it goes; what is in it is replaced.
 * @param {{texts: Object, replay: Object, download: string|null,
 *   address: string|null}} what
 *   download is the address of the file, which is there when the match is over;
 *   replay as the API gives it; address is that of the page, to which the turn is added; null if
 *   nobody else finds the match there.
 * @returns {Promise<Object>} how more is added while the match is in play.
 */
export async function createViewer(container, { texts, replay, download, address }) {
  let timeline = new Timeline(replay);
  let clocks = runningClock(replay.clocks);
  let changedAddress = null;
  const closing = new AbortController();

  const { createBoard } = await boardOf(timeline.match.game);
  const place = html("div", { class: "viewer-board" });
  const cards = createCards(texts, timeline.match);
  const board = createBoard(place, { texts, seats: timeline.match.seats, extras: cards.elements });

  const player = createPlayer(timeline, show);
  const go = (index) => player.go(index);
  const headline = createHeadline(texts);
  const strip = createStepStrip(texts, go);
  const list = createTurnList(texts, go);
  const chart = createChart(texts, go);
  const forfeits = createForfeits(texts, go);
  const times = createTurnTimes(texts);
  const controls = createControls(texts, player, {
    link: address === null ? null : link,
    jump,
    download,
  });

  container.replaceChildren(
    headline.element,
    place,
    strip.element,
    controls.bar,
    controls.tools,
    forfeits.element,
    html(
      "div",
      { class: "columns viewer-panels" },
      html("section", {}, html("h2", {}, say(texts, "viewer.turns")), list.element),
      html("section", {}, html("h2", {}, say(texts, "viewer.chart")), chart.element, times.element),
    ),
  );
  listenToKeys(player, closing.signal);
  const resized = new ResizeObserver(() => chart.show(timeline, player.index));
  resized.observe(chart.element);
  addEventListener("hashchange", openAnchor, { signal: closing.signal });

  function show(index, going) {
    const frame = timeline.frames[index];
    const turn = timeline.turnAt(index);
    const live = timeline.match.in_play && index === timeline.last ? clocks : null;
    headline.show(timeline);
    cards.show(timeline, index, live);
    board.show(frame.state, {
      step: frame.step,
      seat: frame.seat,
      turnSteps: turn?.steps ?? [],
      stepIndex: frame.step_index ?? 0,
      before: index === 0 ? null : timeline.frames[index - 1].state,
      animate: going.animate,
    });
    strip.show(timeline, board, index, going);
    controls.show(timeline, index, going, timeline.match.in_play);
    list.show(timeline, board, index);
    chart.show(timeline, index);
    forfeits.show(timeline);
    times.show(timeline, index);
    if (address !== null && !going.playing && !going.following) keepInAddress();
  }

  /** The address names what is shown, so that it can be copied and reloaded; browsers allow few. */
  function keepInAddress() {
    clearTimeout(changedAddress);
    changedAddress = setTimeout(() => {
      history.replaceState(history.state, "", `#${timeline.anchorOf(player.index)}`);
    }, 250);
  }

  function link() {
    return `${new URL(address, location.href)}#${timeline.anchorOf(player.index)}`;
  }

  function jump(turn) {
    player.go(timeline.frameOf(`turn=${turn}`) ?? timeline.last);
  }

  function openAnchor() {
    const index = timeline.frameOf(location.hash);
    if (index === null) return false;
    player.go(index);
    return true;
  }

  if (address === null || !openAnchor()) {
    if (timeline.match.in_play) player.follow();
    else player.first();
  }

  return {
    /** All anew: the viewer fell behind, or the connection was lost. */
    restart(again) {
      timeline = new Timeline(again);
      clocks = runningClock(again.clocks);
      player.grown(timeline);
    },
    addTurn({ turn, frames, to_move: next, clocks: now }) {
      timeline.addTurn(turn, frames);
      clocks = runningClock(now) ?? startingClock(timeline, next);
      player.grown();
    },
    addForfeit({ forfeit, frame, to_move: next, clocks: now }) {
      timeline.addForfeit(forfeit, frame);
      clocks = runningClock(now) ?? startingClock(timeline, next);
      player.grown();
    },
    finish({ match }) {
      timeline.match = match;
      clocks = null;
      player.grown();
    },
    /** Lets go of the page, before another match is shown. */
    close() {
      closing.abort();
      resized.disconnect();
      player.stop();
      clearTimeout(changedAddress);
    },
  };
}
