"""The project's repository as a registry's user reaches it: at its address, with tags."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

import pytest
from tests.folders import ROOT
from tests.packaging.published import ADDRESS, VERSION

COMMITTER = ("-c", "user.name=release", "-c", "user.email=release@example.org")


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Variables with which git finds this checkout, with tags, at the address of the project."""
    folder = tmp_path_factory.mktemp("repository")
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        if name.startswith("clients/") or "/" not in name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git = ("git", "-C", str(folder), *COMMITTER)
    subprocess.run([*git, "init", "--quiet", "--initial-branch", "main"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "Release"], check=True)
    for tag in (f"v{VERSION}", f"clients/go/v{VERSION}"):
        subprocess.run([*git, "tag", tag], check=True)
    return {
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": f"url.file://{folder}.insteadOf",
        "GIT_CONFIG_VALUE_0": ADDRESS,
        "GIT_CONFIG_KEY_1": f"url.file://{folder}.insteadOf",
        "GIT_CONFIG_VALUE_1": f"{ADDRESS}.git",
        "GIT_CONFIG_KEY_2": "protocol.file.allow",
        "GIT_CONFIG_VALUE_2": "always",
    }
