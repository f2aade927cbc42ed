"""Workers play the game of a folder that they do not have: it is sent to them with the block."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.tournaments.distribution.clusters import WAIT_S, Cluster, Run, cluster, write_cup

from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_foreign.folders import VARIABLE, use
from polynya_foreign.game_folder import MANIFEST
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.records import MatchRecord, MatchSetup, decode_replay
from polynya_server.version import version
from polynya_store import Store
from polynya_tournaments.distribution.block_messages import (
    BlockTask,
    PortableBot,
    bots_key,
    decode_result,
    encode,
)
from polynya_tournaments.distribution.bot_archives import UnpackedBots
from polynya_tournaments.distribution.folder_archives import pack_folder
from polynya_tournaments.distribution.game_archive import pack_game
from polynya_tournaments.distribution.referee_pool import RefereePool

NIM = ROOT / "examples" / "games" / "nim-process"
NOTES = """
import os
with open({file!r}, "a") as file:
    file.write(f"{{os.getcwd()}}\\n")
"""
"""Begins a rules process that notes where it runs."""


def nim_cup(folder: Path, cycles: int = 2) -> Path:
    """The description of a tournament of the Nim in the folder ``nim`` beside it."""
    path = write_cup(folder, cycles)
    words = path.read_text().replace('"packeis"', '"./nim"').replace('"greedy"', '"random"')
    path.write_text(words)
    shutil.copytree(NIM, folder / "nim")
    program = folder / "nim" / "nim.py"
    program.write_text(NOTES.format(file=str(folder / "places")) + program.read_text())
    return path


def places(folder: Path) -> set[Path]:
    """The folders in which rules processes have run, without that of the coordinator."""
    return {Path(line) for line in (folder / "places").read_text().splitlines()} - {folder / "nim"}


def nim_task(digest: str) -> BlockTask:
    """One match of the Nim in the folder of this digest."""
    names = ("ann", "bob")
    setup = MatchSetup(
        match="cup-1",
        game="nim_process",
        seed=1,
        players=names,
        clock=Clock(initial_ms=600_000),
    )
    return BlockTask(
        version=version(),
        tournament="cup",
        bot_seeds={"None": dict.fromkeys(names, 1)},
        setups=(setup,),
        bots=tuple(PortableBot(name=name, builtin="random") for name in names),
        sandbox=SandboxSettings(driver="none"),
        start_ms=120_000,
        restarts=0,
        server=ServerSettings(),
        game_archive=digest,
    )


def start_elsewhere(found: Cluster, home: Path, **more: str) -> None:
    """Start a worker in another folder, which is called as the worker."""
    home.mkdir()
    variables = {VARIABLE: "", "TMPDIR": str(home), **more}
    words = [f"{key}={value}" for key, value in variables.items()]
    found.start_worker(home.name, ["env", "-C", str(home), *words])


def records(folder: Path) -> list[MatchRecord]:
    """The matches that were played to their ends."""
    with Store.open(folder / "cup.sqlite") as store:
        found = [decode_replay(document) for _, document in store.matches.replays()]
    return [record for record in found if not record.rules_failed]


@pytest.fixture(autouse=True)
def no_folder_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")


def test_local_workers_play_the_game_of_a_folder(tmp_path: Path) -> None:
    run = Run(nim_cup(tmp_path), "--dask", "local", "--workers", "2")
    assert run.code() == 0, run.said()
    assert len(records(tmp_path)) == 4
    assert 1 <= len(places(tmp_path)) <= 2


def test_block_in_which_the_rules_fail_waits_for_the_host(tmp_path: Path) -> None:
    path = nim_cup(tmp_path, cycles=1)
    program = tmp_path / "nim" / "nim.py"
    mended = program.read_text()
    program.write_text(mended.replace("    stones -=", "    sys.exit(3)\n    stones -=", 1))
    first = Run(path, "--dask", "local", "--workers", "1")
    assert first.code() == 1, first.said()
    assert "the rules process ended" in first.said()
    with Store.open(tmp_path / "cup.sqlite") as store:
        held = store.tournaments.held("cup")
        assert [match.match for match in held.failed] == ["cup-1"]
        assert held.matches == 2
        assert [(row.match, row.reason) for row in store.matches.find()] == [
            ("cup-1", "annulled"),
            ("cup-2", "aborted"),
        ]
    program.write_text(mended)
    last = Run(path, "--dask", "local", "--workers", "1", "--play-held")
    assert last.code() == 0, last.said()


def test_worker_unpacks_a_folder_once_and_removes_it_at_its_end(tmp_path: Path) -> None:
    home = tmp_path / "one"
    with cluster(tmp_path) as found:
        start_elsewhere(found, home)
        run = Run(nim_cup(tmp_path, 4), "--dask", found.address)
        assert run.code() == 0, run.said()
        [place] = places(tmp_path)
        assert place.is_relative_to(home)
        found.workers["one"].terminate()
        assert found.workers["one"].wait(WAIT_S) == 0
    assert len(records(tmp_path)) == 8
    assert not place.parent.exists()


def test_folders_of_other_contents_with_one_name_are_played_beside_each_other(
    tmp_path: Path,
) -> None:
    unpacked = UnpackedBots(tmp_path)
    pool = RefereePool("one", "", tmp_path)
    turns = []
    for stones in (1, 7, 1):
        folder = shutil.copytree(NIM, tmp_path / str(stones), dirs_exist_ok=True)
        manifest = folder / MANIFEST
        manifest.write_text(manifest.read_text().replace("default = 7", f"default = {stones}"))
        content = pack_folder(folder)
        digest = hashlib.sha256(content).hexdigest()
        unpacked.add(digest, content)
        task = nim_task(digest)
        result = decode_result(pool.play(encode(task), bots_key(task), digest))
        turns += [len(decode_replay(replay).events) for replay in result.replays]
    pool.close()
    assert turns[0] == turns[2] == 1 < turns[1]


def test_worker_without_openspiel_says_what_it_lacks(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "pyspiel.py").write_text("raise ModuleNotFoundError(name='pyspiel')")
    path = write_cup(tmp_path, 1)
    words = path.read_text().replace("packeis", "openspiel:kuhn_poker")
    path.write_text(words.replace("greedy", "random"))
    with cluster(tmp_path) as found:
        start_elsewhere(found, tmp_path / "bare", PYTHONPATH=str(shadow))
        run = Run(path, "--dask", found.address)
        assert run.code() != 0
    assert "bare@" in run.said()
    assert "OpenSpiel's games need pyspiel, which is not installed" in run.said()


def test_game_whose_folder_holds_the_database_is_refused(tmp_path: Path) -> None:
    path = nim_cup(tmp_path)
    path.write_text(path.read_text().replace('"cup.sqlite"', '"nim/cup.sqlite"'))
    run = Run(path, "--dask", "local", "--workers", "1")
    assert run.code() != 0
    assert "game nim_process: its folder cannot be sent to workers: the contest's" in run.said()


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("nim_there", "{folder}/nim.py", "name it from the folder"),
        ("nim_cached", "__pycache__/a", "caches are not sent"),
    ],
)
def test_program_that_would_not_run_elsewhere_is_refused(
    tmp_path: Path, name: str, word: str, said: str
) -> None:
    folder = tmp_path / "nim"
    shutil.copytree(NIM, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a").touch()
    manifest = folder / MANIFEST
    program = word.format(folder=folder)
    words = manifest.read_text().replace("nim.py", program)
    manifest.write_text(words.replace("nim_process", name))
    use(folder)
    with pytest.raises(ConfigurationError, match=said):
        pack_game(name, {})
