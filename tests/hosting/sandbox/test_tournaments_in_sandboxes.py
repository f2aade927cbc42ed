"""Tournaments whose bots are in sandboxes: by their description, or by the server's settings."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import CLIENTS
from tests.hosting.sandbox.boxes import needs_groups

from polynya_app.application import run
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_checks import load_configuration
from polynya_server.records import decode_replay
from polynya_store import Store
from polynya_tournaments.tournament.manager import ManagerSettings, open_tournament_manager
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament

CUP = """
name = "cup"
game = "packeis"
clock = { move_ms = 5000 }
database = "data/cup.sqlite"
BOTS = 0
[[bots]]
name = "a"
builtin = "greedy"
[[bots]]
name = "b"
"""
HOG = """
from polynya_client import Turn, run
turns = []
def play(turn: Turn):
    turns.append(bytearray(0))
    print("thinking", len(turns), flush=True)
    while len(turns) > 2:
        turns.append(bytearray(2**20))
    steps = [turn.legal[0]]
    while not (legal := turn.legal_after(steps)).turn_over:
        steps.append(legal.steps[0])
    return steps
run(play, wants=["legal"])
"""


class Warnings(Reporter):
    """Keeps what goes wrong."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def warning(self, sentence: str) -> None:
        self.sentences.append(sentence)


def description(folder: Path, bot: str, settings: str = "") -> Path:
    """A description with a second bot that is started so."""
    file = folder / "cup.toml"
    file.write_text(CUP.replace("BOTS = 0", settings) + bot + "\n", encoding="utf-8")
    (folder / "data").mkdir(exist_ok=True)
    return file


async def test_server_puts_bots_into_its_sandbox_where_a_description_names_none(
    tmp_path: Path,
) -> None:
    description(tmp_path, 'builtin = "random"')
    with Store.open(tmp_path / "data" / "served.sqlite", for_play=True) as store:
        settings = ManagerSettings(tmp_path, sandbox=SandboxSettings(driver="bubblewrap"))
        async with open_tournament_manager(settings, store) as manager:
            with trio.fail_after(120):
                await manager.start("cup.toml")
                if (running := manager.running.get("cup")) is not None:
                    await running.over.wait()
        records = [decode_replay(document) for _, document in store.matches.replays()]
    assert len(records) == 2
    assert {name.split()[0] for record in records for name in record.setup.sandboxes if name} == {
        "bubblewrap"
    }


@needs_groups
async def test_run_log_and_record_say_what_a_bot_in_a_sandbox_died_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "hog"
    bot.mkdir()
    (bot / "bot.py").write_text(HOG, encoding="utf-8")
    limits = (
        f'restarts = 0\nlogs = "{tmp_path / "logs"}"\n[sandbox]\ndriver = "bubblewrap"\n'
        f'paths = ["{CLIENTS / "python"}"]\nlimits = {{ memory_mb = 64 }}'
    )
    command = (
        f'command = ["{sys.executable}", "bot.py"]\ndirectory = "hog"\n'
        f'environment = {{ PYTHONPATH = "{CLIENTS / "python"}" }}'
    )
    configuration = load_configuration(description(tmp_path, command, limits))
    warnings = Warnings()
    with Store.open(Path(configuration.database), for_play=True) as store:
        with trio.fail_after(120):
            await run_tournament(configuration, store, warnings)
    [died, *_] = [sentence for sentence in warnings.sentences if sentence.startswith("bot b ")]
    how = r"was ended by signal 9 in turn [56] of cup-1: 64 MiB of memory used up; it used 64 MiB"
    assert re.match(f"bot b {how} of memory and ", died), died
    last = (tmp_path / "logs" / "b.log").read_text().splitlines()[-1]
    assert re.match(f"--- {how} of memory and .* ---", last), last
    [told] = [sentence for sentence in warnings.sentences if sentence.startswith("bot b in cup-1")]
    received = r"the move of turn [34], \d+\.\d s before its end"
    assert re.match(f"bot b in cup-1: its last message was {received}; processor time: ", told)
    with Store.open(Path(configuration.database)) as store:
        first, second = store.processes.of_match("cup-1")
    own, other = (first, second) if first.bot == "b" else (second, first)
    assert own.report.ended is not None
    assert re.match(how.removesuffix("; it used 64 MiB"), str(own.report.ended))
    assert own.report.code == -9
    assert list(map(str, own.report.limits)) == ["64 MiB of memory used up"]
    assert own.report.last_lines == ["thinking 1", "thinking 2", "thinking 3"]
    assert own.report.last_received is not None
    assert re.match(received, str(own.report.last_received))
    assert len(own.report.cpu_ms) == 3
    assert other.report.ended is None
    assert other.report.cpu_ms != []
    capsys.readouterr()
    assert run(["bots", "logs", "b", "--database", str(configuration.database)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("cup-1", "memory used up", "thinking 3", "how it ended"):
        assert words in shown
