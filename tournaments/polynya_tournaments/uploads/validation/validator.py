"""Validates versions in separate processes, so that their matches do not delay the server's.

Drawing, playing and recording these matches takes tenths of a second at a time, and leaves garbage.
A process reads tasks from standard input, one after the other, and writes a verdict on each; its
start takes longer than a task, so it is kept. SIGTERM ends it, with the bots that it has started.
"""

from __future__ import annotations

import gc
import os
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO, Final

import msgspec
import trio

from polynya_common.errors import RunError, TournamentError
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.child_process import wait_ended
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.examination.examiner import end_with_server
from polynya_tournaments.uploads.validation.validation_matches import Validation, validate

_END_S: Final = 20.0
"""How long a process may take to end its bots."""
_HEADER: Final = struct.Struct(">I")


class _Task(msgspec.Struct, frozen=True):
    """The arguments of :func:`validate`."""

    bot: BotConfiguration
    manifest: Manifest
    contest: TournamentConfiguration


class _Verdict(msgspec.Struct, frozen=True):
    """The outcome of a task.

    Attributes:
        played: that of the matches.
        unable: why this machine could not play them now.
        mistake: the traceback of an unforeseen error.
    """

    played: Validation | None = None
    unable: str = ""
    mistake: str = ""


class Validators:
    """Validates versions, each in a process that does nothing else meanwhile."""

    def __init__(self) -> None:
        self._idle: list[_Process] = []

    async def validate(
        self, bot: BotConfiguration, manifest: Manifest, contest: TournamentConfiguration
    ) -> Validation:
        """Play a version's matches; see :func:`validate`.

        Raises:
            RunError: this machine cannot play them; the version may be good.
            RuntimeError: an unforeseen error has ended them.
        """
        process = self._idle.pop() if self._idle else _Process()
        try:
            verdict = await process.verdict(_Task(bot, manifest, contest))
        except BaseException:
            await process.end()
            raise
        self._idle.append(process)
        if verdict.mistake:
            raise RuntimeError(verdict.mistake)
        if verdict.played is None:
            raise RunError(verdict.unable)
        return verdict.played

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """End all processes at the end of the block, when none is at work any more."""
        try:
            yield
        finally:
            while self._idle:
                await self._idle.pop().end()


class _Process:
    """One process, as the server sees it."""

    def __init__(self) -> None:
        # Here, in the thread of the loop: it ends with the thread that started it. It steps back
        # for no matches of the contest, whose clock holds for its own.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101 - they are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._input = trio.lowlevel.FdStream(os.dup(self._process.stdin.fileno()))
        self._output = trio.lowlevel.FdStream(os.dup(self._process.stdout.fileno()))
        self._process.stdin.close()
        self._process.stdout.close()

    async def verdict(self, task: _Task) -> _Verdict:
        """Hand it a task, and wait for its verdict.

        Raises:
            RunError: it has ended.
        """
        text = msgspec.msgpack.encode(task)
        try:
            await self._input.send_all(_HEADER.pack(len(text)) + text)
            (length,) = _HEADER.unpack(await self._exactly(_HEADER.size))
            return msgspec.msgpack.decode(await self._exactly(length), type=_Verdict)
        except trio.BrokenResourceError as error:
            raise RunError("the process of validation has ended") from error

    async def _exactly(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            chunk = await self._output.receive_some(length - len(found))
            if not chunk:
                raise trio.BrokenResourceError
            found += chunk
        return bytes(found)

    async def end(self) -> None:
        """Let it end its bots, then end it."""
        with trio.CancelScope(shield=True):
            os.kill(self._process.pid, signal.SIGTERM)  # not terminate(), which may reap it
            with trio.move_on_after(_END_S):
                await wait_ended(self._process)
            self._process.kill()  # the guards of its bots end with it
            self._process.wait()
            await self._input.aclose()
            await self._output.aclose()


def main() -> None:
    """Do tasks until the server has no more."""
    end_with_server(signal.SIGTERM)
    tasks = sys.stdin.buffer
    with open(os.dup(sys.stdout.fileno()), "wb") as verdicts:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed is no verdict
        while (verdict := _done_next(tasks)) is not None:
            text = msgspec.msgpack.encode(verdict)
            verdicts.write(_HEADER.pack(len(text)) + text)
            verdicts.flush()
            gc.collect()


def _done_next(tasks: BinaryIO) -> _Verdict | None:
    """Do a task; None if there is none, or SIGTERM has come."""
    header = tasks.read(_HEADER.size)
    if not header:
        return None
    task = msgspec.msgpack.decode(tasks.read(*_HEADER.unpack(header)), type=_Task)
    return trio.run(_verdict, task)


async def _verdict(task: _Task) -> _Verdict | None:
    verdict = None
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def end() -> None:
                async for _ in signals:
                    nursery.cancel_scope.cancel()

            nursery.start_soon(end)
            try:
                verdict = _Verdict(await validate(task.bot, task.manifest, task.contest))
            except (TournamentError, OSError) as error:
                verdict = _Verdict(unable=str(error) or "validation failed on this machine")
            except Exception:
                verdict = _Verdict(mistake=traceback.format_exc())
            nursery.cancel_scope.cancel()
    return verdict


if __name__ == "__main__":
    main()
