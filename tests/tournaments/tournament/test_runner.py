"""Whole tournaments: a real server, real bot processes, over loopback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import trio

from polynya_common.errors import RunError
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_contest.pairing.standings import Standings
from polynya_contest.secret import Secret
from polynya_hosting.bots import supervisor
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import Address
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Store
from polynya_tournaments.tournament import runner
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import RunOptions, run_tournament

PLAYS = "from polynya_client import run; run(lambda turn: [turn.legal[0]])"
"""A bot that always plays the first legal step."""


def bot(name: str, program: str = PLAYS) -> BotConfiguration:
    return BotConfiguration(name=name, command=[sys.executable, "-c", program])


def cup(store: Store, *bots: BotConfiguration, **changes: object) -> TournamentConfiguration:
    configuration = TournamentConfiguration(
        name="cup",
        game="packeis",
        bots=list(bots),
        clock=Clock(initial_ms=600_000),
        seed=11,
        database=str(store.address),
        start_ms=120_000,
    )
    return msgspec.structs.replace(configuration, **changes)


class Watcher(Reporter):
    """Notes what is reported, and does something when a match is over."""

    def __init__(self, on_match: Callable[[RunProgress], None] = lambda _progress: None) -> None:
        self.warnings: list[str] = []
        self.waited_for: list[list[str]] = []
        self.tokens: dict[str, str] = {}
        self.address: Address | None = None
        self._on_match = on_match

    def listening(self, host: str, port: int) -> None:
        self.address = Address(host, port)

    def token_created(self, name: str, token: str) -> None:
        self.tokens[name] = token

    def waiting(self, names: Sequence[str]) -> None:
        self.waited_for.append(list(names))

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self._on_match(progress)

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


async def run(
    configuration: TournamentConfiguration,
    store: Store,
    watcher: Watcher | None = None,
    stop: trio.Event | None = None,
    grace_ms: int = 10_000,
) -> Standings:
    with trio.fail_after(300):
        stop = trio.Event() if stop is None else stop
        options = RunOptions(stop=stop, grace_ms=grace_ms)
        return await run_tournament(configuration, store, watcher, options)


async def test_a_tournament_is_played_and_recorded(store: Store) -> None:
    watcher = Watcher()
    table = await run(cup(store, bot("ann"), bot("bob"), bot("cid")), store, watcher)
    assert (table.played, table.scheduled, table.unplayed) == (6, 6, ())
    assert {row.games for row in table.rows} == {4}
    assert sum(row.points for row in table.rows) == 6
    assert (watcher.waited_for, watcher.warnings) == ([], [])
    assert store.ratings.differences() == []


async def test_every_result_has_its_replay(store: Store) -> None:
    await run(cup(store, bot("ann"), bot("bob")), store)
    replays = {name: decode_replay(document) for name, document in store.matches.replays()}
    rows = {row.match: row for row in store.matches.find()}
    assert replays.keys() == rows.keys() == {"cup-1", "cup-2"}
    for name, record in replays.items():
        assert record.ranking == [seat.rank for seat in rows[name].seats]
        assert record.setup.seed == rows[name].seed


async def test_both_matches_of_a_block_begin_from_the_same_position(store: Store) -> None:
    await run(cup(store, bot("ann"), bot("bob")), store)
    one, two = (decode_replay(document) for _, document in store.matches.replays())
    assert one.state == two.state
    assert one.setup.players == two.setup.players[::-1]


async def test_matches_of_four(store: Store) -> None:
    bots = [bot(name) for name in ("ann", "bob", "cid", "dot")]
    table = await run(cup(store, *bots, players=4), store)
    assert (table.played, table.players) == (4, 4)
    assert sum(row.points for row in table.rows) == 4 * 6


async def test_a_finished_tournament_needs_no_bots(store: Store) -> None:
    finished = await run(cup(store, bot("ann"), bot("bob")), store)
    again = await run(cup(store, bot("ann", "never runs"), bot("bob", "nor this")), store)
    assert again == finished


async def test_a_stopped_tournament_goes_on_where_it_stopped(store: Store) -> None:
    stop = trio.Event()
    watcher = Watcher(lambda progress: stop.set() if progress.played_now == 3 else None)
    configuration = cup(store, bot("ann"), bot("bob"), bot("cid"), cycles=2)
    stopped = await run(configuration, store, watcher, stop)
    assert 3 <= stopped.played < 12
    table = await run(configuration, store)
    assert (table.played, table.complete) == (12, True)
    results = [row for row in store.matches.find() if row.seats[0].rank is not None]
    assert len(results) == 12


async def test_a_match_that_does_not_end_in_time_is_aborted_and_not_rated(store: Store) -> None:
    thinks = "import time; from polynya_client import run; run(lambda turn: time.sleep(1000))"
    stop = trio.Event()

    async def stop_during_the_first_match() -> None:
        while not store.matches.find():
            await trio.sleep(0.01)
        stop.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stop_during_the_first_match)
        table = await run(cup(store, bot("ann", thinks), bot("bob")), store, None, stop, 100)
    assert (table.played, store.matches.get("cup-1").reason, store.ratings.find()) == (
        0,
        "aborted",
        [],
    )


async def test_crashed_bot_is_started_again_and_its_output_reported(
    store: Store, tmp_path: Path
) -> None:
    crashes_once = f"""
