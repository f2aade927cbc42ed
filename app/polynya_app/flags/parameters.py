"""Arguments that several commands share: how they are written, read and explained."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from polynya_common.database_address import DatabaseAddress, DatabaseUrl, database_address
from polynya_common.errors import ConfigurationError
from polynya_contest.config.toml_files import value_in
from polynya_foreign.game_folder import MANIFEST
from polynya_games import GameError, load, recorded_name
from polynya_games.trace import option_value

_MOST_DIGITS = 20


def read_number(kind: object, tokens: Sequence[Token]) -> int:  # noqa: ARG001 -- cyclopts' form
    """A whole number in decimal digits; ``1e3``, ``2.0`` or ``0x10`` would be read by guessing."""
    digits = tokens[0].value
    if digits.isascii() and digits.isdecimal() and len(digits) > _MOST_DIGITS:
        raise ValueError(f"{digits:.40} has {len(digits)} digits; {_MOST_DIGITS} are the most")
    if not (digits.isascii() and digits.isdecimal()):
        bound = " that is not below 0" if digits.startswith("-") else ""
        raise ValueError(f"a whole number is needed{bound}, not {digits!r}")
    return int(digits)


Number = Annotated[int, Parameter(converter=read_number)]
"""A whole number from 0."""

Options = Annotated[
    tuple[str, ...], Parameter(name="--option", json_list=False, show_default=False)
]
"""``key=value`` or ``key=@FILE`` words, see :func:`read_options`."""

Json = Annotated[bool, Parameter(name="--json")]


def read_game(kind: object, tokens: Sequence[Token]) -> str:  # noqa: ARG001 -- cyclopts' form
    """The name that a game is recorded with, of its folder or of another form of its name."""
    try:
        refuse_bare_folder(tokens[0].value)
        return recorded_name(tokens[0].value)
    except (ConfigurationError, GameError) as error:
        raise ValueError(str(error)) from error


def refuse_bare_folder(text: str) -> None:
    """Refuse a word of the command line that names no game, but a folder here that has one.

    Raises:
        ConfigurationError: it is such a word; the message says how the folder is named.
    """
    if os.sep in text or not (Path(text) / MANIFEST).is_file():
        return
    try:
        load(text)
    except GameError as error:
        raise ConfigurationError(
            f"no game {text!r} is installed; write ./{text} for the game of the folder {text}"
        ) from error


GameFlag = Annotated[str, Parameter(converter=read_game)]
"""A game: its name, the path of its folder, or ``openspiel:NAME``."""

DEFAULT_DATABASE = Path("polynya.sqlite")


def read_database(kind: object, tokens: Sequence[Token]) -> DatabaseAddress:  # noqa: ARG001 -- cyclopts' form
    """A path, or the URL of a database; the words of a refusal hold no password."""
    return database_address(tokens[0].value)


DatabaseFlag = Annotated[
    Path | DatabaseUrl, Parameter(converter=read_database, n_tokens=1, accepts_keys=False)
]
"""Where the database is: a file, or postgresql://USER@HOST/NAME."""


def read_options(words: Sequence[str], flag: str = "--option") -> dict[str, Any]:
    """Set-up options by name, from the ``key=value`` words of a flag.

    A value that begins with ``@`` is the name of a file that holds it; ``key="@x"`` is a string.

    Raises:
        ConfigurationError: a word is not of this form, a key is given twice, or there is no such
            file.
    """
    options: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise ConfigurationError(f"{flag} is written key=value, not {word!r}")
        if key in options:
            raise ConfigurationError(f"the option {key!r} is given twice")
        options[key] = value_in(Path(text[1:])) if text.startswith("@") else option_value(text)
    return options
