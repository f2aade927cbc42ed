/** The page that opens a replay file: chosen, or dropped onto the page. */

import { say } from "../boards/texts.js";
import { notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const zone = document.getElementById("drop");
const input = document.getElementById("file");

let viewer = null;

async function open(file) {
  viewer?.close();
  notice(container, say(texts, "viewer.opening", { name: file.name }));
  try {
    const replay = await framesOf(file);
    viewer = await createViewer(container, { texts, replay, address: null, download: null });
  } catch (error) {
    notice(container, error.message);
  }
}

async function framesOf(file) {
  const answer = await fetch("/api/v1/frames", {
    method: "POST",
    headers: { "content-type": "application/msgpack" },
    body: file,
  }).catch(() => {
    throw new Error(say(texts, "viewer.no_answer"));
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  throw new Error(say(texts, "viewer.not_a_replay", { name: file.name, error: error ?? answer.status }));
}

input.addEventListener("change", () => input.files.length > 0 && open(input.files[0]));
for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    if (name === "drop" || event.relatedTarget === null) zone.classList.remove("over");
  });
}
document.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length > 0) open(event.dataTransfer.files[0]);
});
