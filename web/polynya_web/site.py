"""What all pages share: the settings, the database, the game server, and how to ask them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar, cast

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from polynya_server import Server
from polynya_tournaments.store import Store
from polynya_web.settings import WebSettings

READERS = 4
"""How many questions to the database are answered at the same time."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Site:
    """One of each.

    Attributes:
        settings: of the web pages.
        store: the database; None where a single replay is shown.
        server: the game server of this process; None where only a database is looked at.
    """

    settings: WebSettings
    store: Store | None = None
    server: Server | None = None
    _readers: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(READERS))

    @property
    def database(self) -> Store:
        """The database.

        Raises:
            HTTPException: 404, there is none here.
        """
        if self.store is None:
            raise HTTPException(404, "there is no database here")
        return self.store

    async def ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in a thread, so that the loop of the game server never waits for it.

        For everything that asks the database, or reckons for longer than a millisecond::

            rows = await site.ask(site.database.ratings, game="packeis", players=2)
        """
        work = partial(question, *args, **kwargs)
        return await trio.to_thread.run_sync(work, limiter=self._readers)


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    return cast("Site", request.app.state.site)
