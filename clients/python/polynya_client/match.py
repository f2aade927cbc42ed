"""A match that this bot plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from polynya_client.codec import Message
from polynya_client.errors import ConnectionLost
from polynya_client.events import (
    Clock,
    Forfeited,
    Moved,
    Player,
    field,
    optional,
    read_clock,
    read_players,
)


class Match:
    """A match; a bot may keep its own things under ``memory``.

    Attributes:
        id: the server's name for it.
        game: ``packeis``, ``arktia``, ``icecult`` or another installed game.
        seat: ours.
        players: all players, by seat.
        options: the game's set-up options.
        clock: the time limits.
        state: the position when the match began (or was taken up again), a dict as in the game's
            rules. With ``is_view`` it is no position, but what we may know of one.
        is_view: whether parts of the match are hidden from us.
        is_joint: whether several seats can be asked at the same time.
        acting: the seats that are asked now, ascending, in matches with joint turns or hidden
            parts; None elsewhere. The events of the match change it.
        resumed: whether it was taken up again after a lost connection or a new start.
        is_lost: whether we have given it up, or forfeited it.
        message: the server's message, with keys that this version does not know.
        memory: None; for all that a bot wants to remember until the match is over.
    """

    def __init__(self, message: Message, send: Callable[[Mapping[str, Any]], None]) -> None:
        self.id: str = field(message, "match", str)
        self.game: str = field(message, "game", str)
        self.seat: int = field(message, "seat", int)
        self.players: tuple[Player, ...] = read_players(message)
        self.options: dict[str, Any] = field(message, "options", dict)
        self.clock: Clock = read_clock(message)
        self.state: Any = field(message, "state", dict)
        self.is_view: bool = optional(message, "view", bool) or False
        self.is_joint: bool = optional(message, "joint", bool) or False
        self.acting: list[int] | None = optional(message, "acting", list)
        self.resumed: bool = message["type"] == "match_resume"
        self.resigned = False
        self.is_lost = False
        self.message = message
        self.memory: Any = None
        self._next_seq = field(message, "seq", int) + 1
        self._send = send

    def resign(self) -> None:
        """Give this match up; what ``choose`` gives afterwards is not sent."""
        self.resigned = self.is_lost = True
        self._send({"type": "resign", "match": self.id})

    def follow(self, message: Message) -> None:
        """Count an event of this match.

        Raises:
            ConnectionLost: an event is missing; only connecting again can bring the match back.
        """
        seq = field(message, "seq", int)
        if seq != self._next_seq:
            raise ConnectionLost(
                f"match {self.id}: event {self._next_seq} is missing, {seq} came instead"
            )
        self._next_seq += 1

    def told(self, event: Moved | Forfeited) -> None:
        """Take the seats that an event says are asked next, if it does."""
        if event.acting is not None:
            self.acting = event.acting
