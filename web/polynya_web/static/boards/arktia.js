/** Arktia: hexagonal ice with towers of muglus, what melts, what was taken, and the reserves. */

import { group, points, round, svg, words } from "./elements.js";
import { holdings, legend } from "./arktia_holdings.js";
import { createFrame, setSize, slide } from "./frame.js";
import { gone, hexagon, moveArrow, ring, slab } from "./hexes.js";
import { meltable, missing, territory } from "./arktia_marks.js";
import { tower } from "./muglus.js";
import { createPicker } from "./picking.js";
import { geometry } from "./rows.js";
import { seatClass } from "./seats.js";
import { say } from "./texts.js";

const HALF = 35;
const RADIUS = (2 * HALF) / Math.sqrt(3);
const MARGIN = 18;

const SIZE = { half: HALF, radius: RADIUS, margin: MARGIN, above: 8, below: 8 };

/** @see the contract of a board in the README of this folder. */
export function createBoard(container, { texts, seats, extras, side: elsewhere = null }) {
  const t = (key, values) => say(texts, `board.arktia.${key}`, values);
  const players = seats.length;
  const { root, drawing, side, choice } = createFrame(container, "arktia", t("label"), elsewhere);
  let position = null; // {state, board}: what is shown, which groups to keep are reckoned from
  const picker = createPicker({ root, panel: choice, texts, stages, label, describe });

  function stages(step) {
    const [verb, first, second, third] = step;
    if (verb === "place" || verb === "neutral") return [`${verb}:${first}`, `cell:${second}`];
    if (verb === "move") return [`cell:${first}`, `lift:${second}`, `cell:${third}`];
    if (verb === "keep") return [`keep:${first}:${second}`];
    return verb === "melt" ? [`cell:${first}`] : [verb];
  }

  function label(key) {
    const [what, first, second] = key.split(":");
    if (what === "place" || what === "neutral") return t(`take_${what}`, { kind: t(first) });
    if (what === "keep") return t("keep", { colour: colourName(first), cell: second });
    return t(what, { cell: first, count: first });
  }

  function colourName(colour) {
    return Number(colour) < players ? seats[colour].name : t("neutral_colour");
  }

  function describe([verb, first, second, third]) {
    if (verb === "place") return t("places", { kind: t(first), cell: second });
    if (verb === "neutral") return t("places_neutral", { kind: t(first), cell: second });
    if (verb === "move")
      return t(second === 1 ? "moves" : "moves_tower", { from: first, count: second, to: third });
    if (verb === "keep") return t("keeps", { colour: colourName(first), cell: second });
    return verb === "melt" ? t("melts", { cell: first }) : t("retires");
  }

  function show(state, context = {}) {
    const {
      step = null,
      seat = null,
      before = null,
      animate = false,
      turnSteps = [],
      stepIndex = 0,
    } = context;
    picker.offer(null, null);
    const board = geometry(state.rows, SIZE);
    position = { state, board };
    const shown = step === null ? [] : turnSteps.slice(0, stepIndex);
    const marks = shown.map((one) => marksOf(one, seat, "earlier"));
    if (step !== null) marks.push(marksOf(step, seat, ""), taken(before, state, step));
    setSize(drawing, board.width, board.height);
    drawing.replaceChildren(
      svg("rect", { class: "sea", width: round(board.width), height: round(board.height), rx: 14 }),
      ...tiles(state, before),
      group(
        "marks",
        marks.map(({ below }) => below),
      ),
      group("pieces", towers(state, step, animate)),
      group(
        "marks",
        marks.map(({ above }) => above),
      ),
      group(
        "numbers",
        state.ice.map((there, cell) => number(there, cell)),
      ),
    );
    side.replaceChildren(holdings(state, { texts, seats, extras }), legend(texts));
  }

  function tiles(state, before) {
    const thin = meltable(state, position.board.places);
    return state.ice.map((there, cell) => {
      const [x, y] = position.board.centres[cell];
      if (!there) {
        const now = before !== null && before.ice[cell] === 1;
        return group("cell", gone(x, y, RADIUS, now ? "gone now" : "gone"));
      }
      const drawn = group(`cell${thin.has(cell) ? " thin" : ""}`, slab(x, y, RADIUS));
      if (thin.has(cell)) drawn.append(drop(x, y));
      drawn.dataset.target = `cell:${cell}`;
      drawn.prepend(svg("title", {}, tileWords(state, cell, thin.has(cell))));
      return drawn;
    });
  }

  function tileWords(state, cell, thin) {
    const stack = state.stacks[cell].map(([colour, kind]) => `${t(kind)} (${colourName(colour)})`);
    const content = stack.length > 0 ? stack.join(", ") : t(thin ? "empty_thin" : "empty");
    return t("tile_words", { cell, content });
  }

  function number(there, cell) {
    const [x, y] = position.board.centres[cell];
    return words(x, y + 33, there ? "cell-number" : "cell-number on-sea", cell);
  }

  function towers(state, step, animate) {
    return state.stacks.map((stack, cell) => {
      if (stack.length === 0) return null;
      const [x, y] = position.board.centres[cell];
      const piece = tower(x, y + 9, stack, players);
      if (animate && step?.[0] === "move" && step[3] === cell) {
        slide(piece, position.board.centres[step[1]], [x, y]);
      }
      return piece;
    });
  }

  function marksOf([verb, first, second, third], seat, kind) {
    const { centres } = position.board;
    const cell = { place: second, neutral: second, move: third, melt: first, keep: second }[verb];
    if (cell === undefined) return {};
    const [x, y] = centres[cell];
    if (verb === "melt") return { below: gone(x, y, RADIUS, `gone melted ${kind}`) };
    if (verb === "keep") return { below: kept(first, second, kind) };
    const around = svg("polygon", {
      class: `mark here ${kind}`,
      points: points(hexagon(x, y, RADIUS * 0.9)),
    });
    if (verb !== "move") return { below: around };
    const arrow = moveArrow(centres[first], [x, y], `move ${kind}`, RADIUS * 0.75);
    return { below: group("", around, ring(...centres[first], 6, `left ${kind}`)), above: arrow };
  }

  function kept(colour, cell, kind) {
    const cells = territory(position.state, position.board.places, colour, cell);
    return group(
      `kept ${kind} ${seatClass(colour, players)}`,
      cells.map((one) =>
        svg("polygon", {
          class: "mark here",
          points: points(hexagon(...position.board.centres[one], RADIUS * 0.9)),
        }),
      ),
    );
  }

  function taken(before, state, step) {
    const lost = before === null ? [] : missing(before, state, step);
    const crosses = lost.map(({ cell, muglus }) => {
      const [x, y] = position.board.centres[cell];
      const drawn = group(
        "taken",
        tower(0, 9, muglus, players),
        svg("path", { class: "taken-cross", d: "M-15,-15L15,15M15,-15L-15,15" }),
      );
      const aside = state.stacks[cell].length > 0; // something else still stands there
      const [left, upper, scale] = aside ? [x + 20, y - 13, 0.5] : [x, y, 1];
      drawn.setAttribute("transform", `translate(${round(left)} ${round(upper)}) scale(${scale})`);
      return drawn;
    });
    return { above: crosses };
  }

  /** Any tile of a group that could be kept stands for its lowest one. */
  function markGroups(steps) {
    for (const [verb, colour, cell] of steps ?? []) {
      if (verb !== "keep") continue;
      const cells = new Set(territory(position.state, position.board.places, colour, cell));
      for (const one of drawing.querySelectorAll(".cell[data-target]")) {
        if (cells.has(Number(one.dataset.target.split(":")[1])))
          one.dataset.target = `keep:${colour}:${cell}`;
      }
    }
  }

  function choose(steps, onStep) {
    markGroups(steps);
    picker.offer(steps, onStep);
  }

  return { show, choose, describe };
}

function drop(x, y) {
  const shape = svg("path", {
    class: "drop",
    d: "M0,-9C4,-3 6,0 6,3A6,6 0 0 1 -6,3C-6,0 -4,-3 0,-9Z",
  });
  shape.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
  return shape;
}
