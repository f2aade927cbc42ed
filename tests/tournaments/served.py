"""A standing server and bots as processes, for the tests of ``polynya serve``."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from polynya_tournaments.config.builtin_bots import builtin_command
from polynya_tournaments.database_address import DatabaseAddress, address_text


class Serving:
    """A server that listens.

    Attributes:
        port: where.
        process: the server's process.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.process = process
        self.log = process.stderr
        listening = re.fullmatch(r"listening on \S+:(\d+)\n", self.log.readline())
        assert listening is not None
        self.port = int(listening[1])

    def read_until(self, words: str) -> list[str]:
        """The log up to the line with these words."""
        lines = []
        for line in self.log:
            lines.append(line)
            if words in line:
                return lines
        raise AssertionError(f"the log ended without {words!r}: {lines}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """A signal that ends it in order: the exit code and the rest of the log."""
        self.process.send_signal(number)
        rest = self.log.read()
        return self.process.wait(120), rest


@contextmanager
def serving(polynya: list[str], database: DatabaseAddress, *arguments: str) -> Iterator[Serving]:
    command = [*polynya, "serve", "--port", "0", "--database", address_text(database)]
    command += ["--pace-ms", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Serving(process)
        finally:
            process.kill()


@contextmanager
def ladder_of_two(
    polynya: list[str], database: DatabaseAddress, *arguments: str
) -> Iterator[Serving]:
    """A server that plays matches of the bots ``ada`` and ``bob``, who have time enough."""
    with (
        serving(polynya, database, "--move", "60000", *arguments) as server,
        bot(server.port, "ada"),
        bot(server.port, "bob"),
    ):
        yield server


@contextmanager
def bot(port: int, name: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A built-in random bot that connects from outside."""
    command = builtin_command("random")
    told = {"POLYNYA_PORT": str(port), "POLYNYA_NAME": name, **environment}
    with subprocess.Popen(
        command.words, env={**os.environ, **command.environment, **told}, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()
