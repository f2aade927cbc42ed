"""The bot of a starter kit: it asks for states, legal steps, and legal steps after each step."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polynya_hosting.kits.templates import write_kit

LANGUAGE = "go"
"""Its bot costs little processor time itself."""


@contextmanager
def kit_bot(game: str = "packeis") -> Iterator[Path | None]:
    """The built program of a kit, for as long as the context lasts; None without its toolchain.

    The first build downloads what the SDK needs.

    Raises:
        CalledProcessError: it cannot be built.
    """
    if shutil.which(LANGUAGE) is None:
        print(f"{LANGUAGE} is not installed: no figures of kits' bots", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "kit"
        kit = write_kit(LANGUAGE, game, folder)
        for command in kit.build:
            subprocess.run(command.split(), cwd=folder, check=True)
        yield folder / kit.run
