"""A tournament as a process of its own that plays into a PostgreSQL server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.descriptions import autumn

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

MATCHES = 30
DESCRIPTION = autumn(cycles=15)
PATIENCE_S = 300

PROGRAM = """
import sys
from pathlib import Path
import msgspec
import trio
from polynya_contest.config.tournament_checks import load_configuration
from polynya_common.database_address import database_address
from polynya_common.errors import TournamentError
from polynya_store import Store, tournament_claim
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament

class Lines(Reporter):
    def match_over(self, record, progress):
        print("over", record.setup.match, flush=True)
    def warning(self, sentence):
        print("warning", sentence, flush=True)

configuration = load_configuration(Path(sys.argv[1]))
try:
    with Store.open(database_address(configuration.database), for_play=True,
                    claims=[tournament_claim(configuration.name)]) as store:
        store.start_writer_process()
        print("begun", flush=True)
        trio.run(run_tournament, configuration, store, Lines())
except TournamentError as error:
    print("error", error, flush=True)
    sys.exit(1)
"""


class Playing:
    """The process; its lines are kept.

    Attributes:
        lines: all that were read.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []

    def read(self) -> Iterator[str]:
        """Lines as they come, to the end."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            yield self.lines[-1]

    def read_until(self, words: str, times: int = 1) -> None:
        """Read until a line with these words has come so many times."""
        for line in self.read():
            times -= words in line
            if times == 0:
                return
        raise AssertionError(f"it ended without {words!r}: {self.lines[-5:]}")

    def rest(self) -> int:
        """Read to the end; the exit code."""
        for _ in self.read():
            pass
        return self.process.wait(PATIENCE_S)

    @property
    def told(self) -> set[str]:
        """The matches that were told to be over."""
        return {line.split()[1] for line in self.lines if line.startswith("over ")}


@contextmanager
def playing(folder: Path, url: DatabaseUrl) -> Iterator[Playing]:
    """The tournament, begun or gone on with."""
    description = folder / "autumn.toml"
    description.write_text(f'database = "{url.secret}"\n{DESCRIPTION}')
    command = [sys.executable, "-c", PROGRAM, str(description)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield Playing(process)
        finally:
            process.kill()


def recorded(url: DatabaseUrl) -> set[str]:
    """The matches with a result and a replay."""
    with Store.open(url) as store:
        return {name for name, _ in store.matches.replays()}


def check(url: DatabaseUrl, told: Sequence[str] | set[str]) -> None:
    """All matches are played, what was told is there, and ratings and replays are in order."""
    with Store.open(url) as store:
        assert store.tournaments.standings("autumn").played == MATCHES
        assert store.tournaments.is_complete("autumn")
    assert set(told) - recorded(url) == set()
    for words in (["ratings", "recompute", "--check"], ["replay", "verify", "--all"]):
        assert run([*words, "--database", url.secret]) == 0


def dumped(text: str) -> object:
    """What a command printed as JSON."""
    return json.loads(text)
