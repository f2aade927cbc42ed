/** The page of one match: live while it is in play, a replay afterwards. */

import { base } from "../base.js";
import { said, say } from "../boards/texts.js";
import { listenForProjector } from "../projector.js";
import { followMatch } from "./live.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const connection = document.getElementById("connection");
const api = `${base}/api/v1`;
const match = encodeURIComponent(data.match);

function open(replay) {
  const address = location.pathname;
  return createViewer(container, { texts, replay, address, download: `${address}/replay` });
}

/** What stands below the board, as the server says it now that the match is over. */
async function renewAbout() {
  const answer = await fetch(location.pathname + location.search).catch(() => null);
  if (!answer?.ok) return; // it stays as it was until the page is loaded again
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["about", "around"]) {
    const next = page.getElementById(id);
    if (next !== null) document.getElementById(id).replaceWith(next);
  }
}

async function recorded() {
  const answer = await fetch(`${api}/matches/${match}/frames${data.seat === null ? "" : `?seat=${data.seat}`}`);
  if (answer.ok) return answer.json();
  const { error, error_cause: cause } = await answer.json().catch(() => ({}));
  throw new Error(say(texts, "viewer.no_frames", { error: error ? said(texts, cause, error).text : answer.status }));
}

/** Events may come while the viewer is being made: each waits for those before it. */
function showLive() {
  let viewer = Promise.resolve(null);
  const then = (act) => (event) => {
    viewer = viewer.then(async (made) => (await act(made, event)) ?? made);
    viewer = viewer.catch((error) => notice(container, error.message));
  };
  const restart = async (made, replay) => (made ? made.restart(replay) : open(replay));
  followMatch(`${api}/live/${match}`, {
    onReplay: then(restart),
    onTurn: then((made, turn) => made?.addTurn(turn)),
    onForfeit: then((made, forfeit) => made?.addForfeit(forfeit)),
    onOver: then(async (made, over) => {
      made?.finish(over);
      const replay = await recorded().catch(() => null); // with remarks that were hidden till now
      if (made && replay) made.restart(replay);
      await renewAbout();
    }),
    onConnection: (there) => {
      connection.textContent = there ? "" : say(texts, "viewer.connection_lost");
    },
    onGone: then(async (made) => {
      connection.textContent = "";
      const shown = await restart(made, await recorded());
      await renewAbout();
      return shown;
    }),
  });
}

listenForProjector(texts);
if (data.kept_back) {
  const why = data.hidden ? "hidden" : data.deal_comes_again ? "deal_comes_again" : "kept_back";
  const [board, ...others] = container.querySelectorAll(".viewer-awaited");
  board.firstElementChild.textContent = say(texts, `viewer.${why}`);
  for (const other of others) other.remove();
} else if (data.in_play) showLive();
else
  recorded()
    .then(open)
    .catch((error) => notice(container, error.message));
