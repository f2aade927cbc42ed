"""Builds that leave what breaks those who look at it, in a real sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require_sandboxes

from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.building.build import Build, BuildLimits, Built
from polynya_tournaments.uploads.examination.settling import digest
from polynya_tournaments.uploads.foreign_trees import TreeBounds, remove_tree

LIMITS = SandboxLimits(memory_mb=256, processes=32, cpu_s=20, file_mb=16, space_mb=16)
TEXT = b"name = 'fish'"
NESTED = "import os\nfor _ in range({}): os.mkdir('d'); os.chdir('d')"


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    require_sandboxes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    (made / "polynya.toml").write_bytes(TEXT)
    return made


async def built(folder: Path, script: str) -> Built:
    (folder / "build.py").write_text(script)
    manifest = Manifest(
        name="fish",
        version="1",
        language="sh",
        build=("python3 build.py",),
        run="./bot",
        games=("packeis",),
    )
    sandbox = sandbox_of(SandboxSettings(driver="bubblewrap", limits=LIMITS))
    limits = BuildLimits(folder=TreeBounds(bytes=2**27, entries=5_000))
    with trio.fail_after(120):
        return await Build(folder, manifest, sandbox, limits, digest=digest(TEXT)).run()


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (NESTED.format(1_500), "folders in each other"),
        (NESTED.format(1_500) + "\nimport time; time.sleep(5)", "folders in each other"),
        (
            "import os; os.remove('polynya.toml'); os.symlink('/dev/zero', 'polynya.toml')",
            "its build changes polynya.toml",
        ),
        (
            "import os; os.remove('polynya.toml'); os.symlink('/proc/kmsg', 'polynya.toml')",
            "its build changes polynya.toml",
        ),
        (
            "import os; os.remove('polynya.toml'); os.mkfifo('polynya.toml')",
            "its build changes polynya.toml",
        ),
        ("open('polynya.toml', 'w').truncate(2**24)", "its build changes polynya.toml"),
        (
            "for n in range(20): open(f'f{n}', 'wb').truncate(2**24)",
            "filled its folder with more than 128 MiB",
        ),
    ],
)
async def test_hostile_build_is_refused(script: str, sentence: str, folder: Path) -> None:
    done = await built(folder, script)

    assert sentence in str(done.failure or "")
    remove_tree(folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    "script",
    [
        "import os; os.mkdir('c'); open('c/f', 'w').close(); os.chmod('c', 0); os.chmod('.', 0)",
        "import os; os.mkfifo('pipe'); os.symlink('/', 'root'); os.symlink('own', 'own')",
        r"import os; open(b'\xff\xfe', 'w').close(); open('a\nb', 'w').close()",
        "import os; open('su', 'w').close(); os.chmod('su', 0o6755); os.link('su', 'two')",
    ],
)
async def test_odd_result_is_made_ours(script: str, folder: Path) -> None:
    done = await built(folder, script)

    assert done.failure is None
    assert done.size > 0
    assert not (folder / "pipe").exists()
