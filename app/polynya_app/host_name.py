"""The person who gives a command: the name that is recorded with a host's corrections."""

from __future__ import annotations

import getpass

from polynya_common.reasons import Cause
from polynya_protocol.errors import printable
from polynya_store.ladder.interventions import HOST


def host_name() -> Cause:
    """The name that the system knows the user by."""
    try:
        return printable(getpass.getuser(), limit=60)
    except (OSError, KeyError):
        return HOST
