/** The page that opens a replay file: chosen, or dropped onto the page. */

import { base } from "../base.js";
import { say } from "../boards/texts.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const zone = document.getElementById("drop");
const input = document.getElementById("file");

let viewer = null;

function openFile(file) {
  return open(file.name, () => framesOf(file));
}

async function open(name, load, address = null) {
  viewer?.close();
  notice(container, say(texts, "viewer.opening", { name }));
  try {
    const replay = await load();
    viewer = await createViewer(container, { texts, replay, address, download: null });
  } catch (error) {
    notice(container, error.message);
  }
}

function framesOf(file) {
  const headers = { "content-type": "application/octet-stream" };
  return framesAt(`${base}/api/v1/frames`, file.name, { method: "POST", headers, body: file });
}

async function framesAt(address, name, request) {
  const answer = await fetch(address, request).catch(() => {
    throw new Error(say(texts, "viewer.no_answer"));
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  throw new Error(say(texts, "viewer.not_a_replay", { name, error: error ?? answer.status }));
}

input.addEventListener("change", () => input.files.length > 0 && openFile(input.files[0]));
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
  if (event.dataTransfer.files.length > 0) openFile(event.dataTransfer.files[0]);
});
if (data !== null) {
  open(data.name, () => framesAt(data.frames, data.name), location.pathname);
}
