/** Shows matches of validation on the page of a bot's owner. */

import { said, say } from "../boards/texts.js";
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
  const told = await answer.json();
  if (!answer.ok) throw new Error(said(texts, told.error_cause, told.error).text);
  viewer = await createViewer(container, { texts, replay: told, address: null, download: null });
}
