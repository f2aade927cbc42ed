"""Rules processes in real boxes: what they cannot do there, and that their games are played."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require_sandboxes
from tests.foreign.rules_programs import game_of
from tests.hosting.bots.processes import until_left, working_in
from tests.hosting.sandbox.hostile import started_for
from tests.recorded_matches import launcher

from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_foreign import folders
from polynya_foreign.rules_box import VARIABLE, box_rules
from polynya_games import RulesFailed, Termination

BOXED = SandboxSettings(driver="bubblewrap")
PRYING = """
import socket

def could(deed):
    try:
        deed()
    except OSError:
        return 0
    return 1

DEEDS = [
    lambda: open({secret!r}).close(),
    lambda: os.listdir({beside!r}),
    lambda: open("mark", "w").close(),
    lambda: socket.create_connection(("127.0.0.1", {port}), 5),
]
done = sum(could(deed) << number for number, deed in enumerate(DEEDS))
main(lambda question, answer: {{**answer, "scores": [done, os.getuid()]}})
"""
"""Statements that try to read two things of the host, to write into the folder, and to connect."""


@pytest.fixture(autouse=True)
def box(monkeypatch: pytest.MonkeyPatch) -> None:
    require_sandboxes()
    monkeypatch.setenv(VARIABLE, "bubblewrap")
    monkeypatch.setenv(folders.VARIABLE, "")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a game; when it has been played no process is left that was started for it."""
    made = tmp_path / "game"
    yield made
    trio.run(until_left, made)
    assert started_for(made) == []


def prying(tmp_path: Path, port: int) -> str:
    secret = tmp_path / "secret"
    secret.write_text("a secret of the host")
    secret.chmod(0o666)
    (tmp_path / "beside").mkdir()
    return PRYING.format(secret=str(secret), beside=str(tmp_path / "beside"), port=port)


def test_rules_reach_nothing_of_the_host_and_their_game_is_played(
    tmp_path: Path, folder: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        game = game_of(folder, prying(tmp_path, server.getsockname()[1]))
        state = game.setup(2, 0)
        assert state.facts.scores is not None
        assert state.facts.scores[0] == 0
        assert state.facts.scores[1] != os.getuid()
        while state.outcome is None:
            state = state.apply(["take", 1])
    game.pool.close()
    assert state.outcome.termination is Termination.FINISHED
    assert sorted(path.name for path in folder.iterdir()) == ["game.toml", "rules.py"]


def test_the_same_program_reaches_all_of_it_without_a_box(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    with socket.create_server(("127.0.0.1", 0)) as server:
        game = game_of(folder, prying(tmp_path, server.getsockname()[1]))
        assert game.setup(2, 0).facts.scores == (0b1111, os.getuid())
    game.pool.close()


def test_memory_beyond_that_of_the_game_is_refused(folder: Path) -> None:
    statements = "taken = bytearray(300 * 1024 * 1024)\nmain()"
    with pytest.raises(RulesFailed):
        game_of(folder, statements, "memory_mb = 100").setup(2, 0)
    game = game_of(folder, statements, "memory_mb = 600")
    assert game.setup(2, 0).outcome is None
    game.pool.close()


def test_process_that_leaves_its_group_ends_with_the_box(folder: Path) -> None:
    statements = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
main()
"""
    game = game_of(folder, statements)
    assert game.setup(2, 0).outcome is None
    assert len(working_in(folder)) >= 2
    game.pool.close()


def test_process_outlives_the_thread_that_asked_first(folder: Path) -> None:
    game = game_of(folder, "main()")
    asking = threading.Thread(target=game.setup, args=(2, 0))
    asking.start()
    asking.join()
    [process] = game.pool._idle
    game.setup(2, 1)
    assert list(game.pool._idle) == [process]
    game.pool.close()


def test_process_without_the_box_is_not_asked_when_there_is_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    game = game_of(folder, "main()")
    game.setup(2, 0)
    [process] = game.pool._idle
    monkeypatch.setenv(VARIABLE, "bubblewrap")
    game.setup(2, 0)
    assert process not in game.pool._idle
    game.pool.close()


def test_only_a_game_with_a_process_chooses_a_box(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_of(folder, "main()").pool.close()
    monkeypatch.setenv(VARIABLE, "")
    box_rules("packeis", BOXED)
    assert os.environ[VARIABLE] == ""
    game = folders.use(folder)
    box_rules(game.name, SandboxSettings())
    assert os.environ[VARIABLE] == ""
    box_rules(game.name, BOXED)
    assert "bubblewrap" in os.environ[VARIABLE]


def test_unknown_box_is_refused_with_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "cardboard")
    with pytest.raises(RulesFailed, match=f"{VARIABLE}: it is the name of a driver"):
        game_of(folder, "main()").setup(2, 0)


CUP = """
name = "cup"
game = "./game"
database = "cup.sqlite"
clock = { move_ms = 60000 }

[sandbox]
driver = "bubblewrap"

[[bots]]
name = "ann"
builtin = "random"

[[bots]]
name = "bob"
builtin = "random"
"""


def polynya(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*launcher(), *words],
        cwd=folder,
        env={**os.environ, VARIABLE: "", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


BOXED_MATCH = ("match", "random", "random", "--game", "./game", "--sandbox", "bubblewrap")
MARKED = "try:\n    open('mark', 'w')\nexcept OSError:\n    pass\nmain()"
"""Statements that write into the folder if they can."""


@pytest.mark.parametrize(
    "words",
    [
        (*BOXED_MATCH, "--move-ms", "60000"),
        ("tournament", "run", "cup.toml"),
        ("tournament", "run", "cup.toml", "--dask", "local", "--workers", "1"),
    ],
    ids=["match", "tournament", "dask"],
)
def test_commands_with_a_sandbox_box_the_rules_from_the_first_question(
    tmp_path: Path, folder: Path, words: tuple[str, ...]
) -> None:
    game_of(folder, MARKED).pool.close()
    (tmp_path / "cup.toml").write_text(CUP)
    found = polynya(tmp_path, *words)
    assert found.returncode == 0, found.stderr
    assert not (folder / "mark").exists()


def test_match_without_a_sandbox_has_no_box(tmp_path: Path, folder: Path) -> None:
    game_of(folder, MARKED).pool.close()
    found = polynya(tmp_path, *BOXED_MATCH[:-2], "--move-ms", "60000")
    assert found.returncode == 0, found.stderr
    assert (folder / "mark").exists()


def test_missing_driver_is_named_before_the_first_match(tmp_path: Path, folder: Path) -> None:
    game_of(folder, "main()").pool.close()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "python3"):
        (tools / name).symlink_to(shutil.which(name) or "")
    found = polynya(tmp_path, *BOXED_MATCH, PATH=str(tools))
    assert found.returncode != 0
    assert "there is no program bwrap here" in found.stderr
    assert "Traceback" not in found.stderr


def test_driver_that_does_not_work_is_explained_before_the_first_match(
    tmp_path: Path, folder: Path
) -> None:
    game_of(folder, "main()").pool.close()
    tools = tmp_path / "tools"
    tools.mkdir()
    broken = tools / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed' >&2\nexit 1\n")
    broken.chmod(0o755)
    found = polynya(tmp_path, *BOXED_MATCH, PATH=f"{tools}:{os.environ['PATH']}")
    assert found.returncode != 0
    assert "the rules process ended; namespaces of users are forbidden here" in found.stderr
    assert "bwrap: Creating new namespace failed" in found.stderr
