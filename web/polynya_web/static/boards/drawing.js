/** A board as a drawing of the game's own: SVG, of which the server lets plain shapes pass only. */

/**
 * The element of a drawing; it is read as XML, never as HTML.
 *
 * @param {{svg: string}} drawing as the API gives it.
 * @throws {Error} it is no SVG.
 */
export function drawShapes({ svg }) {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (read.nodeName !== "svg") throw new Error("a drawing is no SVG");
  const drawing = document.importNode(read, true);
  drawing.classList.add("board-drawing", "drawn");
  return drawing;
}
