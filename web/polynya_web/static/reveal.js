/**
 * The reveal of a hidden table: it begins as it was frozen, and each step tells the final place of one
 * bot, from the last place upwards; the last step shows the winner alone. `#step=3` in the address is
 * how far it has come, `?projector` shows it without what is around it.
 */

import { html } from "./boards/elements.js";
import { say } from "./boards/texts.js";
import { listenForProjector } from "./projector.js";

const { frozen, final, winner } = JSON.parse(document.getElementById("data").textContent);
const texts = JSON.parse(document.getElementById("texts").textContent);
const t = (key, values) => say(texts, `reveal.${key}`, values);
const rows = document.getElementById("reveal-rows");
const said = document.getElementById("reveal-said");
const frame = document.querySelector(".reveal-frame");
const stage = document.getElementById("reveal-winner");
const button = (name) => document.getElementById(`reveal-${name}`);
const before = new Map(frozen.map((line) => [line.name, line]));
const LEADERS = 10;
const steps = final.length + (winner ? 1 : 0);
const language = document.documentElement.lang;
const number = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);

const place = (line) => (line.place === null ? "–" : `${line.place}.`);

function cell(kind, ...content) {
  return html("td", { class: kind }, content);
}

function row(line, kind, values) {
  const made = html(
    "tr",
    { class: kind },
    cell("number reveal-place", place(line)),
    cell("named", html("bdi", {}, line.name)),
    cell("number", String(line.games)),
    ...values.map((value) => cell("number", value)),
  );
  made.dataset.name = line.name;
  return made;
}

/** A bot whose final place is known; what decides first has what was added since. */
function known(line, kind) {
  const was = before.get(line.name).first;
  const gained = line.first === null || was === null ? 0 : line.first - was;
  const change = gained > 0 ? html("span", { class: "reveal-gain" }, ` +${number(gained)}`) : null;
  const [first, ...others] = line.values;
  return row(line, kind, [[html("strong", {}, first), change], ...others]);
}

/** How many steps have been gone, as the address says. */
function step() {
  const asked = Number(/^#step=(\d{1,6})$/.exec(location.hash)?.[1] ?? 0);
  return Math.min(asked, steps);
}

/** A name within a sentence: one with letters of all kinds keeps its direction to itself. */
const isolated = (name) => (/^[\w.-]*$/.test(name) ? name : `\u2068${name}\u2069`);

function sentence(line) {
  const values = { name: isolated(line.name), place: place(line), points: line.said };
  if (!winner) return t("share", values);
  if (line.place === 1) return t(line.said ? "winner" : "winner_only", values);
  const was = before.get(line.name);
  const moved = was.games > 0 && was.place !== line.place;
  return t(moved ? "place" : "same", { ...values, before: place(was) });
}

/** The winner alone, with the two places behind it. */
function showWinner() {
  const first = final.filter((line) => line.place === 1);
  const behind = final.filter((line) => line.place > 1 && line.place <= 3).slice(0, 3);
  const names = first.flatMap((line, index) => [index ? ", " : "", html("bdi", {}, line.name)]);
  stage.replaceChildren(
    html("p", { class: "reveal-crown" }, t(first.length === 1 ? "crown" : "crowns")),
    html("p", { class: "reveal-champion" }, names),
    html("p", { class: "reveal-why" }, first[0]?.said ?? ""),
    html(
      "ol",
      { class: "reveal-behind" },
      behind.map((line) =>
        html("li", {}, [`${place(line)} `, html("bdi", {}, line.name), html("span", { class: "muted" }, ` ${line.said}`)]),
      ),
    ),
  );
}

/** Where each row stood on the screen, to let it slide from there. */
function positions() {
  return new Map([...rows.children].map((one) => [one.dataset.name, one.getBoundingClientRect().top]));
}

function slide(from) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const one of rows.children) {
    const moved = (from.get(one.dataset.name) ?? NaN) - one.getBoundingClientRect().top;
    if (!moved) continue;
    one.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 700, easing: "ease-in-out" });
  }
}

function show() {
  const count = Math.min(step(), final.length);
  const atEnd = step() > final.length;
  const told = final.slice(final.length - count);
  const names = new Set(told.map(({ name }) => name));
  const from = positions();
  rows.replaceChildren(
    ...frozen.filter(({ name }) => !names.has(name)).map((line) => row(line, "reveal-open", line.values)),
    ...told.map((line, index) => known(line, index === 0 ? "reveal-now" : "reveal-known")),
  );
  slide(from);
  rows.querySelector(".reveal-now")?.scrollIntoView({ block: "center" });
  said.textContent = count === 0 ? t("begin") : sentence(told[0]);
  said.classList.toggle("champion", winner && count > 0 && told[0].place === 1);
  frame.hidden = said.hidden = atEnd;
  stage.hidden = !atEnd;
  if (atEnd) showWinner();
  button("back").disabled = step() === 0;
  button("next").disabled = step() === steps;
  button("ten").hidden = final.length - count <= LEADERS;
}

function go(to) {
  const count = Math.min(Math.max(0, to), steps);
  if (count === step()) return;
  history.replaceState(history.state, "", count ? `#step=${count}` : location.pathname + location.search);
  show();
}

const next = () => go(step() + 1);
const back = () => go(step() - 1);
const keys = { ArrowRight: next, PageDown: next, ArrowLeft: back, PageUp: back, Home: () => go(0) };

button("next").addEventListener("click", next);
button("back").addEventListener("click", back);
button("ten").addEventListener("click", () => go(final.length - LEADERS));
addEventListener("hashchange", show);
document.addEventListener("keydown", (event) => {
  const presses = event.key === " " && !event.target.closest("button, a");
  const act = presses ? next : Object.hasOwn(keys, event.key) ? keys[event.key] : null;
  if (act === null || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act();
});
button("buttons").hidden = false;
listenForProjector(texts);
show();
