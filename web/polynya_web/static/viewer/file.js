/** The viewer in a file of its own: all that it needs is in the page, and it asks for nothing. */

import { listenForProjector } from "../projector.js";
import { data, texts } from "./page.js";
import { createViewer } from "./viewer.js";

/** Shows the match of the page; a file has no address that others could open, a course page has. */
export function showFile(createBoard) {
  const address = location.protocol === "file:" ? null : location.pathname;
  const container = document.getElementById("viewer");
  listenForProjector(texts);
  const replay = { ...data, renderer: null }; // its frame is on a server
  return createViewer(container, { texts, replay, address, download: null, createBoard });
}
