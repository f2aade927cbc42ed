/** Which frame is shown, and how it goes on by itself: paused, played, or following the match. */

const STEP_MS = 900;
/** In a match in play, steps come at this pace or faster until the newest is shown. */
const CATCHING_UP_MS = 220;
/** While following, a leap over more steps than these is not shown step by step. */
const MOST_BEHIND = 10;
/** Catching up skips steps, if there are more of them than these. */
const MOST_STEPS = 100;
export const SPEEDS = [0.5, 1, 2, 4, 8];

/**
 * @param {import("./timeline.js").Timeline} timeline
 * @param {function(number, {playing: boolean, following: boolean, animate: boolean})} onChange
 *   called with the index of the frame to show, whenever it or the way of going on changes.
 */
export function createPlayer(timeline, onChange) {
  let shown = timeline;
  let index = 0;
  let speed = 1;
  let following = false;
  let timer = null;

  const inPlay = () => shown.match.in_play;

  function changed(animate = false) {
    onChange(index, { playing: timer !== null && !following, following, animate });
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
  }

  /** One step further; at the newest step of a match in play, follows it. */
  function tick() {
    timer = null;
    const behind = shown.last - index;
    const stride = inPlay() ? Math.max(1, Math.ceil(behind / MOST_STEPS)) : 1;
    index = Math.min(index + stride, shown.last);
    if (index < shown.last) timer = setTimeout(tick, pace());
    else following = inPlay();
    changed(stride === 1 && behind > 0);
  }

  function pace() {
    return inPlay() ? Math.min(CATCHING_UP_MS, STEP_MS / speed) : STEP_MS / speed;
  }

  function showNews() {
    stop();
    const behind = shown.last - index;
    const stepwise = behind > 0 && behind <= MOST_BEHIND;
    index = stepwise ? index + 1 : shown.last;
    if (index < shown.last) timer = setTimeout(showNews, CATCHING_UP_MS);
    else following = inPlay();
    changed(stepwise);
  }

  function go(to, { animate = false } = {}) {
    stop();
    following = false;
    index = Math.min(Math.max(0, to), shown.last);
    changed(animate);
  }

  function follow() {
    stop();
    following = inPlay();
    index = shown.last;
    changed();
  }

  function play() {
    if (inPlay()) return index < shown.last ? tick() : follow();
    if (index >= shown.last) index = 0;
    timer = setTimeout(tick, pace());
    return changed();
  }

  return {
    go,
    stop,
    /** Shows the newest step, and of a match in play each one that comes. */
    follow,
    step: (by) => (by > 0 && index === shown.last ? follow() : go(index + by, { animate: by === 1 })),
    turn: (forward) => go(forward ? shown.afterNextTurn(index) : shown.beforeThisTurn(index)),
    first: () => go(0),
    end: follow,
    /** Pauses at this moment, or goes on: a match in play until its newest step is shown. */
    toggle() {
      if (timer === null && !following) return play();
      stop();
      following = false;
      return changed();
    },
    setSpeed: (to) => {
      speed = to;
    },
    /** More has happened; or, with another timeline, all is to be shown anew. */
    grown(other = shown) {
      shown = other;
      if (following) showNews();
      else if (index > shown.last) go(shown.last);
      else changed();
    },
    get index() {
      return index;
    },
  };
}
