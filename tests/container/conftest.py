"""The image of the Containerfile, built with podman on a base that debootstrap has made."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.folders import ROOT

PACKAGES = "python3,python3-venv,ca-certificates"
BUILD_PACKAGES = "gcc libc6-dev python3-dev"
_OF_THIS_MACHINE = ("/etc/ssl/certs", "/etc/pip.conf")
"""How pip reaches its index from here, if it needs more than a name."""
_SECONDS = 1_800


class Podman:
    """podman with a store of its own.

    Args:
        folder: for its images and containers.
    """

    def __init__(self, folder: Path) -> None:
        self._words = (
            *("podman", "--root", str(folder / "store"), "--runroot", str(folder / "run")),
            *("--storage-driver", "vfs", "--runtime", "runc", "--cgroup-manager", "cgroupfs"),
        )

    def __call__(self, *words: str | Path, code: int = 0) -> str:
        """What a command prints, with its errors; it must end with this code."""
        done = subprocess.run(
            [*self._words, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        assert code == done.returncode, done.stdout
        return done.stdout

    def run(self, *words: str | Path) -> str:
        """``podman run`` as it works on a machine whose rights are limited themselves."""
        limits = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
        return self("run", "--network", "host", *limits, *words)


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Podman]:
    """With the image ``polynya``, built as the documentation says."""
    require("containers")
    folder = tmp_path_factory.mktemp("containers")
    podman = Podman(folder)
    base = folder / "base"
    debootstrap = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm"]
    subprocess.run([*debootstrap, str(base)], check=True, capture_output=True, timeout=_SECONDS)
    archive = folder / "base.tar"
    subprocess.run(["tar", "-C", base, "-cf", archive, "."], check=True)
    podman("import", archive, "localhost/base")
    volumes = [f"--volume={path}:{path}:ro" for path in _OF_THIS_MACHINE if Path(path).exists()]
    words = ("--isolation", "chroot", "--network", "host", "--format", "docker")
    arguments = ("--build-arg=BASE=localhost/base", f"--build-arg=BUILD_PACKAGES={BUILD_PACKAGES}")
    podman("build", *words, *arguments, *volumes, "--tag", "polynya", ROOT)
    yield podman
    podman("rm", "--all", "--force")
