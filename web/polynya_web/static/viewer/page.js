/** What the pages with a viewer share: the texts and data that the server put into them. */

function embedded(id) {
  const element = document.getElementById(id);
  return element === null ? null : JSON.parse(element.textContent);
}

export const texts = embedded("texts");
export const data = embedded("data");

/** Says something to the reader where the viewer goes. */
export function notice(container, words) {
  const element = document.createElement("p");
  element.className = "notice";
  element.setAttribute("role", "status");
  element.textContent = words;
  container.replaceChildren(element);
}
