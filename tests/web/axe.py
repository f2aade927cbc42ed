"""What axe-core finds in a page: rules of accessibility that it breaks."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe
from playwright.sync_api import Page


def axe_findings(page: Page) -> list[tuple[str, list[str]]]:
    """The rules that are broken, with the elements, in light colours; of dark ones the contrast.

    Nothing but colours differs between the two, so the other rules are tried once.
    """
    _paint(page, "light")
    found = _found(page, DEFAULT_OPTIONS)
    _paint(page, "dark")
    return found + _found(page, {"runOnly": ["color-contrast"], **DEFAULT_OPTIONS})


def _paint(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the colours, and return when scripts that follow them have run."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _found(page: Page, options: dict[str, Any]) -> list[tuple[str, list[str]]]:
    violations = Axe().run(page, options=options).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations]
