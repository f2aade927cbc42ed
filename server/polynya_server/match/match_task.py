"""A match's own task in the server's nursery, and what came of it."""

from __future__ import annotations

import trio

from polynya_server.errors import ServerStoppingError
from polynya_server.log import log
from polynya_server.match.match import Match
from polynya_server.records.replay import MatchRecord


class MatchTask:
    """Plays a match for somebody who may stop waiting for it.

    Attributes:
        match: the match.
        done: set when it has ended.
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        self.done = trio.Event()
        self._record: MatchRecord | None = None
        self._error: Exception | None = None

    async def run(self) -> None:
        """Play; an error is kept for who asked for the match, and ends nothing else."""
        try:
            self._record = await self.match.play()
        except Exception as error:
            log.exception("a match was not recorded", match=self.match.match)
            self._error = error
        finally:
            self.done.set()

    def result(self) -> MatchRecord:
        """The record, or the error instead of it."""
        if self._error is not None:
            raise self._error
        if self._record is None:
            raise ServerStoppingError("the server was closed before the match had ended")
        return self._record
