/** A game's own renderer: a script in a sandboxed frame, which is sent positions and tells its height. */

import { html } from "./elements.js";

const PATIENCE_MS = 30_000; // to draw for the first time; meanwhile the plain board is shown
const [LOWEST, HIGHEST] = [40, 4_000];

/**
 * A frame that draws positions. It is hidden until the first is drawn.
 *
 * @param {string} address of the renderer's page.
 * @param {string} label for screen readers.
 * @param {{onDrawn: function(), onFailed: function()}} listener told once each, at most.
 * @returns {{element: Element, show: function(Object)}} show sends a position: plain data.
 */
export function createRenderer(address, label, { onDrawn, onFailed }) {
  const attributes = { class: "renderer renderer-waits", sandbox: "allow-scripts", src: address, title: label };
  const element = html("iframe", { ...attributes, referrerpolicy: "no-referrer" });
  let latest = null;
  let isLoaded = false;
  let isDrawn = false;
  let timer = null;

  function send() {
    if (!isLoaded || latest === null) return;
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const theme = document.documentElement.dataset.theme;
    element.contentWindow.postMessage({ ...latest, scheme: theme === "auto" || !theme ? scheme : theme }, "*");
  }

  function end() {
    clearTimeout(timer);
    removeEventListener("message", listen);
    element.remove();
    latest = null;
    onFailed();
  }

  function listen({ source, data }) {
    if (!element.isConnected || source !== element.contentWindow || data?.polynya !== 1) return;
    if (!Number.isFinite(data.height)) return end();
    clearTimeout(timer);
    timer = null;
    element.style.height = `${Math.min(HIGHEST, Math.max(LOWEST, data.height))}px`;
    if (isDrawn) return;
    isDrawn = true;
    element.classList.remove("renderer-waits");
    onDrawn();
  }

  addEventListener("message", listen);
  element.addEventListener("load", () => {
    isLoaded = true;
    send();
  });
  return {
    element,
    show(position) {
      latest = position;
      if (!isDrawn) timer ??= setTimeout(end, PATIENCE_MS);
      send();
    },
  };
}
