/** Shows on the page of a bot's owner what is for owners alone: matches of validation, and those that are kept back. */

import { say } from "../boards/texts.js";
import { notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
let viewer = null;

for (const form of document.querySelectorAll("form[data-match]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(form).catch((error) => notice(container, error.message));
  });
}

async function show(form) {
  viewer?.close();
  viewer = null;
  container.hidden = false;
  notice(container, say(texts, "viewer.opening", { name: form.dataset.match }));
  container.scrollIntoView();
  const answer = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
  });
  if (!answer.ok) throw new Error(say(texts, "viewer.no_frames", { error: answer.status }));
  const replay = await answer.json();
  viewer = await createViewer(container, { texts, replay, address: null, download: null });
}