from pathlib import Path
from polynya_client import run
mark = Path({str(tmp_path / "crashed")!r})
def choose(turn):
    if not mark.exists():
        mark.touch()
        raise RuntimeError("out of fish")
    return [turn.legal[0]]
run(choose)
"""
    watcher = Watcher()
    # One match at a time: the second waits for the bot that crashed in the first.
    configuration = cup(store, bot("ann"), bot("bob", crashes_once), concurrency=1)
    table = await run(configuration, store, watcher)
    assert table.complete
    assert {row.name: row.forfeits for row in table.rows} == {"ann": 0, "bob": 1}
    ended, in_match = watcher.warnings
    assert "bot bob ended by itself with exit code 1" in ended
    assert "out of fish" in ended
    assert in_match.startswith("bot bob in cup-1: it sent no answer")


async def test_a_bot_that_goes_on_crashing_costs_its_own_matches_only(store: Store) -> None:
    crashes = "from polynya_client import run; run(lambda turn: 1 / 0)"
    watcher = Watcher()
    configuration = cup(store, bot("ann"), bot("bob"), bot("cid", crashes), cycles=3, restarts=1)
    table = await run(configuration, store, watcher)
    games = {row.name: row.games for row in table.rows}
    assert (table.played, table.complete) == (6 + games["cid"], True)
    (unplayed,) = table.unplayed
    assert "bot cid ended by itself with exit code 1" in str(unplayed)
    [last] = [sentence for sentence in watcher.warnings if "not started again" in sentence]
    assert "ZeroDivisionError" in last


BROKEN = {
    "exits at once": bot("cid", "raise SystemExit('no engine found')"),
    "is no program": BotConfiguration(name="cid", command=["/nowhere/engine"]),
    "never connects": bot("cid", "import time; print('engine?', flush=True); time.sleep(99)"),
}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_bot_that_does_not_start_costs_its_own_matches_only(store: Store, how: str) -> None:
    watcher = Watcher()
    configuration = cup(store, bot("ann"), bot("bob"), BROKEN[how], restarts=1, start_ms=4_000)
    table = await run(configuration, store, watcher)
    assert (table.played, table.complete) == (2, True)
    assert {row.name: row.points for row in table.rows}["cid"] == 0
    assert sum(row.points for row in table.rows) == 6
    (why,) = {str(sentence).partition(": ")[2] for sentence in table.unplayed}
    assert why.startswith("bot cid ")
    assert "in the last of 2 starts" in why
    assert {"exits at once": "no engine found", "is no program": "/nowhere/engine"}.get(
        how, "engine?"
    ) in why


@pytest.mark.parametrize("format_", ["knockout", "swiss", "round_robin"])
async def test_of_two_bots_that_do_not_start_neither_gains(store: Store, format_: str) -> None:
    lost = [bot(name, "raise SystemExit('no engine')") for name in ("cid", "dot")]
    bots = [bot("ann"), *lost, bot("bob")]
    swiss = SwissSettings(rounds=2) if format_ == "swiss" else None
    table = await run(cup(store, *bots, format=format_, swiss=swiss, restarts=0), store)
    points = {row.name: row.points for row in table.rows}
    assert (table.complete, points["cid"], points["dot"]) == (True, 0, 0)
    assert {row.name for row in table.rows[:2]} == {"ann", "bob"}


async def test_the_others_do_not_wait_for_a_bot_that_does_not_connect(store: Store) -> None:
    stop = trio.Event()
    watcher = Watcher(lambda progress: stop.set() if progress.played_now == 2 else None)
    deaf = bot("cid", "import time; time.sleep(1000)")
    table = await run(cup(store, bot("ann"), bot("bob"), deaf), store, watcher, stop)
    assert table.played == 2


SHOWS_PROCESS = """
import os
from polynya_client import run
print('seed', os.environ['POLYNYA_SEED'], os.environ['POLYNYA_NAME'], flush=True)
run(lambda turn: [turn.legal[0]])
"""


async def test_a_bot_has_a_fresh_process_and_a_seed_of_its_own_for_each_match(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 3)
    in_play: list[int] = []
    watcher = Watcher(lambda progress: in_play.append(progress.in_play))
    bots = [bot("ann", SHOWS_PROCESS), bot("ann.2", SHOWS_PROCESS)]
    configuration = cup(
        store, *bots, cycles=20, concurrency=5, logs=str(tmp_path), fresh_processes=True
    )
    table = await run(configuration, store, watcher)
    assert (table.played, table.complete) == (40, True)
    assert max(in_play) <= 3
    seeds = [
        line.split()[1:]
        for path in tmp_path.glob("*.log")
        for line in path.read_text().splitlines()
        if line.startswith("seed")
    ]
    dice = Secret.of_seed(11).bot_seed
    expected = [
        [str(dice(name, number)), name] for name in ("ann", "ann.2") for number in range(1, 41)
    ]
    assert sorted(expected) == sorted(seeds)
    assert {row.bot for row in store.ratings.find()} == {"ann", "ann.2"}


async def test_a_process_plays_block_after_block_unless_matches_have_fresh_ones(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 3)
    bots = [bot("ann", SHOWS_PROCESS), bot("bob", SHOWS_PROCESS)]
    configuration = cup(store, *bots, cycles=20, concurrency=5, logs=str(tmp_path))
    table = await run(configuration, store)
    assert (table.played, table.complete) == (40, True)
    seeds = [
        line.split()[1]
        for path in tmp_path.glob("ann*.log")
        for line in path.read_text().splitlines()
        if line.startswith("seed")
    ]
    assert {str(Secret.of_seed(11).bot_seed("ann"))} == set(seeds)


async def test_reduced_concurrency_is_reported(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 2)
    monkeypatch.setattr(runner, "usable_cores", lambda: 2)
    watcher = Watcher()
    await run(cup(store, bot("ann"), bot("bob"), concurrency=8), store, watcher)
    assert watcher.warnings == [
        "at most 2 of the 8 matches that concurrency asks for are played at the same time: a bot "
        "that thinks has one of the 2 processor cores to itself, unless share_cores = true"
    ]


def test_no_more_bots_think_at_once_than_there_are_cores_unless_they_may_share(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 2)
    many = cup(store, *(bot(name) for name in ("a", "b", "c", "d", "e", "f")), concurrency=8)
    assert supervisor.possible_at_once(many) == 2
    shared = msgspec.structs.replace(many, share_cores=True)
    assert supervisor.possible_at_once(shared) == 6


def test_bots_are_pinned_where_each_process_can_have_a_core(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 2)
    monkeypatch.setattr(supervisor, "core_numbers", lambda: [4, 5])
    boxed = {"concurrency": 1, "sandbox": SandboxSettings(driver="bubblewrap")}
    two = cup(store, bot("a"), bot("b"), **boxed)
    assert [supervisor.core_of(two, name, 1) for name in ("a", "b")] == [4, 5]
    assert supervisor.core_of(msgspec.structs.replace(two, concurrency=2), "a", 1) is None
    three = cup(store, bot("a"), bot("b"), bot("c"), **boxed)
    assert supervisor.core_of(three, "a", 1) is None


async def test_a_bots_dice_follow_from_the_tournaments_seed_unless_they_are_set(
    store: Store, tmp_path: Path
) -> None:
    program = "import os; print('dice', os.environ['POLYNYA_SEED'], flush=True); " + PLAYS
    ann = bot("ann", program)
    bob = msgspec.structs.replace(bot("bob", program), environment={"POLYNYA_SEED": "12"})
    await run(cup(store, ann, bob, logs=str(tmp_path)), store)
    dice = {
        name: [
            line for line in (tmp_path / f"{name}.log").read_text().splitlines() if "dice" in line
        ]
        for name in ("ann", "bob")
    }
    assert dice == {"ann": [f"dice {Secret.of_seed(11).bot_seed('ann')}"], "bob": ["dice 12"]}
    assert store.tournaments.log_folders("ann")[1:] == [tmp_path]


async def test_a_port_that_is_taken_is_named(store: Store) -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        port = listener.socket.getsockname()[1]
        with pytest.raises(RunError, match=f"cannot listen on 127.0.0.1:{port}"):
            await run(cup(store, bot("ann"), bot("bob"), port=port), store)


async def test_an_external_bot_connects_with_the_token_that_its_author_was_given(
    store: Store, tmp_path: Path
) -> None:
    external = BotConfiguration(name="bob", external=True)
    watcher = Watcher()
    log = BotLog(tmp_path / "bob.log")

    async with trio.open_nursery() as nursery:

        async def play_outside() -> None:
            with trio.fail_after(120):
                while ["bob"] not in watcher.waited_for:
                    await trio.sleep(0.01)
            assert watcher.address is not None
            environment = watcher.address.environment("bob", watcher.tokens["bob"])
            await run_bot("bob", BotCommand((sys.executable, "-c", PLAYS), {}), environment, log)

        nursery.start_soon(play_outside)
        table = await run(cup(store, bot("ann"), external), store, watcher)
        nursery.cancel_scope.cancel()
    log.close()
    assert table.complete


async def test_an_external_bot_keeps_its_token(store: Store) -> None:
    configuration = cup(store, bot("ann"), BotConfiguration(name="bob", external=True))
    tokens = []
    for _ in range(2):
        stop = trio.Event()
        stop.set()
        watcher = Watcher()
        await run(configuration, store, watcher, stop)
        tokens.append(list(watcher.tokens))
    assert tokens == [["bob"], []]


TELLS_RATINGS = """
from polynya_client import Bot, run
class Teller(Bot):
    def turn(self, turn):
        return [turn.legal[0]]
    def match_start(self, match):
        told = [one.get("rating") for one in match.message["players"]]
        print("rated", told, flush=True)
    def match_over(self, match, over):
        print("rated", sorted(over.ratings), flush=True)
run(Teller())
"""


@pytest.mark.parametrize(
    ("results_from", "expected"),
    [(None, 4), (datetime(2096, 10, 2, tzinfo=UTC), 1)],
    ids=["shown", "hidden"],
)
async def test_ratings_wait_on_the_wire_as_long_as_results_are_hidden(
    store: Store, tmp_path: Path, results_from: datetime | None, expected: int
) -> None:
    bots = (bot("ann", TELLS_RATINGS), bot("bob"))
    one_at_a_time = {"concurrency": 1, "cycles": 2, "logs": str(tmp_path)}
    await run(cup(store, *bots, results_from=results_from, **one_at_a_time), store)
    lines = [
        line for line in (tmp_path / "ann.log").read_text().splitlines() if line.startswith("rated")
    ]
    starts, ends = set(lines[::2]), set(lines[1::2])
    assert (len(lines), len(starts)) == (8, expected)
    assert ends == {"rated ['ann', 'bob']" if results_from is None else "rated []"}
