/* Snakes with round bodies and eyes: a renderer of the game's own. `polynya.onPosition` is the only
   thing that the page gives it; the script runs in a frame without a network. */

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["#e8951f", "#2f74c8", "#b8302a", "#46b59b", "#8a5bc0", "#2f9150", "#b84a91", "#76832d"];

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

polynya.onPosition(({ state: { size, snakes, food }, scheme }, board) => {
  const at = ([x, y]) => [10 * x + 5, 10 * (size - 1 - y) + 5];
  const isDark = scheme === "dark";
  const [ground, line] = isDark ? ["#17364a", "#24485e"] : ["#f4f9fc", "#d3e1ea"];
  const drawing = element("svg", { viewBox: `0 0 ${10 * size} ${10 * size}`, role: "img", "aria-label": "Snakes" });
  drawing.append(element("rect", { width: 10 * size, height: 10 * size, fill: ground }));
  for (let place = 1; place < size; place += 1) {
    drawing.append(element("path", { d: `M${10 * place},0V${10 * size}M0,${10 * place}H${10 * size}`, stroke: line, "stroke-width": 0.4 }));
  }
  for (const [x, y] of food.map(at)) drawing.append(element("circle", { cx: x, cy: y, r: 3, fill: isDark ? "#ffd479" : "#dd9f00" }));
  snakes.forEach(({ body }, seat) => {
    if (body.length === 0) return;
    const points = body.map(at).join(" ");
    const [x, y] = at(body[0]);
    drawing.append(
      element("polyline", { points, fill: "none", stroke: COLOURS[seat], "stroke-width": 7, "stroke-linecap": "round", "stroke-linejoin": "round" }),
      element("circle", { cx: x, cy: y, r: 4.4, fill: COLOURS[seat] }),
      element("circle", { cx: x - 1.6, cy: y - 1.4, r: 1.2, fill: "#ffffff" }),
      element("circle", { cx: x + 1.6, cy: y - 1.4, r: 1.2, fill: "#ffffff" }),
    );
    const number = element("text", { x, y: y + 3.2, "font-size": 4, "font-weight": 700, "text-anchor": "middle", fill: "#ffffff" });
    number.textContent = String(seat);
    drawing.append(number);
  });
  drawing.style.cssText = "display: block; width: 100%; border-radius: 12px";
  board.replaceChildren(drawing);
});
