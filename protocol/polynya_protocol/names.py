"""The names of bots: which are valid, and which of them can no longer be registered.

Every name of :data:`NAME_PATTERN` may have been registered once, and its bot goes on under it. A
*new* name must not look like an option, a hidden file, a guest, or another bot (wire contract,
"Names").
"""

from __future__ import annotations

import re
from typing import Final

from polynya_common.reasons import Reason
from polynya_protocol.messages import NAME_CHARACTERS, NAME_PATTERN

MOST_CHARACTERS: Final = 32
FORM: Final = f"1 to {MOST_CHARACTERS} of A-Z a-z 0-9 _ . -"

PERSON: Final = "person-"
BUILT_IN: Final = "builtin-"
RESERVED: Final = (PERSON, BUILT_IN)
"""The beginnings of guests' names, in any case of letters."""

_matches = re.compile(NAME_PATTERN).fullmatch
_invalid = re.compile(f"[^{NAME_CHARACTERS}]")


def is_name(text: str) -> bool:
    """Whether this can be the name of a bot at all."""
    return _matches(text) is not None


def replace_invalid(text: str) -> str:
    """The text with ``_`` for every character that no name has."""
    return _invalid.sub("_", text)


def folded(name: str) -> str:
    """The name in lower case: equal for names that differ in the case of letters only."""
    return name.lower()


def why_not_new(name: str) -> Reason | None:
    """Why ``name`` can no longer be registered, a sentence without its end; None if it can.

    Whether another bot has a name that differs in the case of letters only, is not looked at here.
    """
    if not is_name(name):
        return Reason.of("name_of_wrong_form", most=MOST_CHARACTERS)
    if name.startswith(("-", ".")):
        return Reason.of("name_begins_badly", start=name[0])
    if name.endswith("."):
        return Reason.of("name_ends_badly")
    if folded(name).startswith(RESERVED):
        return Reason.of("name_is_reserved", starts=" or ".join(RESERVED))
    return None
