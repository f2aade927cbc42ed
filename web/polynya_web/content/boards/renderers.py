"""Renderers: scripts with which games draw their positions, each in a page for a sandboxed frame.

The page is served with a policy that lets its two scripts run, ours and the game's, and nothing
else: no network, no forms, no origin. So a renderer has no cookies and sees no other page.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from typing import NamedTuple

from polynya_games import UnknownGame, load
from polynya_server.log import log

MAX_BYTES = 500_000
_HARNESS = """
const polynya = (() => {
  const board = document.getElementById("board");
  let draw = null;
  let latest = null;
  const send = (message) => parent.postMessage({ polynya: 1, ...message }, "*");
  const tellHeight = () => send({ height: Math.ceil(board.getBoundingClientRect().height) });
  function show() {
    if (draw === null || latest === null) return;
    try {
      draw(latest, board);
      tellHeight();
    } catch (error) {
      send({ failed: String(error) });
    }
  }
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    latest = data;
    document.documentElement.style.colorScheme = data.scheme;
    show();
  });
  new ResizeObserver(() => latest !== null && draw !== null && tellHeight()).observe(board);
  return { onPosition(shown) { draw = shown; show(); } };
})();
"""
_PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ margin: 0; font-family: system-ui, sans-serif; }}</style></head>
<body><div id="board"></div><script>{harness}</script><script>{script}</script></body></html>
"""


class Renderer(NamedTuple):
    """The page of a game's renderer.

    Attributes:
        digest: a part of its address that changes with the script.
        page: the document.
        policy: its content security policy.
    """

    digest: str
    page: bytes
    policy: str


@lru_cache(64)
def renderer_of(name: str) -> Renderer | None:
    """The renderer of a game; None without one, or if no page can hold it."""
    try:
        game = load(name)
    except UnknownGame:
        return None
    script = game.renderer
    if not script:
        return None
    folded = script.lower()
    if len(script.encode()) > MAX_BYTES or "</script" in folded or "<!--" in folded:
        log.warning("a game's renderer is too long, or ends its element", game=name)
        return None
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in (_HARNESS, script))
    page = _PAGE.format(title=name, harness=_HARNESS, script=script).encode()
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors *; sandbox allow-scripts"
    )
    return Renderer(hashlib.sha256(page).hexdigest()[:16], page, policy)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
