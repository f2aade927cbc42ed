/** The table: the match as it goes, the person's turn, and the result. */

import { html } from "../boards/elements.js";
import { boardOf } from "../boards/games.js";
import { namedSeat } from "../boards/seats.js";
import { said, say } from "../boards/texts.js";
import { createLog } from "./log.js";
import { createSeat } from "./seat.js";
import { createShowing } from "./showing.js";
import { createTurn } from "./turn.js";

const byId = (id) => document.getElementById(id);
const embedded = (id) => JSON.parse(byId(id).textContent);
const texts = embedded("texts");
const data = embedded("data");
const title = document.title;

const seat = createSeat(data.match, say(texts, "play.problem.lost"));
let parts = null; // made when the match has begun: {showing, turn}
let made = null;

function status(words, isMine = false) {
  const element = byId("status");
  if (element.textContent !== words) element.textContent = words;
  element.classList.toggle("mine", isMine);
  document.title = isMine ? `● ${words}` : title;
}

function problem(words) {
  byId("problem").textContent = words;
}

async function makeParts(players) {
  const { createBoard } = await boardOf(data.game);
  const board = createBoard(byId("board"), { texts, seats: players });
  const log = createLog({ list: byId("log"), board, texts, players });
  const showing = createShowing(board, log);
  const onSent = () => status(say(texts, "play.status.sent"));
  const turn = createTurn({ board, seat, showing, onProblem: problem, onSent });
  return { showing, turn };
}

function tell(table) {
  const { phase, players, acting, seat: mine } = table;
  if (phase === "failed") return status(table.sentence);
  if (phase === "over" || table.over !== null) return status(say(texts, "play.status.over"));
  if (phase === "lobby") return status(say(texts, "play.status.lobby"));
  if (table.asked !== null) return status(say(texts, "play.status.yours"), true);
  if (acting.includes(mine)) return status(say(texts, acting.length > 1 ? "play.status.others" : "play.status.sent"));
  if (acting.length === 0) return status(say(texts, "play.status.sent"));
  return status(say(texts, "play.status.theirs", { name: acting.map((seat) => players[seat].name).join(", ") }));
}

function outcomeOf({ over, seat: mine }) {
  if (over?.ranking == null) return say(texts, "play.result.none");
  const best = over.ranking.filter((rank) => rank === 1).length;
  if (over.ranking[mine] !== 1) return say(texts, "play.result.lost", { rank: over.ranking[mine] });
  return say(texts, best > 1 ? "play.result.shared" : "play.result.won");
}

/** A score with the game's unit; `content/seat_results.py` of the pages says the same. */
function scoreWords(score) {
  const own = `board.${data.game}.score`;
  const key = `${own}.other` in texts ? own : "result.score";
  return say(texts, `${key}.${score === 1 ? "one" : "other"}`, { number: score });
}

function showResult(table) {
  const { over, players } = table;
  byId("resign").hidden = true;
  byId("result").hidden = false;
  byId("replay").hidden = table.phase === "failed";
  byId("outcome").textContent = table.phase === "failed" ? say(texts, "play.result.failed") : outcomeOf(table);
  const why = said(texts, over?.detail_cause, over?.detail ?? "");
  byId("detail").textContent = why.text;
  byId("detail").lang = why.lang;
  if (over?.ranking == null) return;
  const order = [...players].sort((one, other) => over.ranking[one.seat] - over.ranking[other.seat]);
  byId("ranking").replaceChildren(
    ...order.map((player) =>
      html(
        "li",
        { value: over.ranking[player.seat] },
        namedSeat(player),
        " ",
        html("b", {}, scoreWords(over.scores[player.seat])),
      ),
    ),
  );
}

let newest = null;
let known = 0; // positions that were shown: a page that connects again is told them again

async function onTable(table) {
  newest = table;
  if (table.phase === "failed") problem("");
  if (table.players.length > 0) {
    made ??= makeParts(table.players);
    parts = await made;
    if (table.asked === null) parts.turn.ask(null);
    const fresh = table.positions.filter(({ index }) => index >= known);
    known = table.count;
    await parts.showing.add(fresh, table.seat);
  }
  if (table !== newest) return; // another one has come meanwhile, and says more
  tell(table);
  if (table.asked !== null) parts.turn.ask(table.asked);
  if (table.phase === "over" || table.phase === "failed") showResult(table);
}

byId("resign").addEventListener("click", async () => {
  if (!window.confirm(say(texts, "play.resign.sure"))) return;
  problem("");
  try {
    await seat.resign();
  } catch (refusal) {
    problem(refusal.message);
  }
});

seat.follow(
  (table) => onTable(table).catch((error) => problem(error.message)),
  () => status(say(texts, "play.status.lost")),
);
