/** How a match ended, as a sentence; or that it is in play. */

import { html } from "../boards/elements.js";
import { said, say } from "../boards/texts.js";
import { duration } from "./words.js";

/** A name within a sentence: one with letters of all kinds keeps its direction to itself. */
function isolated(name) {
  return /^[\w.-]*$/.test(name) ? name : `\u2068${name}\u2069`;
}

function joined(names, texts) {
  const last = names.at(-1);
  if (names.length === 1) return last;
  return `${names.slice(0, -1).join(", ")} ${say(texts, "viewer.result.and")} ${last}`;
}

/** Whether a better rank is a higher score, and the same rank the same score. */
function explain(placed) {
  return placed.slice(1).every(({ rank, score }, place) => {
    const better = placed[place];
    return better.rank === rank ? better.score === score : better.score > score;
  });
}

/** The first place and the scores, best first; null without a result. */
function standing(match, texts) {
  if (match.seats.some(({ rank, score }) => rank === null || score === null)) return null;
  const placed = [...match.seats].sort((one, other) => one.rank - other.rank);
  const first = placed.filter(({ rank }) => rank === 1).map(({ name }) => isolated(name));
  const kind = first.length === 1 ? "won" : first.length === placed.length ? "drew" : "shared";
  const names = joined(first, texts);
  const why = victory(match, placed[0].score, texts);
  if (kind === "won" && why !== null) return say(texts, "viewer.result.won_by", { names, why });
  if (!explain(placed)) return say(texts, `viewer.result.${kind}_only`, { names });
  const scores = placed.map(({ score }) => score).join(" : ");
  return say(texts, `viewer.result.${kind}`, { names, scores });
}

/** The reason of a victory that is no score; null for another end, and for games without such texts. */
function victory({ game, termination }, score, texts) {
  const keys = [`board.${game}.victory.${score}`, `board.${game}.victory.other`];
  const key = termination === "victory" ? keys.find((one) => one in texts) : undefined;
  return key === undefined ? null : say(texts, key);
}

function forfeitWords(forfeit, match, texts) {
  const when =
    forfeit.turn > 0
      ? say(texts, "viewer.result.in_turn", { turn: forfeit.turn })
      : say(texts, "viewer.result.before_first");
  const timed =
    forfeit.reason === "timeout" && forfeit.charged_ms !== null && forfeit.limit_ms !== null;
  const values = timed
    ? { charged: duration(forfeit.charged_ms), limit: duration(forfeit.limit_ms) }
    : {};
  const key = `viewer.result.${timed ? "timeout_times" : forfeit.reason}`;
  return say(texts, key, { name: isolated(match.seats[forfeit.seat].name), when, ...values });
}

/**
 * The sentences that say how a match ended; the server makes the same ones
 * (`content/result_sentences.py`).
 */
export function resultSentences({ match, forfeits }, texts) {
  if (match.in_play) return [];
  if (["aborted", "annulled"].includes(match.reason))
    return [say(texts, `viewer.result.${match.reason}`)];
  const lost = forfeits.map((forfeit) => forfeitWords(forfeit, match, texts));
  const won = match.seats.length > 2 || lost.length === 0 ? standing(match, texts) : null;
  return won === null ? lost : [won, ...lost];
}

/** Shows it in `head`: the sentences, and what a match that does not count has beside them. */
export function createHeadline(texts, head) {
  const element = html("p", { class: "viewer-result" });
  const old = head.querySelector(".viewer-result");
  if (old === null) head.append(element);
  else old.replaceWith(element);
  let shown = null;
  const past = html("span", { class: "tag wait viewer-replay" });
  head.append(past);

  function tag(match) {
    if (match.in_play) return ["live", "viewer.in_play"];
    if (match.reason === null) return ["", "viewer.over"];
    if (match.server_fault) return ["wait", "viewer.server_fault"];
    if (match.annulled) return ["bad", "viewer.is_annulled"];
    return match.termination === "limit" ? ["", "viewer.ended.limit"] : null;
  }

  function show(timeline, index) {
    const isPast = index < timeline.last && !timeline.match.in_play;
    past.hidden = !isPast;
    past.textContent = say(texts, "viewer.replay_of_turn", { turn: timeline.frames[index].turn, last: timeline.frames.at(-1).turn });
    head.classList.toggle("past", isPast);
    const sentences = resultSentences(timeline, texts);
    const marked = tag(timeline.match);
    const words = sentences.map((sentence) => `${sentence}.`).join(" ");
    const forfeits = timeline.forfeits.filter(({ reason }) => reason !== "timeout"); // its times are in the sentence
    const { detail, detail_cause: cause } = [...forfeits, timeline.match].find(({ detail: words }) => words) ?? { detail: "" };
    const now = JSON.stringify([words, marked, detail]);
    if (now === shown) return;
    shown = now;
    const why = said(texts, cause, detail);
    element.replaceChildren(
      html("b", {}, words),
      words === "" ? "" : " ",
      marked === null ? "" : html("span", { class: `tag ${marked[0]}` }, say(texts, marked[1])),
      detail === "" ? "" : " ",
      detail === "" ? "" : html("span", { class: "muted viewer-detail", lang: why.lang }, why.text),
    );
  }

  return { show };
}
