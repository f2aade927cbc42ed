"""A tournament as a process of its own, whose database is then taken away from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polynya_conformance.replay.verify import differences as replay_differences
from polynya_conformance.replay.verify import parse_replay
from polynya_store import Store

NOBODY = 65_534
BOT = """
import sys
import time
from pathlib import Path
from polynya_client import run

pause = Path(sys.argv[1])

def choose(turn):
    while pause.exists():
        time.sleep(0.01)
    return [turn.legal[turn.number % len(turn.legal)]]

run(choose)
"""

PROGRAM = """
import os
import sys
from pathlib import Path
import trio
from polynya_contest.config.tournament_checks import load_configuration
from polynya_common.errors import TournamentError
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament
from polynya_store import Store

pause = Path(sys.argv[2])

class Lines(Reporter):
    matches = 0
    def match_over(self, record, progress):
        self.matches += 1
        if self.matches == 1:
            pause.touch()  # those in play now wait for what is done to the database
        print("over", record.setup.match, flush=True)
    def warning(self, sentence):
        print("warning", sentence, flush=True)

configuration = load_configuration(Path(sys.argv[1]))
if len(sys.argv) > 3:
    # What is imported late is imported now: the interpreter may be in a folder of root's.
    Store.open(Path(configuration.database).with_name("other.sqlite"), for_play=True).close()
    os.setuid(int(sys.argv[3]))
try:
    with Store.open(Path(configuration.database), for_play=True) as store:
        trio.run(run_tournament, configuration, store, Lines())
except TournamentError as error:
    print("error", error, flush=True)
    sys.exit(1)
print("done", flush=True)
"""


@dataclass(slots=True)
class Run:
    """One process that plays the tournament.

    Attributes:
        process: it.
        said: the lines that it has written so far and that were read.
    """

    process: subprocess.Popen[str]
    said: list[str]

    def until(self, *beginnings: str) -> str:
        """Read on until a line begins so; that line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            if line.startswith(beginnings):
                return self.said[-1]
        raise AssertionError(f"the process has ended: {self.said}")

    def of(self, beginning: str) -> list[str]:
        """The lines read so far that begin so."""
        return [line for line in self.said if line.startswith(beginning)]


class Hall:
    """A folder with a tournament of three bots, 6 matches; another user may work in it.

    Attributes:
        database: of the tournament.
        scheduled: how many matches it has.
    """

    scheduled = 6

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "polynya.sqlite"
        self._pause = folder / "pause"
        command = json.dumps([sys.executable, "-c", BOT, str(self._pause)])
        bots = "\n".join(f'[[bots]]\nname = "bot{n}"\ncommand = {command}' for n in range(3))
        (folder / "cup.toml").write_text(
            f'name = "cup"\ngame = "packeis"\nseed = 5\ncycles = 1\n'
            f"clock = {{ initial_ms = 600_000 }}\n{bots}\n",
            encoding="utf-8",
        )

    @contextmanager
    def run(self, *, as_nobody: bool = False) -> Iterator[Run]:
        """Play, as nobody without the rights of root; the process ends with the block.

        After the first match the bots pause, until :meth:`go_on`.
        """
        self.go_on()
        words = [sys.executable, "-c", PROGRAM, str(self.folder / "cup.toml"), str(self._pause)]
        if as_nobody and os.geteuid() == 0:
            words.append(str(NOBODY))
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield Run(process, [])
            finally:
                process.kill()

    def go_on(self) -> None:
        """Let the bots play."""
        self._pause.unlink(missing_ok=True)

    def finish(self) -> None:
        """Play what is left, undisturbed."""
        with self.run() as run:
            run.until("over")
            self.go_on()
            run.until("done")

    def played(self) -> int:
        """How many matches have a result."""
        with Store.open(self.database) as store:
            return store.tournaments.standings("cup").played

    def problems(self) -> list[object]:
        """What is wrong with the records."""
        with Store.open(self.database) as store:
            wrong: list[object] = list(store.ratings.differences())
            for match, document in store.matches.replays():
                wrong += replay_differences(parse_replay(document, match))
        return wrong


@contextmanager
def hall() -> Iterator[Hall]:
    """A new hall in a folder that every user may enter and write in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield Hall(folder)
