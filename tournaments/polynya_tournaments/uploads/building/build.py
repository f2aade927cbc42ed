"""Building an uploaded program: its commands run one after the other, in a sandbox of their own."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import trio

from polynya_common.errors import RunError
from polynya_contest.config.builtin_bots import BotCommand
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import how_ended
from polynya_hosting.sandbox.interface import Sandbox
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.building.mirror_proxy import DownloadError, MirrorProxy
from polynya_tournaments.uploads.manifest import Manifest

_LOG_LINES: Final = 2_000
_LOG_CHARACTERS: Final = 200_000
_LOOK_S: Final = 0.5
"""How often the size of the folder is looked at."""
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
        folder_bytes: how large its folder may become.
        folder_entries: how many files and folders may be in it.
    """

    wall_s: float = 1_800.0
    folder_bytes: int = 2 * 2**30
    folder_entries: int = 100_000


@dataclass(frozen=True)
class Built:
    """The outcome of building a program.

    Attributes:
        log: what its commands printed, for its author.
        failure: why it is not built, a sentence; None if it is.
    """

    log: str
    failure: str | None


class _FolderFullError(Exception):
    """The program's folder is larger than it may be; the message says how large."""


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
    """

    folder: Path
    manifest: Manifest
    sandbox: Sandbox
    limits: BuildLimits = field(default_factory=BuildLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    proxy: MirrorProxy = field(default_factory=MirrorProxy)
    _printed: list[str] = field(default_factory=list)

    async def run(self) -> Built:
        """Run its commands, until one fails.

        Raises:
            RunError: the sandbox does not work on this machine.
        """
        await trio.to_thread.run_sync(self.sandbox.lend, self.folder)
        failure = await self._failure()
        self._printed += [f"--- {line} ---" for line in self.proxy.report]
        await trio.to_thread.run_sync(take_back, self.folder)
        return Built("\n".join(self._printed)[-_LOG_CHARACTERS:], failure)

    async def _failure(self) -> str | None:
        with trio.move_on_after(self.limits.wall_s) as deadline:
            for number, words in enumerate(self.manifest.build_commands):
                failed = await self._command(f"build[{number}]", words)
                if failed is not None:
                    return failed
        if deadline.cancelled_caught:
            return f"building it takes longer than {self.limits.wall_s:g} s"
        return None

    async def _command(self, key: str, words: list[str]) -> str | None:
        """Run one; why it failed, None if it did not."""
        self._printed.append(f"$ {printable(shlex.join(words), 1_000)}")
        output = BotLog(None, kept_lines=_LOG_LINES)
        folder = str(self.folder)
        command = BotCommand(tuple(words), self.environment, folder, folder, writable=True)
        ended = ""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch_size)
                listen = partial(self.proxy.listening, nursery)
                end = await run_bot(key, command, {}, output, sandbox=self.sandbox, listen=listen)
                ended = "" if end.code == 0 else how_ended(end)
                nursery.cancel_scope.cancel()
        except* (_FolderFullError, DownloadError) as full:
            ended = str(_first(full))
        except* RunError as error:
            ended = str(error.exceptions[0]).removeprefix(f"bot {key} ")
        finally:
            lines = [line.replace(f"{folder}/", "") for line in output.last_lines()]
            self._printed += lines
        if not ended:
            return None
        because, advice = first_error(lines), self.proxy.advice
        return f"{key} {ended}{f': {because}' if because else ''}{f'; {advice}' if advice else ''}"

    async def _watch_size(self) -> None:
        while True:
            await trio.sleep(_LOOK_S)
            size, entries = await trio.to_thread.run_sync(_size, self.folder)
            if size > self.limits.folder_bytes:
                raise _FolderFullError(f"filled its folder with more than {size // 2**20} MiB")
            if entries > self.limits.folder_entries:
                raise _FolderFullError(f"made more than {self.limits.folder_entries:,} files")


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    """The first error of a group, or of the groups in it."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def first_error(lines: list[str]) -> str:
    """The line that says best what was wrong: the first that names an error, else the last."""
    said = [line.strip() for line in lines if line.strip()]
    found = next((line for line in said if _ERROR.search(line)), said[-1] if said else "")
    return printable(found, 300)


def _size(folder: Path) -> tuple[int, int]:
    """How many bytes, and how many files and folders, are in a folder."""
    size = entries = 0
    for path, folders, files in os.walk(folder):
        entries += len(folders) + len(files)
        for name in files:
            with suppress(OSError):  # it is gone by now
                size += os.lstat(os.path.join(path, name)).st_blocks * 512
    return size, entries


def take_back(folder: Path) -> None:
    """Take files that a sandbox has written: all may read them, only our user may change them."""
    owner, group = os.geteuid(), os.getegid()
    for path, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _take_back(os.path.join(path, name), owner, group)
    _take_back(str(folder), owner, group)


def _take_back(path: str, owner: int, group: int) -> None:
    found = os.lstat(path)
    if (found.st_uid, found.st_gid) != (owner, group):
        os.lchown(path, owner, group)
    if stat.S_ISREG(found.st_mode):
        os.chmod(path, 0o755 if found.st_mode & stat.S_IXUSR else 0o644)
    elif stat.S_ISDIR(found.st_mode):
        os.chmod(path, 0o755)  # noqa: S103 - all may read it, in their sandboxes
    elif not stat.S_ISLNK(found.st_mode):
        os.unlink(path)  # a pipe, a socket or a device is nothing that a program is built of
