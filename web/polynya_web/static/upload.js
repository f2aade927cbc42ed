/** Hands a program in from a bot's page, and shows what becomes of it. */

import { said } from "./boards/texts.js";

const LOOK_MS = 2_000;
const texts = JSON.parse(document.getElementById("upload-texts").textContent);
const UNDECIDED = ["received", "building", "validating"];

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    upload(form).catch((error) => show(form, error.message, "bad"));
  });
}

async function upload(form) {
  const button = form.querySelector("button");
  const given = new FormData(form);
  const headers = { authorization: `Bearer ${given.get("token")}` };
  given.delete("token");
  button.disabled = true;
  try {
    show(form, form.dataset.sending, "");
    let version = await asked(form, { method: "POST", body: given, headers });
    while (UNDECIDED.includes(version.state)) {
      show(form, `${version.bot}@${version.version}: ${word(form, version.state)}`, "");
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      version = (await stateOf(form, version.version, "", headers)) ?? version;
    }
    const detail = version.detail ? `: ${inWords(version.detail_cause, version.detail)}` : "";
    const good = version.state === "accepted" ? "good" : "bad";
    show(form, `${version.bot}@${version.version}: ${word(form, version.state)}${detail}`, good);
    const whole = good === "bad" ? await stateOf(form, version.version, "&log=true", headers) : null;
    showLog(form, [whole?.build_log, whole?.match].filter(Boolean).join("\n\n"));
  } finally {
    button.disabled = false;
  }
}

/** How it stands with a version now; logs are long, so they are asked for once. */
async function stateOf(form, version, more, headers) {
  const query = `?version=${encodeURIComponent(version)}${more}`;
  return (await asked(form, { headers }, query))[0];
}

async function asked(form, request, query = "") {
  const answer = await fetch(form.dataset.upload + query, request);
  const told = await answer.json();
  if (!answer.ok) {
    throw new Error(inWords(told.error_cause, told.error));
  }
  return told;
}

/** Why something happened, in the page's language. */
function inWords(cause, sentence) {
  return said(texts, cause, sentence).text;
}

/** The word for a state, in the page's language. */
function word(form, state) {
  return form.dataset[state] ?? state;
}

function show(form, text, kind) {
  const output = form.querySelector("output");
  output.textContent = text;
  output.className = kind ? `notice ${kind}` : "";
}

function showLog(form, text) {
  const log = form.parentElement.querySelector("[data-log]");
  log.hidden = !text;
  log.textContent = text ?? "";
}
