// Keeps the pages of a running tournament up to date: asks how far it has come, and fetches the page
// anew when results have come, as long as somebody looks at it.

const LOOK_MS = 5_000;
const FRESH_MS = 20_000;

let fetched = performance.now();

const line = () => document.getElementById("progress");

/** Put the refreshed parts of the page as the server makes it now into this one. */
async function renew() {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll(".refreshed")) {
    const next = page.getElementById(part.id);
    if (next && !part.contains(document.activeElement)) part.replaceChildren(...next.childNodes);
  }
  fetched = performance.now();
}

function show({ played, scheduled, state }) {
  const bar = line().querySelector("progress");
  bar.max = scheduled || 1;
  bar.value = played;
  line().querySelector(".counted").textContent = `${played} / ${scheduled}`;
  const sentence = document.getElementById("state");
  sentence.hidden = !state;
  if (sentence.textContent !== state) sentence.textContent = state;
}

async function look() {
  const answer = await fetch(line().dataset.address);
  if (!answer.ok) return;
  const found = await answer.json();
  show(found);
  const behind = line().dataset.shown !== `${found.played}/${found.scheduled}`;
  if (behind && performance.now() - fetched >= FRESH_MS) await renew();
}

async function keep() {
  try {
    if (!document.hidden) await look();
  } catch {
    // The server is away for now: look again.
  }
  setTimeout(keep, LOOK_MS);
}

keep();
