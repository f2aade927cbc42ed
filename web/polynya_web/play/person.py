"""A person at the table: what his browser asks and plays, and whether he is still there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from polynya_protocol.messages import (
    PROTOCOL_VERSION,
    Error,
    FromClient,
    FromServer,
    Hello,
    Legal,
    MatchStart,
    Move,
    Ready,
    Resign,
    Software,
    Steps,
)
from polynya_web.play.following import Following
from polynya_web.play.link import Dial, Link, LinkError
from polynya_web.play.refusals import RefusedError
from polynya_web.play.views import Composed

_ANSWER_S = 20


class Person:
    """One person's seat in one match.

    Args:
        name: his name at the game server.
        token: what proves it.
        dial: opens a connection to the game server.

    Attributes:
        name: as above.
        following: the match as this seat sees it.
        link: the seat's connection.
        version: grows with everything that the page should be told.
        viewers: how many of his pages are open.
    """

    def __init__(self, name: str, token: str, dial: Dial) -> None:
        # He plays no game for whoever pairs those that are connected.
        hello = Hello(
            PROTOCOL_VERSION,
            name,
            token,
            games=[],
            wants=["legal", "state", "moved"],
            software=Software(name="a person in the browser"),
        )
        self.name = name
        self.following = Following()
        self.link = Link(dial, hello, self._take)
        self.version = 0
        self.viewers = 0
        self._changed = trio.Event()
        self._asking = trio.Lock()
        self._reply: Legal | Error | None = None
        self._replied = trio.Event()

    def announce(self) -> None:
        """Something has changed that the page should be told."""
        self.version += 1
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self, since: int) -> int:
        """Wait until the version is no longer ``since``; the version then."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while self.version == since:
            await self._changed.wait()
        return self.version

    @contextmanager
    def viewing(self) -> Iterator[None]:
        """One of his pages is open as long as the block lasts."""
        self.viewers += 1
        self.announce()
        try:
            yield
        finally:
            self.viewers -= 1
            self.announce()

    async def compose(self, turn: int, steps: list[list[Any]]) -> Composed:
        """What may follow these steps in the turn that he is asked for.

        Raises:
            RefusedError: he is not asked for it, or a step is not legal.
        """
        async with self._asking:
            legal = await self._ask(turn, steps)
        seen = self.following.after(steps) if steps and self._is_asked(turn) else None
        return Composed(legal.legal, legal.turn_over, seen)

    async def play(self, turn: int, steps: list[list[Any]]) -> None:
        """Play a turn, if it is a legal one: a slip of the page is no lost match.

        Raises:
            RefusedError: as above, or it is not a whole turn.
        """
        async with self._asking:
            if not steps or not (await self._ask(turn, steps)).turn_over:
                raise RefusedError("play.refused.unfinished")
            if self._is_asked(turn):
                await self._send(Move(self.following.match, turn, steps))
            if self._is_asked(turn):  # the next turn may have been asked for before that was sent
                self.following.asked = None
        self.announce()

    async def resign(self) -> None:
        """Give the match up; nothing if it has not begun or is over.

        Raises:
            RefusedError: the seat's connection is lost at the moment.
        """
        match, over = self.following.match, self.following.over
        if match is not None and over is None:
            await self._send(Resign(match))

    def _is_asked(self, turn: int) -> bool:
        asked = self.following.asked
        return asked is not None and asked.turn == turn

    async def _ask(self, turn: int, steps: list[list[Any]]) -> Legal:
        """The server's answer to ``steps``."""
        match = self.following.match
        if match is None or not self._is_asked(turn):
            raise RefusedError("play.refused.not_asked")
        self._reply, self._replied = None, trio.Event()
        await self._send(Steps(match, turn, steps))
        with trio.move_on_after(_ANSWER_S):
            await self._replied.wait()
        if self._reply is None:
            await self.link.drop()  # what comes at last is not to be taken for the next answer
            raise RefusedError("play.refused.no_answer")
        if isinstance(self._reply, Error):
            raise RefusedError("play.refused.by_server", sentence=self._reply.message)
        return self._reply

    async def _send(self, message: FromClient) -> None:
        try:
            await self.link.send(message)
        except LinkError as error:
            raise RefusedError("play.refused.no_answer") from error

    def _take(self, message: FromServer) -> FromClient | None:
        if isinstance(message, Legal | Error):
            self._reply = message
            self._replied.set()
            return None
        self.following.take(message)
        self.announce()
        return Ready(message.match) if isinstance(message, MatchStart) else None
