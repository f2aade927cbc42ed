/** The page that opens a match: a file that is chosen or dropped onto the page, or pasted text. */

import { base } from "../base.js";
import { said, say } from "../boards/texts.js";
import { listenForProjector } from "../projector.js";
import { data, notice, texts } from "./page.js";
import { createViewer } from "./viewer.js";

const container = document.getElementById("viewer");
const zone = document.getElementById("drop");
const input = document.getElementById("file");
const paste = document.getElementById("paste");
const pasted = document.getElementById("pasted");

let viewer = null;

function openDocument(name, content) {
  return open(name, () => framesOf(name, content));
}

function openFirst(files) {
  if (files.length > 0) openDocument(files[0].name, files[0]);
}

async function open(name, load, address = null) {
  viewer?.close();
  notice(container, say(texts, "viewer.opening", { name }));
  try {
    const replay = await load();
    viewer = await createViewer(container, { texts, replay, address, download: null });
    container.scrollIntoView();
  } catch (error) {
    notice(container, error.message);
  }
}

function framesOf(name, body) {
  const headers = { "content-type": "application/octet-stream" };
  return framesAt(`${base}/api/v1/frames`, name, { method: "POST", headers, body });
}

async function framesAt(address, name, request) {
  const answer = await fetch(address, request).catch(() => {
    throw new Error(say(texts, "viewer.no_answer"));
  });
  if (answer.ok) return answer.json();
  const { error, error_cause: cause } = await answer.json().catch(() => ({}));
  throw new Error(say(texts, "viewer.not_a_replay", { name, error: error ? said(texts, cause, error).text : answer.status }));
}

input.addEventListener("change", () => openFirst(input.files));
paste.addEventListener("submit", (event) => {
  event.preventDefault();
  openDocument(say(texts, "viewer.pasted"), pasted.value);
});
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
  openFirst(event.dataTransfer.files);
});
listenForProjector(texts);
if (data !== null) {
  open(data.name, () => framesAt(data.frames, data.name), location.pathname);
}
