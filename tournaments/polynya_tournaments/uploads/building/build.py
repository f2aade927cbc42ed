"""Builds an uploaded program: runs its commands one after the other in a separate sandbox."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import trio

from polynya_common.errors import RunError, first_of
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_contest.config.builtin_bots import BotCommand, Room
from polynya_hosting.bots.bot_process import BotLog, how_not_run, run_bot
from polynya_hosting.bots.supervised_process import how_ended
from polynya_hosting.sandbox.guard_settings import MIB
from polynya_hosting.sandbox.interface import Sandbox
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.building.mirror_proxy import DownloadError, MirrorProxy
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.verdicts import settle_build
from polynya_tournaments.uploads.foreign_trees import (
    TreeBounds,
    TreeTooLargeError,
    measured,
    remove_tree,
)

_LOG_LINES: Final = 2_000
_LINE: Final = 10_000
"""Maximum length of a line before the folder's path is removed from it."""
_LOG_CHARACTERS: Final = 200_000
HOME: Final = ".polynya-home"
"""The home of a build, in the program's folder: tools leave out folders whose names begin so.

What one command downloads into it the next one finds, and the folder's limits hold for it.
"""
_LOOK_S: Final = 0.5
"""Interval of checks of the folder's size."""
_ERROR: Final = re.compile(
    r"\b(?:fatal )?error\b|\bundefined reference\b|\bcannot find\b|\bno such file\b|\bnot found\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BuildLimits:
    """The limits of building a program, beside those of its sandbox.

    Attributes:
        wall_s: how long all of its commands may take. The processor time is the sandbox's to limit:
            this is for commands that wait.
        folder: how large its folder may become.
    """

    wall_s: float = 1_800.0
    folder: TreeBounds = field(default_factory=TreeBounds)


@dataclass(frozen=True)
class Built:
    """The outcome of building a program.

    Attributes:
        log: what its commands printed, for its author.
        failure: why it is not built, a sentence; None if it is.
        size: how many bytes are in its folder then.
    """

    log: str
    failure: Cause | None
    size: int = field(default=0, compare=False)


@dataclass
class Build:
    """One program that is built.

    Attributes:
        folder: the program's, in which its commands run.
        manifest: has the commands.
        sandbox: in which they may write into the folder.
        limits: of the folder, and of the time.
        environment: variables of the commands; ``{POLYNYA_PORT}`` in them is the proxy's port.
        proxy: what the commands reach of the network.
        digest: of the manifest, which no command may change; None if that does not matter.
    """

    folder: Path
    manifest: Manifest
    sandbox: Sandbox
    limits: BuildLimits = field(default_factory=BuildLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    proxy: MirrorProxy = field(default_factory=MirrorProxy)
    digest: str | None = None
    _printed: list[str] = field(default_factory=list)

    async def run(self) -> Built:
        """Run its commands, until one fails.

        Raises:
            RunError: the sandbox does not work on this machine.
        """
        await trio.to_thread.run_sync(self._prepare)
        failure: Cause | None = await self._failure()
        await trio.to_thread.run_sync(self._remove_home)
        self._printed += [f"--- {line} ---" for line in self.proxy.report]
        size = 0
        if failure is None:
            try:
                size = await settle_build(self.folder, self.limits.folder, self.digest)
            except UploadError as error:
                failure = cause_of(error)
        log = "\n".join(self._printed)[-_LOG_CHARACTERS:]
        return Built(log, failure, size)

    @property
    def _home(self) -> Path:
        return self.folder / HOME

    def _prepare(self) -> None:
        """Make the home that all commands share, and give the folder to the sandbox."""
        self._remove_home()
        if self.manifest.build:
            self._home.mkdir()
        self.sandbox.lend(self.folder)

    def _remove_home(self) -> None:
        with suppress(OSError):  # it is a folder, as a rule
            self._home.unlink()
        remove_tree(self._home)

    async def _failure(self) -> Reason | None:
        with trio.move_on_after(self.limits.wall_s) as deadline:
            for number, words in enumerate(self.manifest.build_commands):
                failed = await self._command(f"build[{number}]", words)
                if failed is not None:
                    return failed
        if deadline.cancelled_caught:
            return Reason.of("build_too_slow", seconds=self.limits.wall_s)
        return None

    async def _command(self, key: str, words: list[str]) -> Reason | None:
        """Run one; why it failed, None if it did not."""
        self._printed.append(f"$ {printable(shlex.join(words), 1_000)}")
        output = BotLog(None, kept_lines=_LOG_LINES)
        folder = str(self.folder)
        room = Room(self.limits.folder.bytes // MIB, self.limits.folder.entries)
        environment = {"HOME": str(self._home), **self.environment}
        command = BotCommand(tuple(words), environment, folder, folder, room)
        ended: Cause = ""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch_size)
                listen = partial(self.proxy.listening, nursery)
                end = await run_bot(key, command, {}, output, sandbox=self.sandbox, listen=listen)
                ended = end.filled or ("" if end.code == 0 else how_ended(end))
                nursery.cancel_scope.cancel()
        except* (TreeTooLargeError, DownloadError) as full:
            ended = cause_of(first_of(full))
        except* RunError as errors:
            ended = how_not_run(first_of(errors))
        finally:
            lines = [printable(line.replace(f"{folder}/", "")) for line in output.last_lines(_LINE)]
            self._printed += lines
        if not ended:
            return None
        return Reason.of(
            "build_failed",
            command=key,
            how=ended,
            line=first_error(lines) or None,
            advice=self.proxy.advice or None,
        )

    async def _watch_size(self) -> None:
        while True:
            await trio.sleep(_LOOK_S)
            try:
                await trio.to_thread.run_sync(measured, self.folder, self.limits.folder)
            except OSError as error:
                raise TreeTooLargeError(Reason.of("build_folder_unreadable")) from error


def names_error(line: str) -> bool:
    """Whether a line of a build's output tells of an error, as compilers and tools word it."""
    return _ERROR.search(line) is not None


def first_error(lines: list[str]) -> str:
    """The most telling line of the output: the first that names an error, else the last."""
    said = [line.strip() for line in lines if line.strip()]
    found = next(filter(names_error, said), said[-1] if said else "")
    return printable(found, 300)
