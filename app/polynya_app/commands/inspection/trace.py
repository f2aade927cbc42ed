"""``polynya trace``: the rules of a game as a program to talk to, line by line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.flags.parameters import GameFlag, Number, Options, read_options
from polynya_common.errors import ConfigurationError
from polynya_contest.config.toml_files import MOST_BYTES
from polynya_games import trace as traces


def trace(
    game: GameFlag,
    /,
    *,
    players: Number,
    seed: Number | None = None,
    deal: str | None = None,
    option: Options = (),
    state: Annotated[Path | None, Parameter(name="--state")] = None,
) -> None:
    """Walk through the rules of a game, to check your own rules engine against them.

    Writes JSON lines to standard output: the initial position, then one line
    for each line read from standard input. Input is {"step": [verb, ...]} or
    {"forfeit": seat}; output is {"state": {...}, "legal": [steps],
    "turn_over": true|false}, when the match is over also "ranking" and
    "scores". An illegal line gives {"error": "why"}, and the position does
    not change.

    A game with joint turns or hidden parts takes {"steps": {"0": [verb, ...],
    "2": ...}, "forfeit": [1]} too, and answers with "state", "acting",
    "legal" by seat, "views" (by seat, and "none" for spectators), "seen",
    "concealed" and "turn_over".

    Args:
        game: An installed game, the folder of a game as ./nim, or openspiel:NAME.
        players: The number of players.
        seed: Decides the set-up: the same seed gives the same one (default 0).
        deal: 64 hexadecimal digits in place of the seed, for a game that draws from a deal.
        option: A set-up option, key=value (JSON, or else text) or key=@FILE; may be repeated.
        state: A file with the state to start from, as JSON; excludes --seed, --deal and --option.
    """
    document = None if state is None else read_state(state)
    position = traces.start(game, players, seed, read_options(option), document, deal)
    # Python has no sys.stdin where the standard input is closed
    lines_read = sys.stdin.buffer if sys.stdin is not None else ()
    for line in traces.lines(position, lines_read):
        print(line, flush=True)


def read_state(file: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ConfigurationError: there is no such file, or it holds something else.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ConfigurationError(f"{file} holds no state: it is longer than {MOST_BYTES} bytes")
        document = traces.parse_json(content.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigurationError(f"{file} is no JSON document: {error}") from error
    if not isinstance(document, dict):
        raise ConfigurationError(f"{file} holds no state: a state is a JSON object")
    return document
