/** Which frame is shown, and how it goes on by itself: paused, played, or following the match. */

const STEP_MS = 900;
/** While following: the steps of a turn come one by one, unless more has happened meanwhile. */
const CATCHING_UP_MS = 220;
const MOST_BEHIND = 10;
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
  let catching = null;

  function changed(animate = false) {
    onChange(index, { playing: timer !== null, following, animate });
  }

  function stop() {
    clearTimeout(timer);
    clearTimeout(catching);
    timer = null;
  }

  function tick() {
    const before = index;
    index = Math.min(index + 1, shown.last);
    if (index >= shown.last) stop();
    else timer = setTimeout(tick, STEP_MS / speed);
    changed(index === before + 1);
  }

  function catchUp() {
    stop();
    const behind = shown.last - index;
    index = behind > 0 && behind <= MOST_BEHIND ? index + 1 : shown.last;
    if (index < shown.last) catching = setTimeout(catchUp, CATCHING_UP_MS);
    changed(behind > 0 && behind <= MOST_BEHIND);
  }

  function go(to, { animate = false } = {}) {
    stop();
    following = false;
    index = Math.min(Math.max(0, to), shown.last);
    changed(animate);
  }

  return {
    go,
    stop,
    step: (by) => go(index + by, { animate: by === 1 }),
    turn: (forward) => go(forward ? shown.afterNextTurn(index) : shown.beforeThisTurn(index)),
    first: () => go(0),
    end: () => go(shown.last),
    toggle() {
      const paused = timer === null;
      stop();
      if (paused) {
        following = false;
        if (index >= shown.last) index = 0;
        timer = setTimeout(tick, STEP_MS / speed);
      }
      changed();
    },
    setSpeed: (to) => {
      speed = to;
    },
    /** Shows whatever comes last from now on. */
    follow() {
      stop();
      following = true;
      index = shown.last;
      changed();
    },
    /** More has happened; or, with another timeline, all is to be shown anew. */
    grown(other = shown) {
      shown = other;
      if (following) catchUp();
      else if (index > shown.last) go(shown.last);
      else changed();
    },
    get index() {
      return index;
    },
  };
}
