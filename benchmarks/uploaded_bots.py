"""Uploaded bots of all languages on one machine: ``python -m benchmarks.uploaded_bots``.

The starter kit of each language is uploaded to a server, which builds and validates it. Further
bots, each with an upload of its own, get copies of the built programs. Then some of them play a
tournament, and all of them a ladder.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import IO

from polynya_hosting.bots.templates import KITS, write_kit
from polynya_server import decode_replay, hash_token
from polynya_store import Store
from polynya_tournaments.uploads.packing import pack
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.unpacking import Limits
from polynya_tournaments.uploads.upload_folder import UploadFolder

POLYNYA = (sys.executable, "-c", "from polynya_app import main; main()")
TOKEN = "of-all"
GAME = "packeis"
PAGES, LISTENING = "web pages on ", "listening on "
CUP = """
name = "uploads"
seed = 1
game = "{game}"
format = "swiss"
swiss = {{ rounds = {rounds} }}
concurrency = 2
clock = {{ initial_ms = 30_000, increment_ms = 100 }}
uploads = "uploads"
database = "contest.sqlite"
"""
LOOK_S = 1.0
IDLE_S = 10


def settings() -> str:
    """The file of the server."""
    mirrors = sorted({host for kit in KITS.values() for host in kit.mirrors})
    return f'upload_mirrors = {mirrors}\nuploads = "uploads"\nupload_idle_s = {IDLE_S}\n'


@contextlib.contextmanager
def serving(home: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The standing server of the folder: its process, and the address of its pages."""
    (home / "ladder.toml").write_text(settings())
    command = [*POLYNYA, "serve", str(home / "ladder.toml"), "--port", "0", "--web-port", "0"]
    command += ["--database", str(home / "contest.sqlite"), *flags]
    with (home / "server.log").open("w+") as log:
        process = subprocess.Popen(command, stderr=log, text=True)
        try:
            yield process, _address(home / "server.log", process)
        finally:
            process.terminate()
            process.wait(timeout=120)


def _address(log: Path, process: subprocess.Popen[str]) -> str:
    with log.open() as reader:
        said = ""
        while process.poll() is None:
            line = _next_line(reader)
            said = line.partition(PAGES)[2].strip() or said
            if line.startswith(LISTENING):
                return said
    raise RuntimeError(f"the server has ended: {log.read_text()}")


def _next_line(reader: IO[str]) -> str:
    while not (line := reader.readline()):
        time.sleep(0.05)
    return line


