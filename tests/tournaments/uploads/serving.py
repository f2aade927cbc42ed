"""``polynya serve --uploads`` as a process, for tests that upload programs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.recorded_matches import launcher

from polynya_hosting.kits.templates import write_kit
from polynya_server import hash_token
from polynya_store import Store

PATIENCE_S = 300
TOKEN = "of-the-owner"  # noqa: S105


class Serving:
    """A server with uploads.

    Attributes:
        process: the server's.
        address: of its pages.
        database: its file.
    """

    def __init__(self, process: subprocess.Popen[str], database: Path) -> None:
        self.process = process
        self.database = database
        self.address = self.read_until("web pages on ").split()[-1]
        self.read_until("listening on ")

    def read_until(self, words: str) -> str:
        """The first line of the log with these words."""
        assert self.process.stderr is not None
        said = []
        for line in self.process.stderr:
            said.append(line)
            if words in line:
                return line
            assert "an upload is refused" not in line, said
            assert "an upload is set aside" not in line, said
        raise AssertionError(f"the log ended without {words!r}: {said}")

    def start_upload(self, program: Path) -> subprocess.Popen[str]:
        """Hand a program in, without waiting for its result."""
        return subprocess.Popen(
            [*launcher(), "upload", str(program), "--server", self.address],
            env=os.environ | {"POLYNYA_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def upload(self, program: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Hand a program in, and wait for its result."""
        return subprocess.run(
            [*launcher(), "upload", str(program), "--server", self.address, *words],
            env=os.environ | {"POLYNYA_TOKEN": TOKEN},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


@contextmanager
def serving(folder: Path, *names: str, settings: str = "") -> Iterator[Serving]:
    """A server on which ``TOKEN`` proves these names; ``settings`` are lines of its file."""
    database = folder / "contest.sqlite"
    with Store.open(database, for_play=not database.exists()) as store:
        for name in names:
            store.bots.set_token(name, hash_token(TOKEN))
    (folder / "ladder.toml").write_text(settings)
    command = [
        *launcher(),
        "serve",
        str(folder / "ladder.toml"),
        "--port",
        "0",
        "--database",
        str(database),
        "--pace-ms",
        "0",
    ]
    command += ["--uploads", str(folder / "uploads"), "--web-port", "0", "--move", "5000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Serving(process, database)
        finally:
            process.kill()


def kit(folder: Path, name: str, language: str = "python") -> Path:
    """A starter kit's bot of a name."""
    write_kit(language, "packeis", folder / name)
    return folder / name
