"""Each format over TCP from its first match to its table, undisturbed, interrupted and killed."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.tournaments.whole.killed_run import KILLED

from polynya_app.commands.play.tournament import write_standings
from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.pairing.standings import Standings
from polynya_evidence.bundles.bundle_reader import Bundle
from polynya_evidence.bundles.bundle_writer import write_bundle
from polynya_evidence.bundles.verification import verify
from polynya_evidence.reports.contents import report_of
from polynya_evidence.reports.evidence import evidence_of
from polynya_server.records import MatchRecord
from polynya_store import Store
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import RunOptions, run_tournament

FORMATS = {
    "round_robin": "cycles = 2",
    "gauntlet": 'cycles = 2\ngauntlet = { challengers = ["bot2"] }',
    "swiss": "swiss = { rounds = 3 }",
    "double_swiss": "double_swiss = { rounds = 3 }",
    "knockout": "knockout = { best_of = 3, tie_breaks = 1 }",
    "double_elimination": "",
    "sprt": "sprt = { elo0 = 0, elo1 = 1, most = 6 }",
}
NAMES = [f"bot{number}" for number in range(5)]

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


def names_of(name: str) -> list[str]:
    """Who takes part in a format."""
    return NAMES[:2] if name == "sprt" else NAMES


BOT = """
import sys
from polynya_client import run
run(lambda turn: [turn.legal[int(sys.argv[1]) * turn.number % len(turn.legal)]])
"""
"""A bot that always plays the same in the same position."""

pytestmark = pytest.mark.parametrize("name", FORMATS)


def described(folder: Path, name: str) -> Path:
    folder.mkdir()
    bots = "\n".join(
        f"[[bots]]\nname = '{bot}'\ncommand = ['{sys.executable}', '-c', '''{BOT}''', '{number}']"
        for number, bot in enumerate(names_of(name))
    )
    path = folder / "cup.toml"
    path.write_text(
        f'name = "cup"\ngame = "packeis"\nseed = 5\nclock = {{ initial_ms = 600_000 }}\n'
        f'start_ms = 60_000\nformat = "{name}"\n{FORMATS[name]}\n{bots}\n',
        encoding="utf-8",
    )
    return path


class Stopping(Reporter):
    """Stops the tournament after so many results."""

    def __init__(self, stop: trio.Event, after: int | None) -> None:
        self._stop = stop
        self._after = after

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        if progress.played_now == self._after:
            self._stop.set()


def play(description: Path, after: int | None = None) -> Standings:
    """Play a tournament to its end, or until it has so many more results."""
    configuration = load_configuration(description)

    async def run() -> Standings:
        stop = trio.Event()
        with trio.fail_after(600):
            options = RunOptions(stop=stop)
            return await run_tournament(configuration, store, Stopping(stop, after), options)

    with Store.open(Path(configuration.database), for_play=True) as store:
        return trio.run(run)


def drawn(description: Path) -> dict[str, Any]:
    """All that must not depend on interruptions: who met, where they sat, seeds, results, ratings.

    The bots always play the same, so the results must be the same, too.
    """
    with Store.open(description.parent / "polynya.sqlite") as store:
        assert store.ratings.differences() == []
        evidence = evidence_of(store, "cup")
        bundle = write_bundle(store, evidence, report_of(evidence), KEY)
        assert verify(Bundle(bundle)).differences == ()
        return {
            "table": store.tournaments.standings("cup"),
            "blocks": store.tournaments.recorded("cup").blocks,
            "seeds": sorted(
                {(match.match.split(".")[0], match.seed) for match in store.matches.find()}
            ),
            "ratings": store.ratings.find(),
        }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What a format comes to when nobody interrupts it; each is played once."""
    known: dict[str, dict[str, Any]] = {}

    def played(name: str) -> dict[str, Any]:
        if name not in known:
            description = described(tmp_path_factory.mktemp(name) / "cup", name)
            play(description)
            known[name] = drawn(description)
        return known[name]

    return played


def test_each_format_is_played_to_its_end(
    name: str, undisturbed: Callable[[str], dict[str, Any]]
) -> None:
    table = undisturbed(name)["table"]
    assert (table.format, table.complete, table.unplayed) == (name, True, ())
    assert sorted(row.name for row in table.rows) == names_of(name)
    assert table.rows[0].place == 1


class Terminal(StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [20, 40, 43, 60])
def test_table_of_each_format_is_whole_in_a_narrow_terminal(
    name: str,
    width: int,
    undisturbed: Callable[[str], dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = undisturbed(name)["table"]
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    write_standings(table, as_json=False)
    written = terminal.getvalue()
    assert "…" not in written
    cells = {cell.strip() for line in written.splitlines() for cell in re.split("[│|]", line)}
    assert {row.name for row in table.rows} <= cells
    assert {f"{row.rating:.0f}" for row in table.rows} <= cells


def test_interruptions_change_nothing(
    name: str, undisturbed: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    description = described(tmp_path / "cup", name)
    chance = random.Random(7)
    runs = 1
    while not play(description, chance.randint(1, 7)).complete:
        runs += 1
    assert runs > 1
    assert drawn(description) == undisturbed(name)


def test_a_kill_changes_nothing(
    name: str, undisturbed: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    description = described(tmp_path / "cup", name)
    for results in (4, 3):
        command = [sys.executable, "-c", KILLED, str(description), str(results)]
        killed = subprocess.run(command, capture_output=True, timeout=600)
        assert killed.returncode == -9
    play(description)
    assert drawn(description) == undisturbed(name)
