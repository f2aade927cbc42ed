"""Error sentences for authors whose bots send messages that answer no turn."""

from __future__ import annotations

from typing import Final

from polynya_protocol.errors import printable

_KINDS: Final = {
    type(None): "nil",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a str",
    list: "an array",
    dict: "a map",
}


def wrong_turn(turn: object) -> str:
    """The error for a ``turn`` that is not an integer."""
    return f"`turn` is {_shown(turn)}: send an integer, the `turn` of the message that you answer"


def other_turn(asked: int, turn: int) -> str:
    """The error for a message about ``turn`` while the pending turn is ``asked`` (0: none)."""
    expected = f"turn {asked} is asked for" if asked else "it is not this bot's turn"
    return f"{expected}, and the message is for turn {turn}"


def late_turn(turn: int) -> str:
    """The error for an answer that came after its turn's time."""
    return f"the answer to turn {turn} came after its time"


def wrong_match(match: object) -> str:
    """The error for a ``match`` that is not a str."""
    return f"`match` is {_shown(match)}: send a str, the `match` of the message that you answer"


def _shown(value: object) -> str:
    """Show a value from a frame together with its type; long values are omitted."""
    kind = _KINDS.get(type(value), "of another kind")
    match value:
        case None:
            return "missing or nil"
        case bool():
            return f"{str(value).lower()}, {kind}"
        case int() | float():
            return f"{value}, {kind}"
        case str():
            return f'"{printable(value, 40)}", {kind}'
    return kind
