"""What a remote seat has to know of the bot that sits on it and of the match it stands in."""

from __future__ import annotations

from typing import Protocol

from polynya_protocol.messages import MatchResume, MatchStart
from polynya_server.match.seat import Fault
from polynya_server.transport.connection import Connection


class Player(Protocol):
    """The bot."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def connection(self) -> Connection | None:
        """Where it is reached now, None while it is away."""

    @property
    def lost(self) -> str | None:
        """How it lost its last connection, a sentence; None while it has one, or never had one."""

    @property
    def wants_state(self) -> bool:
        """Whether every turn comes with the state."""

    @property
    def wants_legal(self) -> bool:
        """Whether every turn comes with the legal first steps."""

    @property
    def wants_moved(self) -> bool:
        """Whether it is told of its own turns too."""


class Table(Protocol):
    """The match."""

    @property
    def match(self) -> str:
        """The match's id."""

    @property
    def is_gathering(self) -> bool:
        """Whether it has yet to be decided who plays."""

    def start(self, seq: int, seat: int) -> MatchStart:
        """The first message to a seat."""

    def resume(self, seq: int, seat: int) -> MatchResume:
        """The message to a seat whose bot came back."""

    def on_ready(self) -> None:
        """A seat has become ready."""

    def on_fault(self, seat: int, fault: Fault) -> None:
        """A seat that is not being asked forfeits."""
