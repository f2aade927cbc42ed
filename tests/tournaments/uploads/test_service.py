"""``polynya serve --uploads``: programs are uploaded, built, validated, and play on the ladder."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes
from tests.recorded_matches import launcher
from tests.tournaments.uploads.serving import PATIENCE_S, TOKEN, kit, serving

from polynya_store import MatchFilter, Store


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    require_sandboxes()


def test_uploaded_bots_play_on_the_ladder_without_being_connected(tmp_path: Path) -> None:
    with serving(tmp_path, "ada", "cod") as server:
        for name in ("ada", "cod"):
            done = server.upload(kit(tmp_path, name))
            assert done.returncode == 0, done.stdout + done.stderr
            assert done.stdout.endswith("it is accepted\n")
        server.read_until("a match is over")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
    with Store.open(tmp_path / "contest.sqlite") as store:
        (first, *_) = reversed(store.matches.page(MatchFilter(), size=100).rows)
    assert ({seat.name for seat in first.seats}, first.reason) == ({"ada", "cod"}, "finished")


def test_a_version_that_crashes_is_refused_with_its_reason(tmp_path: Path) -> None:
    program = kit(tmp_path, "cod")
    code = program / "bot.py"
    code.write_text(code.read_text().replace("return steps", 'raise KeyError("pond")'))

    with serving(tmp_path, "cod") as server:
        done = server.upload(program)

    assert done.returncode == 1
    assert "cod@0.1 is refused: packeis: it forfeited by disconnected" in done.stderr
    assert "KeyError: 'pond'" in done.stderr


def test_a_build_that_changes_what_the_program_says_of_itself_is_refused(tmp_path: Path) -> None:
    program = kit(tmp_path, "cod")
    manifest = program / "polynya.toml"
    build = 'build = ["sed -i s/packeis/arktia/ polynya.toml"]'
    manifest.write_text(manifest.read_text().replace("build = []", build))

    with serving(tmp_path, "cod") as server:
        done = server.upload(program)

    assert done.returncode == 1
    assert "cod@0.1 is refused: its build changes polynya.toml" in done.stderr


def test_a_command_that_is_not_there_is_refused(tmp_path: Path) -> None:
    program = kit(tmp_path, "cod")
    manifest = program / "polynya.toml"
    manifest.write_text(manifest.read_text().replace("python3 bot.py", "/etc/shadow"))

    with serving(tmp_path, "cod") as server:
        done = server.upload(program)

    assert done.returncode == 1
    assert "cod@0.1 is refused: packeis: run: its program cannot be started here" in done.stderr


def test_what_a_killed_server_was_building_is_built_by_the_next(tmp_path: Path) -> None:
    program = kit(tmp_path, "cod")
    manifest = program / "polynya.toml"
    manifest.write_text(manifest.read_text().replace("build = []", 'build = ["sleep 5"]'))
    with serving(tmp_path, "cod") as server:
        subprocess.run(
            [*launcher(), "upload", str(program), "--server", server.address, "--no-wait"],
            env=os.environ | {"POLYNYA_TOKEN": TOKEN},
            timeout=PATIENCE_S,
            check=True,
        )
        server.read_until("an upload is built")
        server.process.kill()

    with serving(tmp_path) as server:
        server.read_until("an upload plays")

    with Store.open(tmp_path / "contest.sqlite") as store:
        assert store.uploads.playing()["cod"].version == "0.1"


def test_a_build_that_the_host_cancels_ends_and_leaves_nothing(tmp_path: Path) -> None:
    program = kit(tmp_path, "cod")
    manifest = program / "polynya.toml"
    manifest.write_text(manifest.read_text().replace("build = []", 'build = ["sleep 1000"]'))
    with serving(tmp_path, "cod") as server:
        waiting = server.start_upload(program)
        server.read_until("an upload is built")
        subprocess.run(
            [*launcher(), "uploads", "cancel", "cod@0.1", "--database", str(server.database)],
            timeout=PATIENCE_S,
            check=True,
        )
        _, said = waiting.communicate(timeout=PATIENCE_S)
        server.read_until("a build is cancelled")
        assert (waiting.returncode, "cod@0.1 is refused: the host cancelled it" in said) == (
            1,
            True,
        )
        manifest.write_text(manifest.read_text().replace('"sleep 1000"', ""))
        assert server.upload(program).returncode == 0
    assert len(list((tmp_path / "uploads" / "programs").iterdir())) == 1
