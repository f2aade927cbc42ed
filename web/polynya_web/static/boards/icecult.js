/** Ice Cult: the blocks from above and unfolded, the paths with their stacks, the turn's steps. */

import { at, group, html, svg, words } from "./elements.js";
import { createFrame, setSize, status, tally } from "./frame.js";
import { net, topFace } from "./blocks.js";
import { handles, used } from "./icecult_action.js";
import { square, stepMarks } from "./icecult_marks.js";
import {
  CORNERS,
  PATHS,
  SIDE,
  TILE,
  WIDTH,
  blockCorner,
  fieldCentre,
  homeCentre,
} from "./icecult_places.js";
import { HEIGHT, pawn, pawnOf, stack } from "./pawns.js";
import { createPicker } from "./picking.js";
import { say } from "./texts.js";

/** @see the contract of a board in the README of this folder. */
export function createBoard(container, { texts, seats, extras, side: elsewhere = null }) {
  const t = (key, values) => say(texts, `board.icecult.${key}`, values);
  const { root, drawing, side, choice } = createFrame(container, "icecult", t("label"), elsewhere);
  setSize(drawing, WIDTH, SIDE + HEIGHT);
  let shown = null; // the position, which says what an arrow can do
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

  function show(state, { step = null, before = null, turnSteps = [], stepIndex = 0 } = {}) {
    picker.offer(null, null);
    shown = state;
    const marks = step === null ? [] : stepMarks(step, before ?? state);
    const earlier = step?.[0] === "tip" ? turnSteps.slice(0, stepIndex) : [];
    drawing.replaceChildren(
      svg("rect", { class: "sea", width: WIDTH, height: SIDE + HEIGHT, rx: 14 }),
      ...PATHS.map((path) => pathFields(state, path)),
      ...CORNERS.map((_, position) => unfolded(state, position)),
      group(
        "square",
        CORNERS.map((_, position) => block(state, position)),
      ),
      group(
        "marks",
        earlier.flatMap((one) => stepMarks(one, state, " earlier")),
        marks,
      ),
      handles(),
      ...homes(state),
    );
    side.replaceChildren(holdings(state));
  }

  function pathFields(state, path) {
    const fields = state.paths[path].map((pawns, index) => {
      const [x, y] = fieldCentre(path, index + 1);
      const titled = svg(
        "title",
        {},
        t("field_words", { path: t(path), field: index + 1, pawns: pawns.join(", ") || "–" }),
      );
      const number = words(
        x,
        y + 5,
        pawns.length > 0 ? "field-number taken" : "field-number",
        index + 1,
      );
      return group(
        "field-group",
        titled,
        square(x, y, "field"),
        number,
        stack(x, y, pawns, (height) => `pawn:${path}:${index + 1}:${height}`),
      );
    });
    const [x, y] = fieldCentre(path, 6);
    const [nameX, nameY] = fieldCentre(path, 6.85);
    return group(
      "path",
      fields,
      square(x, y, "goal"),
      words(x, y + 4, "goal-name", t("goal")),
      words(nameX, nameY + 5, "path-name", path),
    );
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
      const [x, y] = homeCentre(colour);
      const neutral = colour >= seats.length || state.forfeited.includes(colour);
      const name = neutral ? t("neutral", { colour }) : t("colour", { colour });
      const rows = [
        ["start", state.start[colour], y],
        ["goal", state.goal[colour], y + 26],
      ];
      return group(
        "home",
        words(x, y - 20, "home-name", name),
        rows.map(([what, count, rowY]) => {
          const drawn = group(
            "home-row",
            words(x - 62, rowY + 4, "home-label", t(what)),
            [0, 1, 2, 3, 4].map((index) =>
              homePlace(x - 30 + index * 25, rowY, colour, index < count),
            ),
          );
          if (what === "start") drawn.dataset.target = `start:${colour}`;
          return drawn;
        }),
      );
    });
  }

  function homePlace(x, y, colour, there) {
    return there
      ? pawn(x, y, 22, 13, colour)
      : at(
          x,
          y,
          "",
          svg("rect", { class: "no-pawn", x: -11, y: -6.5, width: 22, height: 13, rx: 5 }),
        );
  }

  function holdings(state) {
    const entries = seats.map((player) => ({
      player,
      status: state.winners.includes(player.seat)
        ? html("span", { class: "good" }, t("wins"))
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

  return { show, choose: picker.offer, describe };
}
