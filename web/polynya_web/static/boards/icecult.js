/** Ice Cult: the blocks from above and unfolded, the paths with their stacks, the turn's steps. */

import { at, group, html, svg, words } from "./elements.js";
import { createFrame, setSize, status, tally } from "./frame.js";
import { net, topFace } from "./blocks.js";
import { handles, used } from "./icecult_action.js";
import { square, stepMarks } from "./icecult_marks.js";
import {
  CORNERS,
  FIELD,
  PATHS,
  SIDE,
  TILE,
  WIDTH,
  blockCorner,
  fieldCentre,
  homeCentre,
} from "./icecult_places.js";
import { ACROSS, HEIGHT, pawn, pawnOf, stack, stackAcross } from "./pawns.js";
import { createPicker } from "./picking.js";
import { say } from "./texts.js";

/** Below this width, in pixels, the unfolded blocks leave the drawing, and what is picked grows. */
const SMALL = 520;

/** How much of the drawing's edge a small one does without. */
const CROPPED = 20;

/** The pawns of a colour. */
const FULL = 5;

/** Whether all pawns of a colour stand in a stack. */
function isTower(pawns, colour) {
  return pawns.filter((one) => one === colour).length === FULL;
}

/** Whether the fields of a path are long from north to south in a small drawing. */
function isUpright(path) {
  return path === "E" || path === "W";
}

