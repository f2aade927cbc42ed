/** A turn in the making: step by step, each may be taken back until the turn is sent. */

import { html } from "../boards/elements.js";

/**
 * @param {{board: Object, seat: Object, showing: Object, onProblem: function(string),
 *   onSent: function()}} parts seat of seat.js, showing of showing.js.
 */
export function createTurn({ board, seat, showing, onProblem, onSent }) {
  const [panel, list, send, undo, restart] = ["turn", "steps", "send", "undo", "restart"].map((id) =>
    document.getElementById(id),
  );
  const confirm = document.getElementById("confirm");
  const container = document.getElementById("board");
  let asked = null; // {turn, legal}
  let steps = [];
  let words = [];
  let states = [];
  let sent = 0; // the last turn that was played
  let queue = Promise.resolve(); // one request after the other

  send.addEventListener("click", () => attempt(play));
  undo.addEventListener("click", () => attempt(() => goTo(steps.slice(0, -1))));
  restart.addEventListener("click", () => attempt(() => goTo([])));

  function attempt(act) {
    queue = queue.then(async () => {
      if (asked === null) return;
      onProblem("");
      await act().catch((problem) => {
        onProblem(problem.message);
        begin();
      });
    });
  }

  let byKeyboard = false;
  document.addEventListener("keydown", () => (byKeyboard = true), true);
  document.addEventListener("pointerdown", () => (byKeyboard = false), true);

  /** Offers steps; who uses the keyboard need not look for the place where it goes on. */
  function offer(legal) {
    board.choose(legal, onStep);
    const first = container.querySelector(".pickable, .board-choice button");
    if (byKeyboard && !isElsewhere(document.activeElement)) first?.focus();
  }

  /** Whether the focus is somewhere that it should not be taken from. */
  function isElsewhere(element) {
    return element !== null && element !== document.body && !container.contains(element) && !panel.contains(element);
  }

  function begin() {
    if (asked === null) return;
    [steps, words, states] = [[], [], [showing.last.state]];
    showing.again();
    draw(false);
    offer(asked.legal);
  }

  function onStep(step) {
    attempt(() => goTo([...steps, step]));
  }

  async function goTo(wanted) {
    if (wanted.length === 0) return begin();
    const mine = asked;
    const { legal, turn_over: isOver, position } = await seat.compose(mine.turn, wanted);
    if (asked !== mine || position === null) return;
    remember(wanted, position.state);
    show(position);
    if (isOver && wanted.length === 1 && !confirm.checked) return play();
    draw(isOver);
    if (isOver) send.focus();
    else offer(legal);
  }

  function remember(wanted, state) {
    const before = states[wanted.length - 1];
    words = [...words.slice(0, wanted.length - 1), board.describe(wanted.at(-1), before)];
    states = [...states.slice(0, wanted.length), state];
    steps = wanted;
  }

  function show(position) {
    board.show(position.state, {
      step: steps.at(-1),
      seat: position.seat,
      turnSteps: steps,
      stepIndex: steps.length - 1,
      rows: position.rows,
      board: position.board,
      before: states[steps.length - 1],
      animate: true,
    });
  }

  function draw(isOver) {
    panel.hidden = steps.length === 0;
    send.disabled = !isOver;
    list.replaceChildren(...words.map((text) => html("li", {}, text)));
  }

  async function play() {
    const mine = asked;
    sent = mine.turn;
    end();
    onSent();
    await seat.move(mine.turn, steps).catch((problem) => {
      sent = 0;
      asked ??= mine;
      throw problem;
    });
  }

  function end() {
    asked = null;
    panel.hidden = true;
    board.choose(null, null);
  }

  return {
    /** The server asks for a turn, or, with null, for none any more. */
    ask(question) {
      if (question === null) {
        sent = 0; // what was played has been taken; who asks for it once more has not got it
        return end();
      }
      if (question.turn === sent || question.turn === asked?.turn) return;
      asked = question;
      begin();
    },
  };
}
