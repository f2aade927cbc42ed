"""Starts one process of a hosted bot, watches it until it ends or is lost, and reports its end."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from polynya_common.errors import RunError, unwrap_single_error
from polynya_common.file_names import file_stems
from polynya_common.reasons import Cause, Reason
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.bot_process import (
    BotEnd,
    BotLog,
    Listen,
    command_of,
    how_not_run,
    run_bot,
)
from polynya_hosting.bots.process_reports import ProcessReports
from polynya_hosting.bots.process_watch import End
from polynya_hosting.sandbox.guard_settings import MIB
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.no_sandbox import NO_SANDBOX
from polynya_protocol.names import folded
from polynya_server import Server

_POLL_INTERVAL_S = 0.1
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


@dataclass(frozen=True, slots=True)
class Address:
    """The address that hosted bots connect to."""

    host: str
    port: int

    def environment(self, name: str, token: str) -> dict[str, str]:
        """The environment variables that a bot gets."""
        return {
            "POLYNYA_HOST": _WILDCARDS.get(self.host, self.host),
            "POLYNYA_PORT": str(self.port),
            "POLYNYA_TOKEN": token,
            "POLYNYA_NAME": name,
        }


@dataclass(frozen=True, slots=True)
class HostServer:
    """The server that hosted bots play on.

    Attributes:
        address: the address that they connect to.
        admit: admits a process of a bot by its token: takes the bot's name, the token's SHA-256,
            the number of the process, and its version, None if only the process knows it.
        is_connected: whether a process of a bot is connected, by name and number.
        hear: lets the bot of a name connect to a socket in its sandbox until the context exits.
        sandbox: the sandbox that bots run in.
        turns: the matches of a process of a bot, by name and number, each with its turn number.
        reports: collects reports on processes.
        sandbox_words: the sandbox with its limits, for records.
    """

    address: Address
    admit: Callable[[str, bytes, int, str | None], None]
    is_connected: Callable[[str, int], bool]
    hear: Callable[[socket.socket, str], AbstractContextManager[None]] | None = None
    sandbox: Sandbox = NO_SANDBOX
    turns: Callable[[str, int], Mapping[str, int]] = lambda *_: {}
    reports: ProcessReports = field(default_factory=ProcessReports)
    sandbox_words: str = "none"

    @classmethod
    def of(
        cls,
        server: Server,
        sandbox: Sandbox,
        sandbox_words: str,
        reports: ProcessReports | None = None,
    ) -> HostServer:
        """A server as the processes of its bots see it; without ``reports`` it keeps none."""
        return cls(
            Address(server.host, server.port),
            server.add_token,
            server.has_process,
            server.hearing,
            sandbox,
            server.turns_of,
            reports or ProcessReports(),
            sandbox_words,
        )

    def listen(self, name: str) -> Listen | None:
        """The function that accepts connections of the bot with this name."""
        hear = self.hear
        return None if hear is None else lambda sock: hear(sock, name)


class SupervisedProcess:
    """One process of a bot, started again and again under the same token.

    Attributes:
        number: which of the bot's processes, from 1.
        token: proves the bot's name.
        was_connected: whether it has ever been connected.
    """

    def __init__(
        self,
        bot: BotConfiguration,
        configuration: TournamentConfiguration,
        number: int,
        token: str,
        seed: int,
        keep_log: bool,
        core: int | None = None,
    ) -> None:
        self.token = token
        self.was_connected = False
        self._name = bot.name
        self.number = number
        self._command = _seeded(command_of(bot), seed)
        self._log_path = _log_path(configuration, bot.name, number) if keep_log else None
        self._core = core
        self._start_ms = configuration.start_ms
        self._output_mb = configuration.sandbox.limits.output_mb

    async def run(
        self,
        server: HostServer,
        on_connected: Callable[[], None],
        on_advice: Callable[[str], None] = lambda _: None,
    ) -> ProcessEnd:
        """Start it and wait until it ends or has been away from the server for too long.

        Args:
            server: the server that it plays on.
            on_connected: called when it connects for the first time.
            on_advice: see :class:`BotLog`.

        Raises:
            RunError: its log cannot be written.
        """
        log = BotLog(self._log_path, most_bytes=self._output_mb * MIB)
        log.on_advice = on_advice
        how: Cause = ""
        used = ""
        end: BotEnd | None = None
        turns: Mapping[str, int] = {}

        def note_turns() -> None:
            nonlocal turns
            turns = server.turns(self._name, self.number)

        watching = server.reports.watching(
            self._name, self.number, server.sandbox_words, self._core
        )
        try:
            with unwrap_single_error(), watching as watch:
                async with trio.open_nursery() as nursery:

                    async def end_when_lost() -> None:
                        nonlocal how
                        how = await self._until_lost(server, on_connected)
                        note_turns()
                        nursery.cancel_scope.cancel()

                    nursery.start_soon(end_when_lost)
                    environment = server.address.environment(self._name, self.token)
                    end = await run_bot(
                        self._name,
                        self._command,
                        environment,
                        log,
                        sandbox=server.sandbox,
                        listen=server.listen(self._name),
                        on_ended=note_turns,
                        core=self._core,
                        watch=watch,
                    )
                    how = how_ended(end, turns)
                    if server.sandbox.title != "none":
                        used = usage_words(end)
                    nursery.cancel_scope.cancel()
                watch.finish(end_of(end, how, turns))
        except RunError as error:
            return ProcessEnd(self._name, how_not_run(error))
        finally:
            if how != "":
                log.note("; ".join(filter(None, [str(how), used])))
            log.close()
        return ProcessEnd(self._name, how, _tail(log), used)

    async def _until_lost(self, server: HostServer, on_connected: Callable[[], None]) -> Reason:
        """Wait until it has been away for ``start_ms``; return the reason."""
        limit_s = self._start_ms / 1000
        last_seen = trio.current_time()
        seen = False
        while trio.current_time() - last_seen < limit_s:
            if server.is_connected(self._name, self.number):
                last_seen = trio.current_time()
                if not seen:
                    seen = self.was_connected = True
                    on_connected()
            await trio.sleep(_POLL_INTERVAL_S)
        if seen:
            return Reason.of("not_connected_any_more", seconds=limit_s)
        return Reason.of("never_connected", seconds=limit_s)


def _log_path(configuration: TournamentConfiguration, name: str, number: int) -> Path:
    """``NAME.log``, and ``NAME.2.log`` and so on for further processes; see :func:`file_stems`."""
    stems = file_stems(bot.name for bot in configuration.bots)
    stem = stems[name]
    if number > 1:
        taken = {folded(other) for other in stems.values()}
        taken |= {folded(f"{other}.{number}") for other in stems.values() if other != stem}
        stem = f"{stem}.{number}"
        while folded(stem) in taken:
            stem += f".{number}"
    return Path(configuration.logs_folder) / f"{stem}.log"


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended.

    Attributes:
        name: the bot's.
        how: in a few words.
        log: its last output lines.
        used: the memory and processor time that it used, in words; empty if not reported.
    """

    name: str
    how: Cause
    log: str = ""
    used: str = ""

    def sentence(self, more: str = "") -> str:
        """The whole end as a sentence, with ``more`` words about how the process ended."""
        return "; ".join(filter(None, [f"bot {self.name} {self.how}{more}", self.used, self.log]))


