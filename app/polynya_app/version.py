"""This Polynya: its version, and whether the modules that a turn goes through are compiled.

A wheel holds them compiled, all or none of them; in a checkout they are interpreted.
"""

from __future__ import annotations

import importlib.metadata
from importlib.machinery import ExtensionFileLoader
from typing import Literal

from polynya_protocol import connection


def execution() -> Literal["compiled", "interpreted"]:
    """How those modules run."""
    compiled = isinstance(connection.__loader__, ExtensionFileLoader)
    return "compiled" if compiled else "interpreted"


def version_line() -> str:
    """As in ``polynya 0.3.0 (compiled)``."""
    return f"polynya {importlib.metadata.version('polynya')} ({execution()})"
