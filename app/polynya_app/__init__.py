"""The command line ``polynya``: one module for each group of commands."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run ``polynya`` with the arguments of this process."""
    if sys.argv[1:2] == ["serve"]:
        _end_in_order_when_asked()
    try:
        from polynya_app.console.output import prepare_streams

        prepare_streams()
        from polynya_app.application import run

        code = run(sys.argv[1:])
    except ModuleNotFoundError as missing:
        sys.exit(_not_installed(missing))
    sys.exit(code)


def _end_in_order_when_asked() -> None:
    """Let a server that is asked to stop while it is still loaded end with 0: it has done nothing.

    Later it takes the signals itself.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda *_: os._exit(0))


def _not_installed(missing: ModuleNotFoundError) -> str:
    """The advice for a missing module: after a pull the environment may be older."""
    if missing.name is None or missing.name.startswith("polynya"):
        raise missing
    return (
        f"polynya: the Python package of the module {missing.name!r} is not installed; in a "
        "checkout run 'make demo' once more, elsewhere install polynya again"
    )
