/** The turns so far in words, for those who read them and for those who hear them. */

import { html } from "../boards/elements.js";
import { namedSeat, seatClass } from "../boards/seats.js";
import { seenWords } from "../viewer/words.js";

const MOST = 200;

/** @param {{list: Element, board: Object, texts: Object, players: Array}} parts */
export function createLog({ list, board, texts, players }) {
  let turn = null; // the entry of the turn under way: {number, words}

  function entry(position, text) {
    const words = html("span", {}, text);
    list.append(html("li", { class: seatClass(position.seat) }, namedSeat(players[position.seat]), ": ", words));
    if (list.children.length > MOST) list.firstChild.remove();
    list.scrollTop = list.scrollHeight;
    return words;
  }

  /** Writes down what led to a position. */
  return function add(position, before) {
    if (position.forfeit !== null) {
      entry(position, texts[`viewer.forfeits.${position.forfeit}`] ?? position.forfeit);
      turn = null;
    } else if (position.step_index !== null) {
      const words = board.describe(position.steps[position.step_index], before ?? position.state);
      if (position.step_index > 0 && turn?.number === position.turn) turn.words.append(`; ${words}`);
      else turn = { number: position.turn, words: entry(position, words) };
    } else if (position.seat !== null) entry(position, texts["viewer.concealed"]);
    const seen = seenWords(texts, position.seen);
    if (seen !== "") list.append(html("li", { class: "muted" }, seen));
  };
}
