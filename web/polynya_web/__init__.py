"""Contests in the browser: live boards, replays, ladders and tournaments, from the server's loop.

The command line finds :func:`open_pages` by the entry point group ``polynya.web``, as games are
found, so that nothing below has to import this package.
"""

from polynya_web.entry_point import open_pages, replay_page
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

__all__ = ["WebSettings", "open_pages", "open_web", "replay_page"]
