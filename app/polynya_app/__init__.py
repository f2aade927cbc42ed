"""The command line ``polynya``: one module for each group of commands."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run ``polynya`` with the arguments of this process."""
    try:
        from polynya_app.console.output import prepare_streams

        prepare_streams()
        from polynya_app.application import run

        code = run(sys.argv[1:])
    except ModuleNotFoundError as missing:
        sys.exit(_not_installed(missing))
    sys.exit(code)


def _not_installed(missing: ModuleNotFoundError) -> str:
    """The advice for a missing module: after a pull the environment may be older."""
    if missing.name is None or missing.name.startswith("polynya"):
        raise missing
    return (
        f"polynya: the Python package of the module {missing.name!r} is not installed; in a "
        "checkout run 'make demo' once more, elsewhere install polynya again"
    )
