/** Packeis am Pol: floes with fish, penguins, the last move, and what each seat has caught. */

import { at, group, html, round, svg, words } from "./elements.js";
import { counted, createFrame, setSize, slide, status, tally } from "./frame.js";
import { gone, moveArrow, ring, slab } from "./hexes.js";
import { createPicker } from "./picking.js";
import { geometry } from "./rows.js";
import { seatClass, seatMark } from "./seats.js";
import { say } from "./texts.js";

const SPACING = 64;
const RADIUS = SPACING / Math.sqrt(3);
const MARGIN = 14;
const SIZE = { half: SPACING / 2, radius: RADIUS, margin: MARGIN, above: 0, below: 4 };
const USUAL_ROWS = [...Array(8).keys()].map((row) => (row % 2 === 0 ? [7, 1] : [8, 0]));

/** Where the fish lie on a free floe, by their number. */
const SHOALS = {
  1: [[0, -2]],
  2: [
    [-4, -11],
    [4, 8],
  ],
  3: [
    [0, -17],
    [-6, -1],
    [6, 15],
  ],
};

function fish(x, y, size) {
  const drawing = at(
    x,
    y,
    "fish",
    svg("path", { class: "fish-body", d: "M-12,0C-7,-8 4,-8 9,0C4,8 -7,8 -12,0Z" }),
    svg("path", { class: "fish-body", d: "M7,0L15,-6.5Q12.5,0 15,6.5Z" }),
    svg("circle", { class: "fish-eye", cx: -7, cy: -1.5, r: 1.4 }),
  );
  drawing.setAttribute("transform", `translate(${round(x)} ${round(y)}) scale(${size})`);
  return drawing;
}

function shoal(count, x, y, taken) {
  const places = taken
    ? [...Array(count).keys()].map((index) => [21.5, 3 + (index - (count - 1) / 2) * 11])
    : SHOALS[count];
  return places.map(([dx, dy]) => fish(x + dx, y + dy, taken ? 0.5 : 0.95));
}

function penguin(seat, x, y) {
  const mark = seatMark(seat, 7.6);
  mark.setAttribute("transform", "translate(0 4.5)");
  return at(
    x - 3,
    y - 3,
    `penguin ${seatClass(seat)}`,
    svg("ellipse", { class: "penguin-foot", cx: -6, cy: 17, rx: 6, ry: 3 }),
    svg("ellipse", { class: "penguin-foot", cx: 6, cy: 17, rx: 6, ry: 3 }),
    svg("path", {
      class: "penguin-body",
      d:
        "M0,-22C8,-22 9,-15 10,-9C12,-6 17,2 17,8Q13,7 12.5,4C13,12 9,18 0,18" +
        "C-9,18 -13,12 -12.5,4Q-13,7 -17,8C-17,2 -12,-6 -10,-9C-9,-15 -8,-22 0,-22Z",
    }),
    svg("path", {
      class: "penguin-belly",
      d: "M0,-8C8,-8 9.5,0 9.5,5C9.5,12 6,16 0,16C-6,16 -9.5,12 -9.5,5C-9.5,0 -8,-8 0,-8Z",
    }),
    svg("path", {
      class: "penguin-beak",
      d: "M-4,-13.5Q0,-16 4,-13.5Q2,-9.5 0,-9Q-2,-9.5 -4,-13.5Z",
    }),
    svg("circle", { class: "penguin-eye", cx: -4, cy: -16.5, r: 1.5 }),
    svg("circle", { class: "penguin-eye", cx: 4, cy: -16.5, r: 1.5 }),
    mark,
  );
}

/** The seat that took each floe: that of the penguin on it when it left the board. */
function owners(history) {
  const found = new Map();
  history.slice(1).forEach(({ state, step, seat: mover }, place) => {
    const before = history[place].state;
    const stood = standing(before);
    if (step?.[0] === "move") stood.set(step[2], mover); // it may be out at once
    for (const [cell, seat] of stood) {
      if (before.fish[cell] > 0 && state.fish[cell] === 0) found.set(cell, seat);
    }
  });
  return found;
}

