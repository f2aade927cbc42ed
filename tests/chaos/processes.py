"""The processes of a campaign: `polynya` itself, killed and started again, and honest bots."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import trio
from tests.folders import ROOT

SDK = ROOT / "clients" / "python"
POLYNYA = [sys.executable, "-c", "from polynya_app import main; main()"]
RESTART_S = 0.2


class Contest:
    """A command of ``polynya`` that bots connect to, in the folder of its log.

    Attributes:
        starts: how often it was started.
        process: the running process.
    """

    def __init__(self, arguments: list[str], log: Path) -> None:
        self.starts = 0
        self.process: trio.Process
        self._arguments = arguments
        self._log = log

    async def start(self) -> None:
        """Start it, and return when bots can connect."""
        self.starts += 1
        with self._log.open("ab") as log:
            begin = log.tell()
            self.process = await trio.lowlevel.open_process(
                [*POLYNYA, *self._arguments], stdout=log, stderr=log, cwd=self._log.parent
            )
        while b"listening on " not in self._log.read_bytes()[begin:]:
            if self.process.poll() is not None:
                return
            await trio.sleep(0.02)

    async def kill(self) -> None:
        """End it by SIGKILL."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """End it in order; its exit code."""
        self.process.terminate()
        return await self.process.wait()

    def sockets(self) -> int:
        """How many sockets it holds."""
        return len([link for link in _descriptors(self.process.pid) if "socket:" in link])


def _descriptors(process: int) -> list[str]:
    found = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            found.append(str(descriptor.readlink()))
        except FileNotFoundError:
            continue  # closed meanwhile
    return found


def descriptors(process: int, besides: str = "no file has this name") -> int:
    """How many file descriptors a process holds, not counting files whose path begins so."""
    return len([link for link in _descriptors(process) if not link.startswith(besides)])


def resident_bytes(process: int) -> int:
    """How much memory of a process is in use."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class HonestBot:
    """A bot of the Python SDK as a process, started again whenever it ends.

    Attributes:
        name: the bot's name.
        starts: how often it was started.
    """

    def __init__(self, name: str, example: str, port: int, token: str, log: Path) -> None:
        self.name = name
        self.starts = 0
        self._words = [sys.executable, str(SDK / "examples" / f"{example}_bot.py")]
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(SDK),
            "POLYNYA_HOST": "127.0.0.1",
            "POLYNYA_PORT": str(port),
            "POLYNYA_TOKEN": token,
            "POLYNYA_NAME": name,
        }
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    async def run(self) -> None:
        """Keep it running until cancelled."""
        while True:
            with self._log.open("ab") as log:
                process = subprocess.Popen(
                    self._words, env=self._environment, stdout=log, stderr=log
                )
            self._process = process
            self.starts += 1
            try:
                while process.poll() is None:
                    await trio.sleep(0.05)
            finally:
                process.kill()
                process.wait()
            await trio.sleep(RESTART_S)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
