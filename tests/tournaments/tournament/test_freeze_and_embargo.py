"""Submissions that close, and results that are hidden until a time."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from polynya_app.application import run
from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Cause
from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_protocol.messages import Clock, Software
from polynya_server import Server
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament.freeze import FrozenField, changed_since_closed
from polynya_tournaments.tournament.progress_events import Reporter

PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T01:00:00+01:00"
NAMES = ("ann", "bob")

CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
    closes=datetime(2020, 1, 1, tzinfo=UTC),
)

BOT = """
from polynya_client import run
run(lambda turn: [turn.legal[0]])
"""


@dataclass
class Bot:
    software: Software | None


class Hall:
    """A server with bots in it, of which it is noted who was sent away."""

    def __init__(self, **versions: str | None) -> None:
        self.connected = {name: Bot(software(version)) for name, version in versions.items()}
        self.sent_away: list[tuple[str, str]] = []

    version = 1

    async def changed(self, since: int | None = None) -> int:  # noqa: ARG002
        return self.version

    def disconnect(self, name: str, why: Cause) -> None:
        self.sent_away.append((name, str(why)))
        del self.connected[name]


def software(version: str | None) -> Software | None:
    return None if version is None else Software(name="mine", version=version)


class Told(Reporter):
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


Submit = Callable[..., tuple[Hall, FrozenField, Told]]


@pytest.fixture
async def field(store: Store, journal: StoreJournal) -> Submit:
    """Makes a hall as a tournament with closed submissions sees it."""
    await journal.plan(plan_of(CUP))
    for number, name in enumerate(NAMES):
        store.bots.set_token(name, bytes([number]) * 32)

    def made(**versions: str | None) -> tuple[Hall, FrozenField, Told]:
        hall, told = Hall(**versions), Told()
        return hall, FrozenField(CUP, journal, cast("Server", hall), told), told

    return made


async def test_before_submissions_close_any_version_plays(field: Submit) -> None:
    hall, seen, _ = field(ann="1", bob="1")
    hall.connected["ann"] = Bot(software("2"))
    await seen.changed()
    assert set(seen.connected) == {"ann", "bob"}


async def test_another_version_is_sent_away_with_a_sentence(field: Submit) -> None:
    hall, seen, told = field(ann="1", bob="1")
    await seen.close()
    hall.connected["ann"] = Bot(software("2"))
    assert set(seen.connected) == {"bob"}
    await seen.changed()
    [(name, sentence)] = hall.sent_away
    assert name == "ann"
    assert "ann plays with mine 1, as it was then, not with mine 2" in sentence
    assert told.warnings == [sentence]


async def test_the_submitted_version_may_come_back(field: Submit) -> None:
    hall, seen, _ = field(ann="1", bob="1")
    await seen.close()
    del hall.connected["ann"]
    hall.connected["ann"] = Bot(software("1"))
    await seen.changed()
    assert (set(seen.connected), hall.sent_away) == ({"ann", "bob"}, [])


async def test_absent_bot_is_held_to_its_first_declaration(field: Submit) -> None:
    hall, seen, _ = field(bob="1")
    await seen.close()
    hall.connected["ann"] = Bot(software("7"))
    await seen.changed()
    assert set(seen.connected) == {"ann", "bob"}
    hall.connected["ann"] = Bot(software("8"))
    await seen.changed()
    assert [name for name, _ in hall.sent_away] == ["ann"]


async def test_declaration_during_another_programs_write_is_recorded_later(
    field: Submit, store: Store
) -> None:
    hall, seen, _ = field(bob="1")
    await seen.close()
    hall.connected["ann"] = Bot(software("7"))
    with closing(sqlite3.connect(str(store.address), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(seen.changed)
            await wait_all_tasks_blocked()
            assert set(seen.connected) == {"bob"}
            other.execute("ROLLBACK")
    assert set(seen.connected) == {"ann", "bob"}


async def test_submission_lasts(field: Submit) -> None:
    _, first, _ = field(ann="1", bob=None)
    await first.close()
    hall, later, _ = field(ann="2", bob=None)
    await later.close()
    assert (set(later.connected), [name for name, _ in hall.sent_away]) == ({"bob"}, ["ann"])


async def test_bot_registered_later_is_no_entrant(field: Submit, store: Store) -> None:
    store.bots.revoke("ann")
    hall, seen, _ = field(ann="1", bob="1")
    await seen.close()
    assert hall.sent_away == [("ann", "ann was not registered when submissions closed")]
    store.bots.set_token("ann", bytes(32))
    later_hall, later, _ = field(ann="1", bob="1")
    await later.close()
    assert set(later.connected) == {"bob"}
    assert [name for name, _ in later_hall.sent_away] == ["ann"]


def described(folder: Path, **given: object) -> Path:
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    bots = "\n".join(
        f"[[bots]]\nname = '{name}'\ncommand = {json.dumps([sys.executable, 'bot.py'])}"
        for name in NAMES
    )
    lines = "\n".join(f"{key} = {value}" for key, value in given.items())
    path = folder / "cup.toml"
    path.write_text(
        f'name = "cup"\ngame = "icecult"\noptions = {{ turn_limit = 2 }}\nstart_ms = 60_000\n'
        f"clock = {{ initial_ms = 60_000 }}\n{lines}\n{bots}\n",
        encoding="utf-8",
    )
    return path


async def test_a_bot_whose_program_changed_since_then_is_named(
    store: Store, journal: StoreJournal, tmp_path: Path
) -> None:
    configuration = load_configuration(described(tmp_path, closes=PAST))
    await journal.plan(plan_of(configuration))
    await FrozenField(configuration, journal, cast("Server", Hall()), Told()).close()
    assert changed_since_closed(configuration, store) == {}
    (tmp_path / "bot.py").write_text(BOT + "# better\n", encoding="utf-8")
    changed = changed_since_closed(configuration, store)
    assert changed.keys() == set(NAMES)
    assert changed["ann"].startswith("bot ann: its command or a file of it has changed since")


def test_before_then_a_program_may_change(tmp_path: Path) -> None:
    path = described(tmp_path)
    assert run(["tournament", "run", str(path)]) == 0
    (tmp_path / "bot.py").write_text(BOT + "# better\n", encoding="utf-8")
    with Store.open(tmp_path / "polynya.sqlite") as store:
        assert changed_since_closed(load_configuration(path), store) == {}


def test_matches_begin_when_submissions_close(tmp_path: Path) -> None:
    closes = datetime.now(UTC) + timedelta(seconds=2)
    path = described(tmp_path, closes=closes.isoformat())
    assert run(["tournament", "run", str(path)]) == 0
    with Store.open(tmp_path / "polynya.sqlite") as store:
        assert min(row.started_ms for row in store.matches.find()) >= closes.timestamp() * 1000
        assert set(store.tournaments.submissions("cup")) == set(NAMES)


def test_hidden_results_are_shown_to_the_host_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = described(tmp_path, results_from=FUTURE)
    hidden = "the results of cup are hidden until 2999-01-01 00:00:00+00:00"
    assert run(["tournament", "run", str(path)]) == 0
    shown = capsys.readouterr()
    assert (shown.out, hidden in shown.err) == ("", True)
    assert "ahead" not in shown.err
    for command in ("status", "report"):
        words = ["tournament", command, "cup", "--database", str(tmp_path / "polynya.sqlite")]
        assert run(words) == 1
        shown = capsys.readouterr()
        assert ("ann" in shown.out, hidden in shown.err) == (False, True)
        assert run([*words, "--reveal"]) == 0
        assert "ann" in capsys.readouterr().out


def test_status_shows_the_terms_while_results_are_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(["tournament", "run", str(described(tmp_path, closes=PAST, results_from=FUTURE))]) == 0
    )
    status = ["tournament", "status", "cup", "--database", str(tmp_path / "polynya.sqlite")]
    capsys.readouterr()
    assert run(status) == 1
    lines = capsys.readouterr().out.splitlines()[1:]
    assert run([*status, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert lines == [
        "submissions closed 2020-01-01 00:00:00+00:00",
        "results are shown from 2999-01-01 00:00:00+00:00",
        f"commitment to the secret: {told['secrets'][0]['commitment']}",
    ]
    assert told["secrets"][0]["secret"] is None
    assert (told["hidden"], told["begun"], told["rows"]) == (True, True, [])
    assert told["bots"] == list(NAMES)
    assert run([*status, "--json", "--reveal"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]] != []


async def test_status_says_that_a_tournament_has_not_begun(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await journal.plan(plan_of(CUP))
    status = ["tournament", "status", "cup", "--database", str(store.address)]
    assert await trio.to_thread.run_sync(run, status) == 0
    (secret,) = store.tournaments.secrets("cup")
    assert capsys.readouterr().out.splitlines()[1:4] == [
        "format: round robin; clock: at most 100 ms for a turn",
        f"commitment to the secret: {secret.commitment}",
        "cup has not begun yet",
    ]


def test_results_are_shown_from_their_time_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "run", str(described(tmp_path, results_from=FUTURE))]) == 0
    assert run(["tournament", "run", str(described(tmp_path, results_from=PAST))]) == 0
    assert "ann" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["closes", "results_from"])
def test_a_time_without_a_zone_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{key}: .* has no time zone"):
        load_configuration(described(tmp_path, **{key: "2026-12-01T18:00:00"}))


def test_frozen_table_is_shown_without_the_matches_that_began_since(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    path = described(tmp_path, results_from=soon, freeze_min=100_000)
    assert run(["tournament", "run", str(path)]) == 0
    status = ["tournament", "status", "cup", "--database", str(tmp_path / "polynya.sqlite")]
    capsys.readouterr()
    assert run([*status, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["hidden"], told["frozen"]) == (False, True)
    assert told["results_from_ms"] - told["freezes_ms"] == 100_000 * 60_000
    assert [row["games"] for row in told["rows"]] == [0, 0]
    assert run(status) == 1
    assert "the table is frozen since" in capsys.readouterr().out
    assert run([*status, "--json", "--reveal"]) == 0
    assert [row["games"] for row in json.loads(capsys.readouterr().out)["rows"]] != [0, 0]


def test_table_that_has_not_frozen_yet_counts_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = described(tmp_path, results_from=FUTURE, freeze_min=1)
    assert run(["tournament", "run", str(path)]) == 0
    status = ["tournament", "status", "cup", "--database", str(tmp_path / "polynya.sqlite")]
    capsys.readouterr()
    assert run([*status, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["hidden"], told["frozen"], told["complete"]) == (False, False, True)


def test_freeze_without_a_time_of_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"freeze_min.*results_from"):
        load_configuration(described(tmp_path, freeze_min=5))


@pytest.mark.parametrize("minutes", [0, 100_001])
def test_freeze_out_of_its_range_is_refused(tmp_path: Path, minutes: int) -> None:
    with pytest.raises(ConfigurationError, match="freeze_min"):
        load_configuration(described(tmp_path, results_from=FUTURE, freeze_min=minutes))
