// What every page does for its reader: times in the reader's time zone, time that is left, and the
// reader's own bots marked. What a script puts into the page later is treated alike.

import { base } from "./base.js";

const MINE = "polynya-my-bots";
const MOST_MINE = 100;
const SECOND_MS = 1_000;

const two = (number) => String(number).padStart(2, "0");

const zone = document.getElementById("time-zone");
let lead = 0; // of the server's clock before the reader's, ms

const dayOf = (moment) => `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;

/** Show a time of the server, which is UTC, as the reader's clock does; one of today without its date. */
function localise(time) {
  const moment = new Date(time.dateTime);
  if (time.title || Number.isNaN(moment.getTime())) return;
  time.title = `${time.textContent.trim()} UTC`;
  const clock = `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  const isToday = moment.toDateString() === new Date(Date.now() + lead).toDateString();
  time.textContent = isToday ? zone.dataset.today.replace("{time}", clock) : `${dayOf(moment)} ${clock}`;
}

/** How far the server's clock is ahead: it tells whole seconds, so less than two are none. */
async function serversLead() {
  const began = Date.now();
  const answer = await fetch(`${base}/robots.txt`, { method: "HEAD", cache: "no-store" }).catch(() => null);
  const told = Date.parse(answer?.headers.get("date") ?? "") + SECOND_MS / 2;
  const ahead = told - (began + Date.now()) / 2;
  return Math.abs(ahead) < 2 * SECOND_MS || Number.isNaN(ahead) ? 0 : ahead;
}

/** "2 d 03:04:05", or nothing once the time has come. */
function left(until) {
  const seconds = Math.ceil((until - Date.now() - lead) / SECOND_MS);
  if (seconds <= 0) return "";
  const days = Math.floor(seconds / 86_400);
  const clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map(Math.floor).map(two).join(":");
  return days ? `${days} d ${clock}` : clock;
}

function countDown() {
  for (const one of document.querySelectorAll(".countdown")) {
    const time = left(Number(one.dataset.until));
    one.textContent = time && one.dataset.words.replace("{left}", time);
  }
}

function readMine() {
  try {
    const names = JSON.parse(localStorage.getItem(MINE) ?? "[]");
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
  } catch {
    return new Set(); // the reader's browser keeps nothing
  }
}

function keepMine(names) {
  try {
    localStorage.setItem(MINE, JSON.stringify([...names].slice(-MOST_MINE)));
  } catch {
    // It holds for this page only.
  }
}

let mine = readMine();

/** The name of the bot that a link leads to. */
function botOf(link) {
  const path = new URL(link.href).pathname.slice(base.length);
  try {
    return decodeURIComponent(path.match(/^\/bots\/([^/]+)$/)?.[1] ?? "");
  } catch {
    return "";
  }
}

function mark(link) {
  link.classList.toggle("mine", mine.has(botOf(link)));
}

function treat(root) {
  root.querySelectorAll("time[datetime]").forEach(localise);
  if (mine.size) root.querySelectorAll("main a[href*='/bots/']").forEach(mark);
}

function offer(button) {
  const { name } = button.dataset;
  button.hidden = false;
  button.setAttribute("aria-pressed", mine.has(name));
  button.addEventListener("click", () => {
    if (!mine.delete(name)) mine.add(name);
    keepMine(mine);
    button.setAttribute("aria-pressed", mine.has(name));
    document.querySelectorAll("main a[href*='/bots/']").forEach(mark);
  });
}

treat(document);
document.querySelectorAll(".mine-button").forEach(offer);
if (zone) zone.textContent = zone.dataset.local;
setInterval(countDown, SECOND_MS);
if (document.querySelector(".countdown")) {
  countDown();
  serversLead().then((ahead) => {
    lead = ahead;
    countDown();
  });
}
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE && node.parentElement) treat(node.parentElement);
  }
}).observe(document.querySelector("main"), { childList: true, subtree: true });
