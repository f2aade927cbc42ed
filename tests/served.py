"""A standing server and bots as processes, for the tests of ``polynya serve``."""

import os
import random
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice

from polynya_common.database_address import DatabaseAddress, address_text
from polynya_contest.config.builtin_bots import builtin_command

_LISTENING = re.compile(r"listening on \S+:(\d+)\n")


class Serving:
    """A server that listens.

    Attributes:
        before: the lines that it wrote before it listened.
        port: where.
        process: the server's process.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.process = process
        self.log = process.stderr
        self.before: list[str] = []
        while (listening := _LISTENING.fullmatch(line := self.log.readline())) is None:
            assert line, self.before
            self.before.append(line)
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
def serving(
    polynya: list[str], database: DatabaseAddress, *arguments: str, port: int = 0
) -> Iterator[Serving]:
    with started(polynya, database, *arguments, port=port) as process:
        yield Serving(process)


@contextmanager
def started(
    polynya: list[str], database: DatabaseAddress, *arguments: str, port: int = 0
) -> Iterator[subprocess.Popen[str]]:
    """The server's process, which may not listen yet."""
    command = [*polynya, "serve", "--port", str(port), "--database", address_text(database)]
    command += arguments if "--pace-ms" in arguments else ["--pace-ms", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
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


def free_ports(count: int) -> list[int]:
    """Free ports below those that systems give to clients: nobody gets one by chance."""
    with ExitStack() as stack:
        free = (port for port in random.sample(range(20_000, 32_000), 100) if _is_free(port, stack))
        return list(islice(free, count))


def _is_free(port: int, stack: ExitStack) -> bool:
    try:
        stack.enter_context(socket.create_server(("127.0.0.1", port)))
    except OSError:
        return False
    return True
