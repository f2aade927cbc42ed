/** SVG and HTML elements from names, attributes and children; what is a string becomes text. */

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An SVG element; numbers in attributes are pixels of the drawing. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** An HTML element. */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** A group of a class. */
export function group(kind, ...children) {
  return svg("g", { class: kind }, ...children);
}

/** A group moved to a point. */
export function at(x, y, kind, ...children) {
  return svg("g", { class: kind, transform: `translate(${round(x)} ${round(y)})` }, ...children);
}

/** Words centred at a point. */
export function words(x, y, kind, content) {
  return svg("text", { class: kind, x: round(x), y: round(y) }, String(content));
}

/** A coordinate with one digit after the point: drawings stay small and comparable. */
export function round(value) {
  return Math.round(value * 10) / 10;
}

/** The points of a polygon as its attribute wants them. */
export function points(corners) {
  return corners.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
}
