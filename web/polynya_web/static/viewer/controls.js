/** The buttons below the board, the slider, and the keys that do the same. */

import { html, svg } from "../boards/elements.js";
import { say } from "../boards/texts.js";
import { SPEEDS } from "./player.js";

const ICONS = {
  first: "M5,4V20M19,4L8,12L19,20Z",
  back_turn: "M12,5L4,12L12,19ZM21,5L13,12L21,19Z",
  back: "M17,5L7,12L17,19Z",
  play: "M7,4L20,12L7,20Z",
  pause: "M7,4V20M16,4V20",
  forward: "M7,5L17,12L7,19Z",
  forward_turn: "M3,5L11,12L3,19ZM12,5L20,12L12,19Z",
  last: "M19,4V20M5,4L16,12L5,20Z",
};

function icon(name) {
  return svg(
    "svg",
    { class: "control-icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }),
  );
}

/**
 * @param {Object} texts texts by key.
 * @param {Object} player what `createPlayer` gives.
 * @param {{link: (function(): string)|null, jump: function(number), download: string|null}} links
 *   link gives the address of what is shown, jump goes to a turn.
 */
export function createControls(texts, player, links) {
  const t = (key, values) => say(texts, `viewer.${key}`, values);
  const slider = html("input", {
    type: "range",
    class: "viewer-slider",
    min: 0,
    step: 1,
    "aria-label": t("slider"),
  });
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  const play = button("play", () => player.toggle());
  const live = html(
    "button",
    { type: "button", class: "viewer-live", hidden: true, "aria-keyshortcuts": "End" },
    t("go_live"),
  );
  live.addEventListener("click", () => player.follow());
  const badge = html("span", { class: "viewer-badge tag", hidden: true });
  const place = html("span", { class: "viewer-place" });
  const buttons = html(
    "div",
    { class: "viewer-buttons", role: "group", "aria-label": t("controls") },
    button("first", () => player.first()),
    button("back_turn", () => player.turn(false)),
    button("back", () => player.step(-1)),
    play,
    button("forward", () => player.step(1)),
    button("forward_turn", () => player.turn(true)),
    button("last", () => player.end()),
  );
  const bar = html(
    "div",
    { class: "viewer-bar" },
    slider,
    html(
      "div",
      { class: "viewer-row" },
      buttons,
      html("span", { class: "viewer-state" }, badge, live, place),
      speeds(),
    ),
  );
  const file = download();
  const help = html("p", { class: "viewer-help muted small" }, t("keys"));
  const tools = html(
    "div",
    { class: "viewer-tools" },
    jump(),
    copyLink(),
    file,
    help,
  );

  function button(name, onClick) {
    const made = html(
      "button",
      { type: "button", class: `control control-${name}`, "aria-label": t(name), title: t(name) },
      icon(name),
    );
    made.addEventListener("click", onClick);
    return made;
  }

  function speeds() {
    const options = SPEEDS.map((speed) =>
      html("option", { value: speed, selected: speed === 1 }, `${speed}×`),
    );
    const select = html("select", { class: "viewer-speed", "aria-label": t("speed") }, options);
    select.addEventListener("change", () => player.setSpeed(Number(select.value)));
    return select;
  }

  function jump() {
    const input = html("input", {
      type: "number",
      min: 0,
      inputmode: "numeric",
      class: "viewer-jump",
    });
    const form = html(
      "form",
      {},
      html("label", {}, t("jump"), " ", input),
      " ",
      html("button", {}, t("jump_go")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      links.jump(Number(input.value));
    });
    return form;
  }

  function copyLink() {
    if (links.link === null) return null;
    const made = html("button", { type: "button", class: "viewer-copy" }, t("copy"));
    const field = html("input", {
      class: "viewer-link",
      readonly: true,
      hidden: true,
      "aria-label": t("link"),
    });
    made.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(links.link());
        made.textContent = t("copied");
      } catch {
        Object.assign(field, { hidden: false, value: links.link() });
        field.select();
      }
    });
    return html("span", { class: "viewer-copying" }, made, field);
  }

  function download() {
    if (links.download === null) return null;
    return html("a", { class: "button", href: links.download, download: "" }, t("download"));
  }

  function placeWords(timeline, index) {
    const frame = timeline.frames[index];
    const steps = timeline.turnAt(index)?.steps.length ?? 1;
    const values = {
      turn: frame.turn,
      last: timeline.frames.at(-1).turn,
      step: frame.step_index + 1,
      steps,
    };
    return t(steps === 1 ? "place" : "place_step", values);
  }

  function badgeWords(timeline, index, following) {
    if (following) return t("live");
    const behind = timeline.frames.at(-1).turn - timeline.frames[index].turn;
    if (behind === 0) return t("paused");
    return behind === 1 ? t("behind_one") : t("behind", { turns: behind });
  }

  function show(timeline, index, { playing, following }) {
    const inPlay = timeline.match.in_play;
    const goesOn = playing || following;
    const words = placeWords(timeline, index);
    slider.max = timeline.last;
    slider.value = index;
    slider.setAttribute("aria-valuetext", words);
    place.textContent = words;
    play.replaceChildren(icon(goesOn ? "pause" : "play"));
    for (const name of ["aria-label", "title"])
      play.setAttribute(name, t(goesOn ? "pause" : "play"));
    badge.hidden = !inPlay;
    badge.classList.toggle("live", following);
    badge.textContent = badgeWords(timeline, index, following);
    live.hidden = !inPlay || following;
    if (file !== null) file.hidden = timeline.match.reason === null;
    const copy = tools.querySelector(".viewer-copy");
    if (copy !== null) copy.textContent = t("copy");
  }

  return { bar, tools, show };
}

/** The keys of the viewer, wherever but in fields to fill in; until `signal` aborts. */
export function listenToKeys(player, signal) {
  const keys = {
    " ": () => player.toggle(),
    ArrowLeft: (event) => (event.shiftKey ? player.turn(false) : player.step(-1)),
    ArrowRight: (event) => (event.shiftKey ? player.turn(true) : player.step(1)),
    Home: () => player.first(),
    End: () => player.end(),
  };
  document.addEventListener(
    "keydown",
    (event) => {
      const inField = event.target.closest?.("input, select, textarea");
      const pressesIt =
        event.key === " " && event.target.closest?.("button, a, summary, [role=button]");
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.altKey ||
        event.metaKey ||
        inField ||
        pressesIt
      )
        return;
      if (!Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key](event);
    },
    { signal },
  );
}
