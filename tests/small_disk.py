"""A disk of a few megabytes, for tests of what is done when it is full."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.toolchains import require


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A new disk in memory, for as long as the block lasts; skips without the right to mount."""
    require("mount")
    with tempfile.TemporaryDirectory(prefix="polynya-disk-") as folder:
        options = f"size={megabytes}m,mode=0777"
        mount = ["mount", "-t", "tmpfs", "-o", options, "polynya", folder]
        if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
            pytest.skip("only root may mount a small disk")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
