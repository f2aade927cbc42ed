/** A match on the page: board, controls, turns, times; whether it is over or in play. */

import { base } from "../base.js";
import { html } from "../boards/elements.js";
import { boardOf } from "../boards/games.js";
import { say } from "../boards/texts.js";
import { projectorButton } from "../projector.js";
import { createCards, runningClocks, startingClocks } from "./cards.js";
import { createChart } from "./chart.js";
import { createControls, listenToKeys } from "./controls.js";
import { createEvaluation } from "./evaluation.js";
import { createHeadline } from "./headline.js";
import { createForfeits, createTurnTimes } from "./panels.js";
import { createMoments } from "./moments.js";
import { createPlayer } from "./player.js";
import { createRemarks } from "./remarks.js";
import { createStatistics } from "./statistics.js";
import { Timeline } from "./timeline.js";
import { createStepStrip, createTurnList } from "./turns.js";

/**
 * @param {Element} container where it goes; what is in it is replaced.
 * @param {{texts: Object, replay: Object, download: string|null,
 *   address: string|null, createBoard: (function|undefined)}} what
 *   download is the address of the file, which is there when the match is over;
 *   replay as the API gives it; address is that of the page, to which the turn is added; null if
 *   nobody else finds the match there; createBoard makes the board, where the page has it; onFrame is called
 *   with each frame that is shown. A `.viewer-head` in the container stays.
 * @returns {Promise<Object>} how more is added while the match is in play.
 */