function standing(state) {
  return new Map(state.penguins.flatMap((cells, seat) => cells.map((cell) => [cell, seat])));
}

/** @see the contract of a board in the README of this folder. */
export function createBoard(container, { texts, seats, extras, side: elsewhere = null }) {
  const t = (key, values) => say(texts, `board.packeis.${key}`, values);
  const { root, drawing, side, choice } = createFrame(container, "packeis", t("label"), elsewhere);
  let centres = []; // of the floes of the position that is shown
  const picker = createPicker({
    root,
    panel: choice,
    texts,
    stages: ([, ...cells]) => cells.map((cell) => `cell:${cell}`),
    label: (key) => t("floe", { cell: key.split(":")[1] }),
    describe,
  });

  function describe([verb, first, second]) {
    return t(verb, { from: first, cell: first, to: second });
  }

  function show(state, { step = null, seat = null, before = null, animate = false, history = [] } = {}) {
    picker.offer(null, null);
    const board = geometry(state.rows ?? USUAL_ROWS, SIZE);
    centres = board.centres;
    setSize(drawing, board.width, board.height);
    const taken = standing(state);
    const left = owners(history);
    const marks = step === null ? [] : marksOf(step, seat);
    const pieces = [...taken].map(([cell, owner]) => {
      const piece = group("piece", penguin(owner, ...centres[cell]));
      if (animate && step?.[0] === "move" && step[2] === cell) {
        slide(piece, centres[step[1]], centres[cell]);
      }
      return piece;
    });
    drawing.replaceChildren(
      svg("rect", { class: "sea", width: round(board.width), height: round(board.height), rx: 14 }),
      ...centres.map((_, cell) => floe(state, before, taken, left, cell)),
      group("marks", marks),
      group("pieces", pieces),
    );
    side.replaceChildren(holdings(state));
  }

  function floe(state, before, taken, left, cell) {
    const [x, y] = centres[cell];
    const count = state.fish[cell];
    const number = words(x, y + 31, count ? "cell-number" : "cell-number on-sea", cell);
    if (count === 0) {
      const now = before !== null && before.fish[cell] > 0 ? " now" : "";
      const owner = left.get(cell);
      const owned = owner === undefined ? "" : ` owned ${seatClass(owner)}`;
      return group("cell", gone(x, y, RADIUS, `gone${now}${owned}`), number);
    }
    const owner = taken.get(cell);
    const drawn = group(
      "cell",
      slab(x, y, RADIUS),
      shoal(count, x, y, owner !== undefined),
      number,
    );
    drawn.dataset.target = `cell:${cell}`;
    drawn.prepend(svg("title", {}, floeWords(cell, count, owner)));
    return drawn;
  }

  function floeWords(cell, count, owner) {
    const name = owner === undefined ? null : seats[owner].name;
    return t(owner === undefined ? "free_floe" : "taken_floe", { cell, count, name });
  }

  function marksOf([verb, first, second], seat) {
    const goal = centres[verb === "move" ? second : first];
    const marks = [ring(goal[0], goal[1], RADIUS * 0.8, `here ${seatClass(seat ?? 0)}`)];
    if (verb === "move") {
      marks.push(moveArrow(centres[first], goal, "move", RADIUS * 0.8));
      marks.push(ring(...centres[first], 6, "left"));
    }
    return marks;
  }

  function holdings(state) {
    const entries = seats.map((player) => ({
      player,
      status: status(state, player.seat, texts),
      parts: [
        counted(icon(fish(14, 10, 0.85)), state.fish_caught[player.seat], t("fish")),
        counted(icon(...slab(14, 8.5, 9)), state.floes_caught[player.seat], t("floes")),
        html(
          "span",
          { class: "muted" },
          t("standing", { count: state.penguins[player.seat].length }),
        ),
      ],
    }));
    return tally(entries, state.to_move, texts, extras);
  }

  return { show, choose: picker.offer, describe };
}

function icon(...parts) {
  return svg("svg", { class: "tally-icon", viewBox: "0 0 28 20", "aria-hidden": "true" }, parts);
}
