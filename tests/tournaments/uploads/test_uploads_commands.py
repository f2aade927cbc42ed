"""``polynya uploads``: what the host sees and decides, as tables and as JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_matches import launcher

from polynya_store import Store
from polynya_tournaments.uploads.upload_folder import UploadFolder

PATIENCE_S = 120
Uploads = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Of fish 1 plays, 2 was refused, 3 waits; of the archives one has no version."""
    folder = UploadFolder(tmp_path / "uploads")
    folder.prepare()
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        for version in ("1", "2", "3"):
            sha256 = folder.keep(BytesIO(version.encode()))
            opened.uploads.receive("fish", version, "c", ["packeis"], sha256, 2**20)
        opened.uploads.accept(1, "1", 2**21)
        folder.program("1").mkdir()
        opened.uploads.log(2, "bot.c:3: error")
        opened.uploads.refuse(2, "it does not build")
        folder.keep(BytesIO(b"of no version"))
        yield opened


@pytest.fixture
def uploads(store: Store, tmp_path: Path) -> Uploads:
    del store

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*launcher(), "uploads", *words, "--database", "contest.sqlite"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


def asked(uploads: Uploads, *words: str) -> Any:
    done = uploads(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_versions_the_queue_and_the_disk_are_listed(uploads: Uploads) -> None:
    assert [(one["version"], one["state"]) for one in asked(uploads, "list", "fish")] == [
        ("3", "received"),
        ("2", "refused"),
        ("1", "accepted"),
    ]
    assert [one["version"] for one in asked(uploads, "queue")] == ["3"]
    assert asked(uploads, "usage") == [
        {"bot": "fish", "versions": 3, "archive_bytes": 3 * 2**20, "program_bytes": 2**21}
    ]
    assert "fish@3" in uploads("queue").stdout
    assert "in all" in uploads("usage").stdout


def test_log_of_a_refused_version_is_shown(uploads: Uploads) -> None:
    assert uploads("log", "fish@2").stdout == (
        "fish@2 is refused: it does not build\nbot.c:3: error\n"
    )
    assert asked(uploads, "log", "fish@2")["build_log"] == "bot.c:3: error"


def test_build_is_cancelled_and_tried_again(uploads: Uploads, store: Store) -> None:
    cancelled = asked(uploads, "cancel", "fish@3", "--why", "not today")
    assert (cancelled["state"], cancelled["detail"]) == ("refused", "not today")
    assert uploads("cancel", "fish@3").returncode == 1

    assert asked(uploads, "rebuild", "fish@3")["state"] == "received"
    assert asked(uploads, "rebuild") == {"versions": 1}
    assert store.uploads.playing()["fish"].version == "1"


def test_prune_shows_its_plan_before_it_removes(
    uploads: Uploads, store: Store, tmp_path: Path
) -> None:
    folder = UploadFolder(tmp_path / "uploads")

    plan = uploads("prune", "uploads")
    assert "an archive of no version" in plan.stdout, plan.stderr
    assert "--yes removes them, nothing is gone yet" in plan.stdout
    assert len(folder.archives()) == 4

    removed = asked(uploads, "prune", "uploads", "--yes")
    assert (len(removed["archives"]), removed["programs"], removed["bytes"]) == (1, [], 13)
    assert set(folder.archives()) == store.uploads.archives()
    assert folder.programs() == ["1"]


def test_prune_refuses_another_folder(uploads: Uploads) -> None:
    done = uploads("prune", ".")

    assert done.returncode == 2
    assert ". is no folder of uploads: it has no folder archives" in done.stderr