/** @see the contract of a board in the README of this folder. */
export function createBoard(container, { texts, seats, extras, side: elsewhere = null }) {
  const t = (key, values) => say(texts, `board.icecult.${key}`, values);
  const { root, drawing, side, choice } = createFrame(container, "icecult", t("label"), elsewhere);
  const faces = html("div", { class: "board-nets" });
  const unfoldable = html(
    "details",
    { class: "board-legend", hidden: true },
    html("summary", {}, t("nets")),
    faces,
  );
  let shown = null; // the position, which says what an arrow can do
  let latest = null; // how it was shown, to be drawn anew in another size
  let offered = null; // the steps that can be picked, and what is called with one
  let small = false; // whether there is only the room of a telephone
  const picker = createPicker({ root, panel: choice, texts, stages, label, describe });

  function stages([verb, first, second, third]) {
    if (verb === "tip") return [`tip:${first}:${second}`];
    if (verb === "rotate") return [`rotate:${first}:${second}`];
    if (verb === "end") return ["end"];
    const [colour, path] = shown.blocks[first][0];
    return [`block:${first}`, second === 0 ? `start:${colour}` : `pawn:${path}:${second}:${third}`];
  }

  function label(key) {
    const [what, first, second, third] = key.split(":");
    if (what === "start") return t("pick_start", { colour: first });
    return t(`pick_${what}`, { first, second: t(second), number: second, index: third });
  }

  function describe(step, state = shown) {
    const [verb, first, second, third] = step;
    if (verb === "tip") return t("tips", { pair: first, direction: t(second) });
    if (verb === "rotate") return t("rotates", { position: first, sense: t(second) });
    if (verb !== "advance") return t("ends");
    const [colour, path] = state.blocks[first][0];
    const from = second === 0 ? t("start") : `${path}${second}`;
    const to = second === 5 ? t("goal") : `${path}${second + 1}`;
    const alone = second === 0 || state.paths[path][second - 1].length === 1;
    return t(alone ? "advances" : "advances_from", {
      position: first,
      colour,
      from,
      to,
      index: third,
    });
  }

  /** The marks of a turn so far: its step, and the steps before it, which fade. */
  function marksOf(state, { step = null, before = null, turnSteps = [], stepIndex = 0, earlier }) {
    const past =
      earlier ??
      turnSteps
        .slice(0, stepIndex)
        .filter(([verb]) => verb !== "advance") // its pawn is not known without the position
        .map((one) => ({ step: one, before: state }));
    const faded = past.map((one) => stepMarks(one.step, one.before, " earlier"));
    return [faded, step === null ? [] : stepMarks(step, before ?? state)];
  }

  function show(state, context = {}) {
    picker.offer(null, null);
    shown = state;
    latest = { state, context };
    offered = null;
    draw();
  }

  /** On a telephone and by a projector: what is hidden on the blocks gives room to the pawns. */
  function isSmall() {
    const projected = document.documentElement.classList.contains("projector");
    return container.clientWidth > 0 && (projected || container.clientWidth < SMALL);
  }

  function draw() {
    const { state, context } = latest;
    small = isSmall();
    const height = small ? SIDE : SIDE + HEIGHT;
    root.classList.toggle("small", small);
    if (small) setSize(drawing, WIDTH - 2 * CROPPED, height - 2 * CROPPED, CROPPED);
    else setSize(drawing, WIDTH, height);
    drawing.replaceChildren(
      svg("rect", { class: "sea", width: WIDTH, height, rx: 14 }),
      ...PATHS.map((path) => pathFields(state, path)),
      ...(small ? [] : CORNERS.map((_, position) => unfolded(state, position))),
      group(
        "square",
        CORNERS.map((_, position) => block(state, position)),
      ),
      group("marks", marksOf(state, context)),
      ...PATHS.map((path) => pathStacks(state, path)),
      handles(small),
      ...homes(state),
    );
    unfoldable.hidden = !small;
    faces.replaceChildren(...(small ? CORNERS.map((_, position) => netAlone(state, position)) : []));
    side.replaceChildren(holdings(state), unfoldable);
  }

  new ResizeObserver(() => {
    if (latest === null || small === isSmall()) return;
    picker.offer(null, null);
    draw();
    if (offered !== null) choose(...offered);
  }).observe(container);

  /** Offers steps; they are offered again where the board is drawn in another size. */
  function choose(steps, onStep) {
    offered = steps === null ? null : [steps, onStep];
    picker.offer(steps, (step) => {
      offered = null;
      onStep(step);
    });
  }

  function pathFields(state, path) {
    const fields = state.paths[path].map((pawns, index) => pathField(path, index + 1, pawns));
    const [x, y] = fieldCentre(path, 6);
    const [nameX, nameY] = small ? nameBeside(path) : fieldCentre(path, 6.85);
    return group(
      "path",
      fields,
      fieldShape(path, x, y, "goal"),
      words(x, y + 5, "goal-name", t("goal")),
      words(nameX, nameY + 6, "path-name", path),
    );
  }

  /** The pawns of a path: above the marks, which would hide them. */
  function pathStacks(state, path) {
    const stacks = state.paths[path].map((pawns, index) => {
      const [x, y] = fieldCentre(path, index + 1);
      const target = (height) => `pawn:${path}:${index + 1}:${height}`;
      return small ? stackAcross(x, y, pawns, target, isUpright(path)) : stack(x, y, pawns, target);
    });
    return group("stacks", stacks);
  }

  function pathField(path, field, pawns) {
    const [x, y] = fieldCentre(path, field);
    const title = t("field_words", { path: t(path), field, pawns: pawns.join(", ") || "–" });
    const kind = pawns.length > 0 ? "field-number taken" : "field-number";
    const decided = shown.winners.some((seat) => isTower(pawns, seat)) ? " decided" : "";
    return group(
      "field-group",
      svg("title", {}, title),
      fieldShape(path, x, y, `field${decided}`),
      words(x, y + 5, kind, field),
    );
  }

  /** A square; in a small drawing a rectangle across the path, so that its pawns can be read. */
  function fieldShape(path, x, y, kind) {
    if (!small || kind === "goal") return square(x, y, kind);
    const [width, height] = isUpright(path) ? [FIELD - 2, ACROSS] : [ACROSS, FIELD - 2];
    return svg("rect", { class: kind, x: x - width / 2, y: y - height / 2, width, height, rx: 7 });
  }

  function nameBeside(path) {
    const [x, y] = fieldCentre(path, 6);
    return isUpright(path) ? [x, y - 42] : [x + 42, y];
  }

  function unfolded(state, position) {
    const [column, row] = CORNERS[position];
    const size = 66;
    const [left, upper] = [
      column < 0 ? 42 : SIDE - 42 - 3 * size,
      row < 0 ? 50 : SIDE - 20 - 4 * size,
    ];
    return group(
      "net",
      words(left + 1.5 * size, upper - 12, "net-title", t("net_title", { position })),
      net(state.blocks[position], left, upper, size, (facing) => t(`face_${facing}`)),
    );
  }

  /** The same as a drawing of its own, for where the board has no room for it. */
  function netAlone(state, position) {
    const size = 66;
    const title = t("net_title", { position });
    return svg(
      "svg",
      { class: "net-alone", viewBox: `0 0 ${3 * size + 4} ${4 * size + 30}`, role: "img" },
      svg("title", {}, title),
      words(1.5 * size + 2, 20, "net-title", title),
      net(state.blocks[position], 2, 28, size, (facing) => t(`face_${facing}`)),
    );
  }

  function block(state, position) {
    const [left, upper] = blockCorner(position);
    const drawn = group(
      "block",
      topFace(state.blocks[position], left, upper, TILE),
      words(left + 11, upper + 18, "block-number", position),
      used(state, position, left, upper, t),
    );
    drawn.dataset.target = `block:${position}`;
    return drawn;
  }

  function homes(state) {
    return [0, 1, 2, 3].map((colour) => {
      const [x, y] = homeCentre(colour, small);
      const neutral = colour >= seats.length || state.forfeited.includes(colour);
      const name = neutral ? t("neutral", { colour }) : t("colour", { colour });
      const apart = small ? 64 : 26; // start and goal
      const rows = [
        ["start", state.start[colour], y],
        ["goal", state.goal[colour], y + apart],
      ];
      return group(
        "home",
        words(x, y - (small ? 76 : 20), "home-name", name),
        rows.map(([what, count, rowY]) => homeRow(what, count, x, rowY, colour)),
      );
    });
  }

  /** The colour whose pawn the step has brought into play, null if none has come. */
  function leftHome() {
    const { step = null, before = null } = latest.context;
    if (step?.[0] !== "advance" || step[2] !== 0) return null;
    return (before ?? latest.state).blocks[step[1]][0][0];
  }

  /** The pawns of a colour at the start or in the goal; a start can be picked all over. */
  function homeRow(what, count, x, y, colour) {
    const [wide, high] = small ? [46, 30] : [22, 13];
    const left = small ? x - 2 * (wide + 4) : x - 30;
    const label = small
      ? words(x, y - high / 2 - 8, "home-label", t(what))
      : words(x - 62, y + 4, "home-label", t(what));
    const place = { x: left - wide / 2 - 3, y: y - high / 2 - 4 };
    const area = { ...place, width: 4 * (wide + (small ? 4 : 3)) + wide + 6, height: high + 8 };
    const drawn = group(
      "home-row",
      svg("rect", { class: what === "start" && leftHome() === colour ? "home-area mark here source" : "home-area", ...area, rx: 6 }),
      label,
      [0, 1, 2, 3, 4].map((index) => {
        const pawnX = left + index * (wide + (small ? 4 : 3));
        return index < count ? pawn(pawnX, y, wide, high, colour) : noPawn(pawnX, y, wide, high);
      }),
    );
    if (what === "start") drawn.dataset.target = `start:${colour}`;
    return drawn;
  }

  function noPawn(x, y, width, height) {
    const size = { x: -width / 2, y: -height / 2, width, height, rx: height * 0.4 };
    return at(x, y, "", svg("rect", { class: "no-pawn", ...size }));
  }

  /** Why a seat has won: the reason that is no score. */
  function victory(state, seat) {
    return t(state.goal[seat] === FULL ? `victory.${FULL}` : "victory.other");
  }

  function holdings(state) {
    const entries = seats.map((player) => ({
      player,
      status: state.winners.includes(player.seat)
        ? html("span", { class: "good" }, `${t("wins")}: ${victory(state, player.seat)}`)
        : status(state, player.seat, texts),
      parts: [
        html(
          "span",
          {},
          t("pawns", {
            start: state.start[player.seat],
            paths: pawnOf(state, player.seat),
            goal: state.goal[player.seat],
          }),
        ),
      ],
    }));
    return tally(entries, state.to_move, texts, extras);
  }

  return { show, choose, describe };
}
