"""The version of the server, as `welcome` and replays name it."""

from __future__ import annotations

import functools
import importlib.metadata


@functools.cache
def version() -> str:
    """The version of the installed distribution."""
    return importlib.metadata.version("polynya")
