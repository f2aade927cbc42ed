"""Hosting uploaded bots: started for their matches, kept warm, ended when idle."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio
import trio.testing

from polynya_contest.config.builtin_bots import BotCommand, builtin_command
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import Address, HostServer
from polynya_protocol.messages import Clock
from polynya_server import Server, ServerSettings, hash_token, open_server
from polynya_server.errors import ServerStoppingError
from polynya_server.records import MatchRecord, MatchSetup, MemoryJournal
from polynya_tournaments.uploads.hosting import PROCESS, HostedVersion, UploadHost
from polynya_tournaments.uploads.settings import UploadSettings

PATIENCE_S = 60


def version(name: str, number: str = "1", command: BotCommand | None = None) -> HostedVersion:
    return HostedVersion(name, number, frozenset({"packeis"}), command or builtin_command("random"))


def versions(*names: str) -> Mapping[str, HostedVersion]:
    return {name: version(name) for name in names}


@dataclass
class Hosted:
    server: Server
    host: UploadHost
    matches: int = 0

    async def play(self, *names: str) -> MatchRecord:
        self.matches += 1
        setup = MatchSetup(
            match=f"m-{self.matches}",
            game="packeis",
            players=names,
            clock=Clock(move_ms=5_000),
            seed=self.matches,
        )
        with trio.fail_after(PATIENCE_S):
            return await self.host.play(setup)

    async def until(self, running: set[str]) -> None:
        """Wait until these processes run, and no others."""
        with trio.fail_after(PATIENCE_S):
            seen = self.server.version
            while self._running() != running:
                seen = await self.server.changed(seen)

    def _running(self) -> set[str]:
        server = self.server
        return {name for name in server.connected if server.has_process(name, PROCESS)}


@asynccontextmanager
async def hosting(logs: Path, **limits: float) -> AsyncIterator[Hosted]:
    async with open_server(ServerSettings(port=0, ready_ms=2_000), MemoryJournal()) as server:
        hosts = HostServer(Address(server.host, server.port), server.add_token, server.has_process)
        host = UploadHost(server, hosts, logs, UploadSettings(**limits))  # type: ignore[arg-type]
        async with trio.open_nursery() as nursery:
            await nursery.start(host.run)
            yield Hosted(server, host)
            nursery.cancel_scope.cancel()


async def test_an_available_bot_counts_as_there_without_running(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("cod"))

        assert list(hosted.host.connected) == ["cod"]
        assert list(hosted.server.connected) == []


async def test_bots_are_started_for_their_match(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada", "cod"))

        record = await hosted.play("ada", "cod")

    assert record.reason == "finished"
    assert (tmp_path / "cod.log").exists()


async def test_a_bot_stays_warm_for_its_next_match(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada", "cod"))
        await hosted.play("ada", "cod")
        await hosted.play("cod", "ada")

    assert (tmp_path / "cod.log").read_text().count("--- started") == 1


async def test_an_idle_bot_is_ended(tmp_path: Path) -> None:
    async with hosting(tmp_path, idle_s=0.2) as hosted:
        hosted.host.offer(versions("ada", "cod"))
        await hosted.play("ada", "cod")

        await hosted.until(running=set())
        assert set(hosted.host.connected) == {"ada", "cod"}


async def test_more_bots_than_processes_take_turns(tmp_path: Path) -> None:
    names = [f"bot{number}" for number in range(6)]
    async with hosting(tmp_path, processes=2) as hosted:
        hosted.host.offer(versions(*names))
        records: list[MatchRecord] = []

        async def play(*pair: str) -> None:
            records.append(await hosted.play(*pair))

        async with trio.open_nursery() as nursery:
            for first, second in zip(names[::2], names[1::2], strict=True):
                nursery.start_soon(play, first, second)

    assert [record.reason for record in records] == ["finished"] * 3


async def test_a_server_that_stops_starts_nothing_any_more(tmp_path: Path) -> None:
    never = BotCommand(("sleep", "1000"), {})
    names = [f"bot{number}" for number in range(6)]
    async with hosting(tmp_path, processes=2, start_s=PATIENCE_S * 2) as hosted:
        hosted.host.offer({name: version(name, command=never) for name in names})
        refused: list[str] = []

        async def play(*pair: str) -> None:
            try:
                await hosted.play(*pair)
            except ServerStoppingError as error:
                refused.append(str(error))

        async with trio.open_nursery() as nursery:
            for first, second in zip(names[::2], names[1::2], strict=True):
                nursery.start_soon(play, first, second)
            await trio.testing.wait_all_tasks_blocked(0.05)
            await hosted.server.stop(0)

    assert refused == ["the server plays no new matches: it is shutting down"] * 3
    assert len(list(tmp_path.iterdir())) == 2


async def test_a_bot_that_does_not_start_is_not_ready_for_its_match(tmp_path: Path) -> None:
    broken = version("cod", command=BotCommand(("false",), {}))
    async with hosting(tmp_path) as hosted:
        hosted.host.offer({**versions("ada"), "cod": broken})

        record = await hosted.play("ada", "cod")

    assert [(forfeit.seat, forfeit.reason) for forfeit in record.forfeits] == [(1, "not_ready")]


async def test_a_new_version_plays_the_next_match(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada", "cod"))
        await hosted.play("ada", "cod")
        hosted.host.offer({**versions("ada"), "cod": version("cod", "2")})

        record = await hosted.play("ada", "cod")

    assert record.reason == "finished"
    assert (tmp_path / "cod.log").read_text().count("--- started") == 2


async def test_a_version_that_is_withdrawn_is_ended_and_no_longer_there(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada", "cod"))
        await hosted.play("ada", "cod")

        hosted.host.offer(versions("ada"))

        await hosted.until(running={"ada"})
        assert list(hosted.host.connected) == ["ada"]


async def test_watchers_hear_of_bots_that_become_available(tmp_path: Path) -> None:
    heard: list[str] = []
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada"))
        with hosted.host.watching_bots(heard.append):
            hosted.host.offer(versions("ada", "cod"))

    assert heard[:2] == ["ada", "cod"]


async def test_the_owners_own_bot_plays_instead(tmp_path: Path) -> None:
    async with hosting(tmp_path) as hosted:
        hosted.host.offer(versions("ada", "cod"))
        await hosted.play("ada", "cod")
        hosted.server.add_token("cod", hash_token("of the owner"))
        command = builtin_command("random")
        own = HostServer(
            Address(hosted.server.host, hosted.server.port),
            hosted.server.add_token,
            hosted.server.has_process,
        )
        environment = {
            **command.environment,
            **own.address.environment("cod", "of the owner"),
        }
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_own, command, environment)
            await hosted.until(running={"ada"})

            record = await hosted.play("ada", "cod")
            nursery.cancel_scope.cancel()

    assert record.reason == "finished"
    assert (tmp_path / "cod.log").read_text().count("--- started") == 1


async def run_own(command: BotCommand, environment: Mapping[str, str]) -> None:
    await run_bot("cod", command, environment, BotLog(None))
