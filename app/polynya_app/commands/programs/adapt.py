"""``polynya adapt``: a program that speaks a protocol of another system plays as a bot."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from polynya_common.errors import ConfigurationError
from polynya_foreign.adapters.command import WANTS
from polynya_foreign.adapters.command import adapt as play


def adapt(
    kind: Literal["gtp", "uci", "http", "lines", "json"],
    /,
    *command: str,
    options: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    template: str | None = None,
    wants: str = WANTS,
) -> int:
    """Let a program that speaks a protocol of another system play as a bot.

    The program is started unchanged, and ended with this command. The environment
    says where it plays and as whom, as for every bot: POLYNYA_HOST, POLYNYA_PORT,
    POLYNYA_NAME, POLYNYA_TOKEN. If the program ends, says nothing or answers what
    is not legal, the match's record says so.

    Args:
        kind: gtp (Go Text Protocol), uci (chess engines), http (snakes that are web
            servers), lines (programs that read lines and print a line a turn), or json
            (programs that read and write lines of JSON, as with polynya-bridge).
        command: The program and its arguments, after --; for http also the address
            of a server. A program for http is told its port by PORT.
        options: An option of a UCI engine, NAME=VALUE; may be repeated.
        template: For lines, the TOML file that says what is printed and how answers
            are read.
        wants: For json, what a turn brings: state, legal; moved: our own turns.
    """
    if not command:
        raise ConfigurationError(
            f"the program is missing; it stands after two dashes: polynya adapt {kind} -- PROGRAM"
        )
    return play(kind, command, options, template, wants)
