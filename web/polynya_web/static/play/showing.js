/** Shows positions one after the other, slowly enough to be followed. */

const STEP_MS = 450;
const TURN_MS = 750;
const MOST_SHOWN = 24; // more than these is not an update but a page that was opened again

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/**
 * @param {Object} board of the contract in static/boards.
 * @param {function(Object, Object|null)} onShown is told of each position, with the one before.
 */
export function createShowing(board, onShown) {
  let last = null;
  let beforeLast = null;
  let waiting = [];
  let work = Promise.resolve();

  function draw(position, before, animate) {
    board.show(position.state, {
      step: position.step_index === null ? null : position.steps[position.step_index],
      seat: position.seat,
      turnSteps: position.steps,
      stepIndex: position.step_index ?? 0,
      rows: position.rows,
      board: position.board,
      before,
      animate,
    });
  }

  function note(position) {
    onShown(position, last?.state ?? null);
    [beforeLast, last] = [last, position];
  }

  function show(position, animate) {
    draw(position, last?.state ?? null, animate);
    note(position);
  }

  async function showAll(mine) {
    while (waiting.length > 0) {
      const position = waiting.shift();
      const ours = position.seat === mine; // it was seen when it was chosen
      show(position, !ours);
      if (waiting.length === 0 || ours || document.hidden) continue;
      await pause(waiting[0].turn === position.turn ? STEP_MS : TURN_MS);
    }
  }

  return {
    /** Shows these too, in order; resolves when all are shown. */
    add(positions, mine) {
      waiting.push(...positions);
      if (waiting.length > MOST_SHOWN || last === null) {
        const newest = waiting.pop();
        waiting.forEach(note);
        waiting = [];
        if (newest !== undefined) show(newest, false);
      }
      work = work.then(() => showAll(mine));
      return work;
    },
    /** Shows the newest position again, with the last step marked. */
    again() {
      if (last !== null) draw(last, beforeLast?.state ?? null, false);
    },
    get last() {
      return last;
    },
  };
}
