/**
 * The reveal of a hidden table: it begins as it was frozen, and each step tells the final place of one
 * bot, from the last place upwards. `#step=3` in the address is how far it has come.
 */

import { html } from "./boards/elements.js";
import { say } from "./boards/texts.js";
import { listenForProjector } from "./projector.js";

const { frozen, final } = JSON.parse(document.getElementById("data").textContent);
const texts = JSON.parse(document.getElementById("texts").textContent);
const t = (key, values) => say(texts, `reveal.${key}`, values);
const rows = document.getElementById("reveal-rows");
const said = document.getElementById("reveal-said");
const button = (name) => document.getElementById(`reveal-${name}`);
const before = new Map(frozen.map((line) => [line.name, line]));
const LEADERS = 10;
const language = document.documentElement.lang;
const number = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);

const place = (line) => (line.place === null ? "–" : `${line.place}.`);

function cell(kind, ...content) {
  return html("td", { class: kind }, content);
}

function row(line, kind, points) {
  const made = html(
    "tr",
    { class: kind },
    cell("number reveal-place", place(line)),
    cell("named", html("bdi", {}, line.name)),
    cell("number", String(line.games)),
    cell("number", points),
  );
  made.dataset.name = line.name;
  return made;
}

/** A bot whose final place is known, with its points before and after. */
function known(line, kind) {
  const gained = line.points - before.get(line.name).points;
  const change = gained ? html("span", { class: "reveal-gain" }, ` +${number(gained)}`) : null;
  return row(line, kind, [html("strong", {}, number(line.points)), change]);
}

/** How many bots are known, as the address says. */
function step() {
  const asked = Number(/^#step=(\d{1,6})$/.exec(location.hash)?.[1] ?? 0);
  return Math.min(asked, final.length);
}

function sentence(line) {
  const { name } = line;
  const values = { name: /^[\w.-]*$/.test(name) ? name : `\u2068${name}\u2069`, place: place(line), points: line.said };
  const was = before.get(name);
  const moved = was.games > 0 && was.place !== line.place;
  const key = line.place === 1 ? "winner" : moved ? "place" : "same";
  return t(key, { ...values, before: place(was) });
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
  const count = step();
  const told = final.slice(final.length - count);
  const names = new Set(told.map(({ name }) => name));
  const from = positions();
  rows.replaceChildren(
    ...frozen.filter(({ name }) => !names.has(name)).map((line) => row(line, "reveal-open", number(line.points))),
    ...told.map((line, index) => known(line, index === 0 ? "reveal-now" : "reveal-known")),
  );
  slide(from);
  rows.querySelector(".reveal-now")?.scrollIntoView({ block: "center" });
  said.textContent = count === 0 ? t("begin") : sentence(told[0]);
  said.classList.toggle("champion", count > 0 && told[0].place === 1);
  button("back").disabled = count === 0;
  button("next").disabled = count === final.length;
  button("ten").hidden = final.length - count <= LEADERS;
}

function go(to) {
  const count = Math.min(Math.max(0, to), final.length);
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