def upload(home: Path) -> Iterator[tuple[str, float]]:
    """Upload the kit of each language; gives its name and how long that took, in s."""
    with Store.open(home / "contest.sqlite", for_play=True) as store:
        left = [language for language in KITS if f"{language}-0" not in store.uploads.playing()]
        for language in left:
            store.bots.set_token(f"{language}-0", hash_token(TOKEN))
    with serving(home) as (_, address):
        for language in left:
            folder = home / "kits" / f"{language}-0"
            write_kit(language, GAME, folder)
            began = time.monotonic()
            subprocess.run(
                [*POLYNYA, "upload", str(folder), "--server", address],
                env=os.environ | {"POLYNYA_TOKEN": TOKEN},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            yield language, time.monotonic() - began


def multiply(home: Path, count: int) -> list[str]:
    """Uploads of this number of bots; those beyond the first of each language are built copies."""
    folder = UploadFolder(home / "uploads")
    names = [f"{list(KITS)[n % len(KITS)]}-{n // len(KITS)}" for n in range(count)]
    with Store.open(home / "contest.sqlite", for_play=True) as store:
        reception = Reception(store, folder, Limits())
        playing = store.uploads.playing()
        for name in names:
            if name in playing:
                continue
            language = name.partition("-")[0]
            write_kit(language, GAME, home / "kits" / name)
            store.bots.set_token(name, hash_token(TOKEN))
            archive = BytesIO(pack(home / "kits" / name, Limits()))
            upload = reception.receive(name, archive)
            program = folder.new_program(upload.sha256)
            built = folder.program(playing[f"{language}-0"].program or "")
            copytree(built, folder.program(program), symlinks=True, copy_function=os.link)
            store.uploads.accept(upload.number, program)
    return names


def tournament(home: Path, names: list[str], rounds: int) -> None:
    """Play a Swiss tournament of these; say what came of it."""
    bots = "".join(f'[[bots]]\nname = "{name}"\nupload = "{name}@0.1"\n' for name in names)
    (home / "cup.toml").write_text(CUP.format(game=GAME, rounds=rounds) + bots)
    command = [*POLYNYA, "tournament", "run", str(home / "cup.toml")]
    before = _matches(home)
    began = time.monotonic()
    with (
        (home / "cup.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
    ):
        memory = _peak_memory(process, None)
    seconds = time.monotonic() - began
    if process.returncode != 0:
        raise RuntimeError((home / "cup.log").read_text())
    print(f"\ntournament of {len(names)} bots, {rounds} rounds: {seconds:.0f} s")
    report(home, seconds, memory, before)


def _matches(home: Path) -> int:
    """How many there are until now."""
    with Store.open(home / "contest.sqlite") as store:
        return len(store.matches.find())


def ladder(home: Path, names: list[str], seconds: float) -> None:
    """Let a ladder of these play for a time; say what came of it."""
    before, starts_before = _matches(home), _starts(home)
    with serving(home, "--pace-ms", "0") as (process, _):
        memory = _peak_memory(process, seconds)
    started = _starts(home) - starts_before
    print(f"\nladder of {len(names)} bots for {seconds:.0f} s")
    report(home, seconds, memory, before)
    print(f"bots that were started: {len(started)}, starts: {started.total()}")


def _starts(home: Path) -> Counter[str]:
    """How often each bot was started until now."""
    found: Counter[str] = Counter()
    for path in (home / "uploads" / "logs").glob("*.log"):
        with path.open(errors="replace") as lines:
            found[path.stem] = sum(line.startswith("--- started ") for line in lines)
    return found


def report(home: Path, seconds: float, memory: tuple[int, int, int], after: int) -> None:
    """Print how the matches ended, and what they took of the machine."""
    with Store.open(home / "contest.sqlite") as store:
        rows = store.matches.find()[after:]
        ends: Counter[str] = Counter(row.reason or "open" for row in rows)
        forfeits = [
            f"{row.match}: {record.setup.players[forfeit.seat]} {forfeit.reason} {forfeit.detail}"
            for row in rows
            if row.reason == "forfeit"
            for record in [decode_replay(store.matches.replay(row.match))]
            for forfeit in record.forfeits
        ]
    server, bots, most = (value for value in memory)
    print(f"matches: {dict(ends)}, {ends['finished'] / seconds:.2f}/s", *forfeits, sep="\n")
    print(f"peak memory: server {server >> 20} MiB, bots {bots >> 20} MiB in {most} processes")


def _peak_memory(
    process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float | None
) -> tuple[int, int, int]:
    """The most memory of a process, and of those below it, until it ends or a time is over.

    Shares of pages count (``Pss`` of proc(5)). The third number is how many processes there were.
    """
    end = time.monotonic() + (seconds or float("inf"))
    own = bots = most = 0
    while process.poll() is None and time.monotonic() < end:
        below = _descendants(process.pid)
        own = max(own, _pss(process.pid))
        bots = max(bots, sum(map(_pss, below)))
        most = max(most, len(below))
        time.sleep(LOOK_S)
    return own, bots, most


def _descendants(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(path.parent.name))
    found, left = [], [root]
    while left:
        children = parents.get(left.pop(), [])
        found += children
        left += children
    return found


def _pss(number: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    """Upload, play, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--of-tournament", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--folder", type=Path, help="where to keep, and find again, what is built")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.folder or Path(folder)
        home.mkdir(exist_ok=True)
        for language, took in upload(home):
            print(f"{language}: built and validated in {took:.0f} s", flush=True)
        names = multiply(home, arguments.bots)
        tournament(home, names[: arguments.of_tournament], arguments.rounds)
        ladder(home, names, arguments.seconds)


if __name__ == "__main__":
    main()
