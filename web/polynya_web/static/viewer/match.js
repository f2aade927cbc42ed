/** The page of one match: live while it is in play, a replay afterwards. */

import { say } from "../boards/texts.js";
import { followMatch } from "./live.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const connection = document.getElementById("connection");
const api = "/api/v1";
const match = encodeURIComponent(data.match);

function open(replay) {
  const address = location.pathname;
  const download = replay.match.in_play ? null : `${address}/replay`;
  return createViewer(container, { texts, replay, address, download });
}

async function showReplay() {
  const answer = await fetch(`${api}/matches/${match}/frames`);
  if (!answer.ok) throw new Error(say(texts, "viewer.no_frames"));
  await open(await answer.json());
}

/** Events may come while the viewer is being made: each waits for those before it. */
function showLive() {
  let viewer = Promise.resolve(null);
  const then = (act) => (event) => {
    viewer = viewer.then((made) => act(made, event)).catch((error) => notice(container, error.message));
  };
  followMatch(`${api}/live/${match}`, {
    onReplay: then(async (made, replay) => {
      if (made === null) return open(replay);
      made.restart(replay);
      return made;
    }),
    onTurn: then((made, turn) => (made.addTurn(turn), made)),
    onForfeit: then((made, forfeit) => (made.addForfeit(forfeit), made)),
    onOver: then((made, over) => (made.finish(over), made)),
    onConnection: (there) => {
      connection.textContent = there ? "" : say(texts, "viewer.connection_lost");
    },
  });
}

if (data.in_play) showLive();
else showReplay().catch((error) => notice(container, error.message));