def _seeded(command: BotCommand, seed: int) -> BotCommand:
    """Add ``POLYNYA_SEED`` to the command's environment, unless it is set there."""
    environment = {"POLYNYA_SEED": str(seed), **command.environment}
    return BotCommand(command.words, environment, command.directory, command.folder)


def how_ended(end: BotEnd, turns: Mapping[str, int] | None = None) -> Reason:
    """Say how a process ended, and which limits of its sandbox it hit.

    Args:
        end: how it ended.
        turns: the matches that it was in, each with its turn number.
    """
    during = [
        Reason.of("turn_of_match", turn=turn, match=match) for match, turn in (turns or {}).items()
    ]
    causes = [*end.limits, *_CAUSES.get(end.code, ())]
    if end.code < 0:
        return Reason.of("ended_by_signal", signal=-end.code, during=during, causes=causes)
    return Reason.of("exited", exit_code=end.code, during=during, causes=causes)


def end_of(end: BotEnd | None, how: Cause, turns: Mapping[str, int]) -> End:
    """Make the record of a process's end for its reports.

    Args:
        end: None if the host ended it.
        how: in words.
        turns: the matches that it was in, each with its turn number.
    """
    usage = None if end is None else end.usage
    return End(
        how,
        None if end is None else end.code,
        None if usage is None else usage.peak_bytes,
        () if end is None else end.limits,
        turns,
        time.time_ns() // 1_000_000,
    )


def usage_words(end: BotEnd) -> str:
    """The resources that a process used, in words; empty if they were not counted."""
    if end.usage is None:
        return ""
    return (
        f"it used {end.usage.peak_bytes / MIB:.0f} MiB of memory and "
        f"{end.usage.cpu_ms / 1000:.1f} s of processor time"
    )


def _causes() -> dict[int, tuple[Reason, ...]]:
    """Exit codes of signals that a limit sends; Windows has none of them."""
    words = {
        "SIGXCPU": Reason.of("cpu_used_up"),
        "SIGSYS": Reason.of("forbidden_system_call"),
        "SIGXFSZ": Reason.of("file_too_large"),
    }
    return {-getattr(signal, name): (why,) for name, why in words.items() if hasattr(signal, name)}


_CAUSES = _causes()


def _tail(log: BotLog) -> str:
    lines = log.last_lines()
    if not lines:
        return "it has written nothing" + (f" to {log.path}" if log.path else "")
    return f"{f'the end of {log.path}' if log.path else 'it wrote last'}: {' | '.join(lines)}"
