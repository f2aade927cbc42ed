"""The driver for no sandbox: a program has the rights of the host."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polynya_hosting.sandbox.containment import Rights
from polynya_hosting.sandbox.guard_settings import settings_word
from polynya_hosting.sandbox.interface import Hears, LimitsHit, Program


@dataclass(frozen=True)
class PlainBox:
    """A program that is started as it is; see :class:`~.interface.Box`."""

    words: Sequence[str]
    directory: Path
    environment: Mapping[str, str]
    is_guarded: bool
    listens: bool = False
    output_bytes: int | None = None
    memory_mb: int | None = None
    owner: int | None = None
    inherits: Sequence[int] = ()

    def limits_hit(self) -> LimitsHit:
        """Nothing was watched."""
        return LimitsHit()


class NoSandbox:
    """The driver ``none``.

    Attributes:
        title, hears: see :class:`~polynya_hosting.sandbox.interface.Sandbox`.
    """

    title = "none"
    hears: Hears = "loopback"

    def flaw(self, inside: Rights) -> str:  # noqa: ARG002 - as of every sandbox
        """Nothing is promised."""
        return ""

    def lend(self, folder: Path) -> None:
        """Programs have the rights of the host."""

    @contextmanager
    def enclose(
        self, program: Program, guard: Sequence[str], *, only_try: bool = False
    ) -> Iterator[PlainBox]:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        settings = [settings_word({"try": 1} if only_try else {})] if guard else []
        yield PlainBox(
            [*guard, *settings, *program.words],
            program.directory,
            {**os.environ, **program.environment},
            is_guarded=bool(guard),
        )


NO_SANDBOX = NoSandbox()
