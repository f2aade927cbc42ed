"""What axe-core finds in a page: rules of accessibility that it breaks."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe
from playwright.sync_api import Page

TOLD = """
(scheme) => {
  const query = matchMedia(`(prefers-color-scheme: ${scheme})`);
  const told = (done) => query.addEventListener("change", done, { once: true });
  return { told: query.matches ? Promise.resolve() : new Promise(told) };
}
"""
"""Resolved when scripts have been told of the colours: this listener is the last one."""
FADED = """
async ({ told }) => {
  await told;
  while (document.getAnimations().some((one) => one instanceof CSSTransition))
    await new Promise(requestAnimationFrame);
}
"""
"""Transitions, such as those of Swagger UI, have colours in between, with too little contrast."""


def axe_findings(page: Page) -> list[tuple[str, list[str]]]:
    """The rules that are broken, with the elements, in light colours; of dark ones the contrast.

    Nothing but colours differs between the two, so the other rules are tried once.
    """
    paint(page, "light")
    found = _found(page, DEFAULT_OPTIONS)
    paint(page, "dark")
    return found + _found(page, {"runOnly": ["color-contrast"], **DEFAULT_OPTIONS})


def paint(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the colours, and return when the page shows them: scripts and transitions are over."""
    told = page.evaluate_handle(TOLD, scheme)
    page.emulate_media(color_scheme=scheme)
    page.evaluate(FADED, told)


def _found(page: Page, options: dict[str, Any]) -> list[tuple[str, list[str]]]:
    violations = Axe().run(page, options=options).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations]
