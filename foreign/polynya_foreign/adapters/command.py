"""The kinds of ``polynya adapt``: what each starts, and the bot that it is."""

from __future__ import annotations

import argparse
import contextlib
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from polynya_client import run
from polynya_client.bot import Bot
from polynya_client.bridge import bridge
from polynya_client.errors import ClientError, exit_code
from polynya_common.errors import ConfigurationError
from polynya_foreign.adapters.gtp import GtpBot
from polynya_foreign.adapters.line_bot import LineBot
from polynya_foreign.adapters.line_template import LineTemplate
from polynya_foreign.adapters.program import EngineFailed, Program, note
from polynya_foreign.adapters.uci import UciBot
from polynya_foreign.adapters.web_snake import WebSnake, address_of

KINDS: Final = ("gtp", "uci", "http", "lines", "json")
"""Protocols that programs may speak."""
WANTS: Final = "state,legal"


def main(words: Sequence[str]) -> int:
    """Run ``KIND [--set NAME=VALUE] -- PROGRAM ARGS``; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m polynya_foreign.adapters",
        description="Let a program that speaks a protocol of another system play as a bot.",
    )
    parser.add_argument("kind", choices=KINDS, help="the protocol")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the engine"
    )
    parser.add_argument("--template", help="for lines: the TOML file that says what they mean")
    parser.add_argument("--wants", default=WANTS, help="for json: what a turn brings")
    parser.add_argument("command", nargs="+", help="the program and its arguments, after --")
    arguments = parser.parse_args(list(words))
    return adapt(
        arguments.kind, arguments.command, arguments.set, arguments.template, arguments.wants
    )


def adapt(
    kind: str,
    command: Sequence[str],
    options: Sequence[str] = (),
    template: str | None = None,
    wants: str = WANTS,
) -> int:
    """Play with a program until the contest is over.

    Args:
        kind: one of ``KINDS``.
        command: the program and its arguments, or an address.
        options: ``NAME=VALUE`` of a UCI engine.
        template: the file of a program of the kind lines.
        wants: what turns bring to a program of the kind json, with commas between.

    Returns:
        The exit code: 1 if the program failed or the server refused the bot, else as in the SDK.
    """
    owners = {
        "--set": (bool(options), "uci"),
        "--template": (template is not None, "lines"),
        "--wants": (wants != WANTS, "json"),
    }
    for flag, (is_given, owner) in owners.items():
        if is_given and kind != owner:
            note(f"{flag} is for {owner}, not for {kind}")
            return 1
    if kind == "json":
        parts = [word for word in wants.split(",") if word]
        return bridge(command, wants=parts, software=_software(kind))
    # Else the engine's own processes would outlive us if we are ended while it starts.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if kind == "lines":
            _play_lines(command, template)
        else:
            _play(kind, command, dict(_option(text) for text in options))
    except EngineFailed as failed:
        note(failed.farewell)
        return 1
    except ClientError as error:
        note(str(error))
        return exit_code(error)
    return 0


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not (name + value).isprintable():
        raise EngineFailed(f"an option is NAME=VALUE, not {text!r}")
    return name, value


def _play(kind: str, command: Sequence[str], options: Mapping[str, str]) -> None:
    if kind == "http":
        _play_http(command)
        return
    with Program(command) as program:
        if kind == "uci":
            engine = UciBot(program, options)
            engine.prepare()
            _run(engine, kind)
        else:
            _run(GtpBot(program), kind)


def _play_lines(command: Sequence[str], template: str | None) -> None:
    if template is None:
        raise EngineFailed("the kind lines needs --template FILE")
    try:
        read = LineTemplate(Path(template))
    except ConfigurationError as error:
        raise EngineFailed(str(error)) from error
    with contextlib.closing(LineBot(read, lambda: Program(command))) as bot:
        _run(bot, "lines")


def _play_http(command: Sequence[str]) -> None:
    if len(command) == 1 and command[0].startswith("http://"):
        _run(WebSnake(address_of(command[0])), "http")
        return
    port = _free_port()
    with Program(command, {"PORT": str(port)}, is_read=False) as program:
        snake = WebSnake(address_of(f"http://127.0.0.1:{port}"), program.check)
        snake.wait_until_up()
        _run(snake, "http")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _run(bot: Bot, kind: str) -> None:
    run(bot, software=_software(kind))


def _software(kind: str) -> dict[str, str]:
    return {"name": f"polynya-adapt-{kind}", "language": "any"}
