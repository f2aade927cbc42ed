"""Who gives a command: the name that is recorded with what a host sets right."""

from __future__ import annotations

import getpass

from polynya_tournaments.store.ladder.interventions import HOST
from polynya_tournaments.text import printable


def host_name() -> str:
    """The name that the system knows the user by."""
    try:
        return printable(getpass.getuser(), limit=60)
    except (OSError, KeyError):
        return HOST
