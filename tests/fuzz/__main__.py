"""Fuzz, guided by coverage: ``python -m tests.fuzz [SECONDS]``, shared between the targets.

An input that fails is written to ``crash-...`` beside the working directory and printed; put it
into ``corpus/``, and it is tried in every run of the tests.
"""

from __future__ import annotations

import hashlib
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.inputs import TARGETS


def main(arguments: list[str]) -> int:
    """All targets one after the other, each in a process of its own; or, in there, one target."""
    if arguments[:1] == ["--target"]:
        return fuzz(arguments[1], arguments[2:])
    seconds = int(arguments[0]) if arguments else 56
    share = max(1, seconds // len(TARGETS))
    return max(run(target, share) for target in TARGETS)


def run(target: str, seconds: int) -> int:
    """Fuzz one target for so long; its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for data in TARGETS[target]():
            (Path(folder) / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
        print(f"{target}: {seconds} s, from {len(list(Path(folder).iterdir()))} inputs", flush=True)
        options = [f"-max_total_time={seconds}", "-max_len=4096", "-print_final_stats=1", folder]
        command = [sys.executable, "-m", "tests.fuzz", "--target", target, *options]
        return subprocess.run(command, check=False).returncode


def fuzz(target: str, options: list[str]) -> int:
    """Fuzz one target in this process; atheris ends it."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["polynya_protocol", "tests.fuzz"]):
        module = importlib.import_module(f"tests.fuzz.fuzz_{target}")
    atheris.Setup([sys.argv[0], *options], module.target)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
