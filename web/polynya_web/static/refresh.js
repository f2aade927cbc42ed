/** Keeps parts of a page as the server makes them now: those of the class `refreshed`, by their ids. */

const FEWEST_MS = 10_000; // between two requests for the page
const shown = new Map(); // the markup of each part, as the server gave it
let asked = performance.now();
let waiting = null;

/** Put the parts as the server makes them now into the page; nothing that the reader is using. */
async function renew() {
  asked = performance.now();
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll(".refreshed")) {
    const next = page.getElementById(part.id);
    if (next === null || part.contains(document.activeElement) || shown.get(part.id) === next.innerHTML) continue;
    shown.set(part.id, next.innerHTML);
    part.replaceChildren(...next.childNodes);
  }
  document.dispatchEvent(new Event("renewed"));
}

/** Ask for the page again soon: something has happened. */
export function renewSoon(afterMs = 1_500) {
  if (waiting !== null) return;
  const wait = Math.max(afterMs, asked + FEWEST_MS - performance.now());
  waiting = setTimeout(() => {
    waiting = null;
    if (!document.hidden) renew();
  }, wait);
}

/** Ask for it again and again, and whenever a match has ended. */
export function keepFresh(everyMs = 60_000) {
  document.addEventListener("match-over", () => renewSoon());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && performance.now() - asked > everyMs) renewSoon(0);
  });
  setInterval(() => {
    if (!document.hidden) renewSoon(0);
  }, everyMs);
}