export async function createViewer(
  container,
  { texts, replay, download, address, createBoard = null, onFrame = () => {} },
) {
  let timeline = new Timeline(replay);
  let clocks = runningClocks(replay.clocks);
  let changedAddress = null;
  // What was shown when the page opened or the address was last changed: an address that names no
  // turn, or one that is not played yet, stays as it is until the reader goes to another.
  let inAddress = null;
  const closing = new AbortController();

  const makeBoard = createBoard ?? (await boardOf(timeline.match.game)).createBoard;
  const place = html("div", { class: "viewer-board" });
  const holdings = html("div", { class: "viewer-holdings" });
  const cards = createCards(texts, timeline.match);
  const board = makeBoard(place, {
    texts,
    seats: timeline.match.seats,
    extras: cards.elements,
    side: holdings,
    renderer: rendererOf(replay),
  });

  const player = createPlayer(timeline, show);
  const go = (index) => player.go(index);
  const head = container.querySelector(".viewer-head") ?? headOf(timeline.match);
  const headline = createHeadline(texts, head);
  const strip = createStepStrip(texts, go);
  const list = createTurnList(texts, go);
  const chart = createChart(texts, go);
  const evaluation = createEvaluation(texts, go);
  const forfeits = createForfeits(texts, go);
  const moments = createMoments(texts, (index) => {
    go(index);
    place.scrollIntoView({ block: "nearest" }); // on a telephone the list is below the board
  });
  const remarks = createRemarks(texts);
  const statistics = createStatistics(texts);
  const times = createTurnTimes(texts);
  const controls = createControls(texts, player, {
    link: address === null ? null : link,
    jump,
    download,
  });
  const side = html(
    "div",
    { class: "viewer-side" },
    html(
      "div",
      { class: "viewer-panels" },
      holdings,
      strip.element,
      html("h2", {}, say(texts, "viewer.turns")),
      list.element,
      evaluation.element,
      html("section", {}, html("h2", {}, say(texts, "viewer.chart")), chart.element),
    ),
  );
  const below = html(
    "div",
    { class: "viewer-below" },
    moments.element,
    controls.tools,
    forfeits.element,
    html("div", { class: "columns" }, statistics.element, remarks.element),
    times.element,
  );

  controls.tools.prepend(projectorButton(texts));
  container.className = `viewer viewer-of-${timeline.match.game.replace(/[^a-z]/g, "")}`;
  container.dataset.players = timeline.match.seats.length;
  container.replaceChildren(head, place, controls.bar, side, below);
  listenToKeys(player, closing.signal);
  const resized = new ResizeObserver(() => {
    chart.show(timeline, player.index);
    evaluation.show(timeline, player.index);
    list.show(timeline, board, player.index);
  });
  for (const { element } of [chart, list]) resized.observe(element);
  addEventListener("hashchange", openAnchor, { signal: closing.signal });

  function show(index, going) {
    const frame = timeline.frames[index];
    const turn = timeline.turnAt(index);
    const live = timeline.match.in_play && index === timeline.last ? clocks : null;
    headline.show(timeline, index);
    onFrame(frame);
    cards.show(timeline, index, live);
    board.show(frame.state, {
      step: frame.step,
      seat: frame.seat,
      turnSteps: turn?.steps ?? [],
      stepIndex: frame.step_index ?? 0,
      rows: frame.rows,
      board: frame.board,
      before: index === 0 ? null : timeline.frames[index - 1].state,
      earlier: timeline.earlierSteps(index),
      history: timeline.frames.slice(0, index + 1),
      animate: going.animate,
    });
    strip.show(timeline, board, index, going);
    controls.show(timeline, index, going);
    list.show(timeline, board, index);
    chart.show(timeline, index);
    evaluation.show(timeline, index);
    forfeits.show(timeline);
    moments.show(timeline);
    remarks.show(timeline, index);
    statistics.show(timeline);
    times.show(timeline, index);
    const still = !going.playing && !going.following;
    if (going.following) forgetAddress();
    else if (address !== null && inAddress !== null && index !== inAddress && still) keepInAddress();
  }

  /** The address names what is shown, so that it can be copied and reloaded; browsers allow few. */
  function keepInAddress() {
    inAddress = player.index;
    clearTimeout(changedAddress);
    changedAddress = setTimeout(() => {
      history.replaceState(history.state, "", `#${timeline.anchorOf(player.index)}`);
    }, 250);
  }

  /** Live again: the address names no turn any more. */
  function forgetAddress() {
    if (address === null || inAddress === null) return;
    inAddress = player.index;
    clearTimeout(changedAddress);
    if (timeline.frameOf(location.hash) !== null)
      history.replaceState(history.state, "", location.pathname + location.search);
  }

  function link() {
    return `${new URL(address, location.href)}#${timeline.anchorOf(player.index)}`;
  }

  function jump(turn) {
    player.go(timeline.frameOf(`turn=${Math.trunc(turn)}`) ?? timeline.last);
  }

  function openAnchor() {
    const index = timeline.frameOf(location.hash);
    if (index === null) return false;
    player.go(index);
    return true;
  }

  if (address === null || !openAnchor()) player.end();
  inAddress = player.index;

  return {
    /** All anew: the viewer fell behind, or the connection was lost. */
    restart(again) {
      timeline = new Timeline(again);
      clocks = runningClocks(again.clocks);
      player.grown(timeline);
    },
    addTurn({ turn, frames, to_move: next, clocks: now }) {
      timeline.addTurn(turn, frames);
      clocks = runningClocks(now) ?? startingClocks(timeline, next);
      player.grown();
    },
    addForfeit({ forfeit, frame, to_move: next, clocks: now }) {
      timeline.addForfeit(forfeit, frame);
      clocks = runningClocks(now) ?? startingClocks(timeline, next);
      player.grown();
    },
    finish({ match }) {
      timeline.match = { ...match, in_play: false };
      clocks = null;
      player.grown();
    },
    /** Plays it from its beginning. */
    play() {
      player.first();
      player.toggle();
    },
    get isAtEnd() {
      return player.index === timeline.last;
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

/** The address of the game's own renderer, null without one. */
function rendererOf({ renderer, match: { game } }) {
  return renderer ? `${base}/renderers/${encodeURIComponent(game)}/${renderer}` : null;
}

/** Names the match where the page does not: it was opened from a file. */
function headOf({ game, match }) {
  const title = html("h2", {}, game, " ", html("span", { class: "muted" }, match));
  return html("div", { class: "viewer-head" }, title);
}
