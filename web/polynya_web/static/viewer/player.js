/** Which frame is shown, and how it goes on by itself: paused, played, or following the match. */

const STEP_MS = 900;
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

  function changed(animate = false) {
    onChange(index, { playing: timer !== null, following, animate });
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
  }

  function tick() {
    const before = index;
    index = Math.min(index + 1, shown.last);
    if (index >= shown.last) stop();
    else timer = setTimeout(tick, STEP_MS / speed);
    changed(index === before + 1);
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
      if (timer !== null) stop();
      else {
        following = false;
        if (index >= shown.last) index = 0;
        timer = setTimeout(tick, STEP_MS / speed);
      }
      changed();
    },
    setSpeed: (to) => { speed = to; },
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
      const latest = following ? shown.last : Math.min(index, shown.last);
      const animate = latest === index + 1;
      index = latest;
      changed(animate);
    },
    get index() { return index; },
  };
}
