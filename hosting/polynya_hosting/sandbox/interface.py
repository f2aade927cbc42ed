"""The interface of sandboxes: a sandbox encloses a program for as long as it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from polynya_common.reasons import Cause
from polynya_contest.config.builtin_bots import Room
from polynya_hosting.sandbox.containment import Rights

Hears = Literal["guard", "loopback", "address"]
"""Where the socket lies that one program alone connects to: made by the guard, in a network of the
sandbox's; here on loopback; here at the server's address, where the network is not known."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is to be started.

    Attributes:
        words: its command.
        environment: the variables that are its own.
        directory: its working directory.
        folder: the folder that it may read; None for none.
        room: how much it may write into that folder, which is then its working directory, as a
            build does; None for nothing.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    folder: Path | None = None
    room: Room | None = None


@dataclass(frozen=True, slots=True)
class LimitsHit:
    """The limits that an ended program has met in its sandbox, and the most memory it used.

    Attributes:
        words: each limit that it met, as in ``512 MiB of memory used up``.
        peak_bytes: the most memory that it used; None if the sandbox does not count it.
    """

    words: tuple[Cause, ...] = ()
    peak_bytes: int | None = None


class Box(Protocol):
    """One program's sandbox, from before its start until after its end."""

    @property
    def words(self) -> Sequence[str]:
        """The words of the command that is started."""

    @property
    def directory(self) -> Path:
        """The working directory to start it in."""

    @property
    def environment(self) -> Mapping[str, str]:
        """All variables to start it with."""

    @property
    def is_guarded(self) -> bool:
        """Whether the words begin with the guard, or lead to it."""

    @property
    def listens(self) -> bool:
        """Whether the guard makes the socket that the program connects to."""

    @property
    def output_bytes(self) -> int | None:
        """How much of its output is read at full speed; None for all."""

    @property
    def owner(self) -> int | None:
        """The user that it runs as and that its output belongs to; None for ours."""

    @property
    def inherits(self) -> Sequence[int]:
        """The server's descriptors that the started program inherits."""

    @property
    def memory_mb(self) -> int | None:
        """How much memory the program may use, in MiB; None for all."""

    def limits_hit(self) -> LimitsHit:
        """The limits that the program met; to be asked before the box is closed."""


class Sandbox(Protocol):
    """A way to start programs."""

    @property
    def title(self) -> str:
        """The sandbox in words, for records, as in ``bubblewrap 0.8.0``."""

    @property
    def hears(self) -> Hears:
        """Where the socket of each program lies."""

    def flaw(self, inside: Rights) -> str:
        """How a program with these rights is not contained, in words; empty if it is."""

    def lend(self, folder: Path) -> None:
        """Let programs that may write into this folder do so; blocking.

        Raises:
            OSError: it cannot be given to them.
        """

    def enclose(
        self, program: Program, guard: Sequence[str], *, only_try: bool = False
    ) -> AbstractContextManager[Box]:
        """A box for a program; at the end of the block nothing of it is left.

        Args:
            program: which.
            guard: the words that start the guard (:mod:`polynya_hosting.bots.guard`), up to its
                settings; empty where the system has no guards.
            only_try: let the guard see whether the program could be started, and start nothing.

        Raises:
            OSError: the box cannot be made.
        """
