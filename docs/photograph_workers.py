"""Takes the pictures of ``scaling.md``: a real tournament on two workers, one of which is killed.

Run it from anywhere: ``python docs/photograph_workers.py`` writes ``workers-progress.svg`` and
``workers-results.svg`` beside it, as the terminal shows them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
WIDTH, HEIGHT = 110, 40
PATIENCE_S = 600
KILLED_AT, SHOWN_AT = 8, 20
"""After this number of matches a worker is killed, and the progress is shown."""

CUP = """
name = "cup"
game = "packeis"
seed = 1
cycles = 4
concurrency = 1
fresh_processes = true
clock = { initial_ms = 600_000 }

[[bots]]
name = "Antje"
builtin = "greedy"

[[bots]]
name = "Bjarne"
builtin = "random"

[[bots]]
name = "Carla"
builtin = "greedy"

[[bots]]
name = "Detlef"
builtin = "random"
"""
COMMAND = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|\r|\n")
FONTS = re.compile(r"@font-face \{.*?\}\n", re.DOTALL)


class Terminal:
    """The lines that a terminal shows, with their colours, of the text that was written to it."""

    def __init__(self) -> None:
        self.lines = [""]
        self._row = 0

    def feed(self, written: str) -> None:
        """Write, as far as progress bars need it: returns, ends of lines, erasing, going up."""
        place = 0
        for found in COMMAND.finditer(written):
            self.lines[self._row] += written[place : found.start()]
            place = found.end()
            self._obey(found)
        self.lines[self._row] += written[place:]

    def _obey(self, found: re.Match[str]) -> None:
        match found[2]:
            case "K":
                self.lines[self._row] = ""
            case "A":
                self._row -= int(found[1] or 1)
            case "m":
                self.lines[self._row] += found[0]
            case None if found[0] == "\n":
                self._row += 1
                self.lines += [""] * (self._row + 1 - len(self.lines))

    def photograph(self, path: Path, title: str) -> None:
        """Write what is seen as a picture."""
        with Path(os.devnull).open("w", encoding="utf-8") as nothing:
            console = Console(width=WIDTH, record=True, file=nothing, force_terminal=True)
            console.print(Text.from_ansi("\n".join(self.lines).rstrip()))
        picture = console.export_svg(title=title, unique_id=path.stem)
        path.write_text(FONTS.sub("", picture), encoding="utf-8")


class Run:
    """``polynya tournament run`` in a terminal of its own.

    Args:
        description: of the tournament.
        address: of the scheduler.
    """

    def __init__(self, description: Path, address: str) -> None:
        self.terminal = Terminal()
        self._screen, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        program = Path(sys.executable).parent / "polynya"
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [program, "tournament", "run", description.name, "--dask", address],
            cwd=description.parent,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(inner)

    def until(self, is_shown: Callable[[str], bool]) -> None:
        """Return when the terminal shows this, or the run is over."""
        while not is_shown(Text.from_ansi("\n".join(self.terminal.lines)).plain):
            try:
                written = os.read(self._screen, 65536)
            except OSError:  # it is over
                return
            self.terminal.feed(written.decode(errors="replace"))

    def end(self) -> None:
        """Wait until it has ended well."""
        code = self._process.wait(PATIENCE_S)
        if code != 0:
            raise RuntimeError("\n".join(self.terminal.lines))


def played(shown: str) -> int:
    """How many matches the progress says are played."""
    return max((int(number) for number in re.findall(r"(\d+)/\d+", shown)), default=0)


def main() -> None:
    """Play, and write both pictures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "cup.toml").write_text(CUP, encoding="utf-8")
        port = str(_free_port())
        address = f"tcp://127.0.0.1:{port}"
        scheduler = ["scheduler", "--host", "127.0.0.1", "--port", port]
        _start(stack, *scheduler)
        _until_open(int(port))
        worker = ["worker", address, "--no-nanny", "--nthreads", "1", "--name"]
        killed = _start(stack, *worker, "alpha")
        _start(stack, *worker, "beta")
        run = Run(folder / "cup.toml", address)
        run.until(lambda shown: played(shown) >= KILLED_AT)
        killed.kill()
        run.until(lambda shown: "gone from the cluster" in shown)
        run.until(lambda shown: played(shown) >= SHOWN_AT)
        title = f"polynya tournament run cup.toml --dask {address}"
        run.terminal.photograph(HERE / "workers-progress.svg", title)
        run.until(lambda _: False)
        run.end()
        run.terminal.photograph(HERE / "workers-results.svg", title)


def _start(stack: ExitStack, *words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"}
    module = f"distributed.cli.dask_{words[0]}"
    process = subprocess.Popen(  # noqa: S603 - our own Python
        [sys.executable, "-m", module, *words[1:], "--no-dashboard"],
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _until_open(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the scheduler does not listen")


if __name__ == "__main__":
    main()
