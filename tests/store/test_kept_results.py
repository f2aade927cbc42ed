"""Results that the database does not take at the end are in a file until the next start."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scripted.scripted_referee import record_of
from tests.store.test_match_journal import ladder_match

from polynya_common.errors import StoreError
from polynya_store import Store, open_journal
from polynya_store.writer.result_file import ResultFile, find_results


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, name in (("XDG_STATE_HOME", "state"), ("TMPDIR", "temporary")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    (tmp_path / "data").mkdir()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / "ladder.sqlite"


def take_no_more(store: Store) -> None:
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")


async def play(database: Path, *names: str, recorded: int = 0) -> str:
    """Let a ladder play matches of which the database takes some; the sentence at the end."""
    with Store.open(database, for_play=True) as store:
        with pytest.raises(StoreError) as caught:
            await play_until_full(store, names, recorded)
        return str(caught.value)


async def play_until_full(store: Store, names: Sequence[str], recorded: int) -> None:
    async with open_journal(store) as journal:
        pairs = enumerate(zip(names[::2], names[1::2], strict=True))
        begun = [await ladder_match(journal, number, *pair) for number, pair in pairs]
        for setup in begun[:recorded]:
            await journal.finish(record_of(setup, [1, 2]))
        take_no_more(store)
        journal.end_within(0)
        for setup in begun[recorded:]:
            assert await journal.finish(record_of(setup, [1, 2])) == []


async def test_kept_results_are_recorded_at_the_next_start_and_rated_in_their_order(
    database: Path, tmp_path: Path
) -> None:
    names = ("ann", "bob", "bob", "cid", "cid", "ann")
    said = await play(database, *names, recorded=1)
    [path] = database.parent.glob("*.unrecorded")
    assert f"2 results are in {path}, and recorded when the same command is started" in said
    undisturbed = tmp_path / "other.sqlite"
    with Store.open(undisturbed, for_play=True) as store:
        async with open_journal(store) as journal:
            for number in range(3):
                setup = await ladder_match(journal, number, *names[2 * number : 2 * number + 2])
                await journal.finish(record_of(setup, [1, 2]))
        expected = store.ratings.find()
    with Store.open(database, for_play=True) as store:
        assert store.opening_notes == [f"results that were kept in {path} are recorded now: 2"]
        assert store.voided_matches == 0
        assert [row.reason for row in store.matches.find()] == ["finished"] * 3
        assert store.ratings.find() == expected
        assert list(store.ratings.differences()) == []
    assert list(database.parent.glob("*.unrecorded")) == []


async def test_replay_of_a_kept_result_is_the_same_bytes(database: Path) -> None:
    await play(database, "ann", "bob")
    with Store.open(database) as store:
        [found] = find_results(database, own_number(store))
    with Store.open(database, for_play=True) as store:
        assert [document for _, document in store.matches.replays()] == found.documents


async def test_file_may_be_read_twice(database: Path) -> None:
    await play(database, "ann", "bob")
    [path] = database.parent.glob("*.unrecorded")
    content = path.read_bytes()
    with Store.open(database, for_play=True) as store:
        ratings = store.ratings.find()
    path.write_bytes(content)
    with Store.open(database, for_play=True) as store:
        [note] = store.opening_notes
        assert store.ratings.find() == ratings
    assert note.endswith("are recorded now: 0; 1 had been recorded before")
    assert not path.exists()


async def test_result_of_a_match_that_does_not_wait_for_one_is_set_aside(database: Path) -> None:
    await play(database, "ann", "bob")
    [path] = database.parent.glob("*.unrecorded")
    hidden = path.rename(path.with_name("hidden"))
    Store.open(database, for_play=True).close()  # which declares the match void
    hidden.rename(path)
    with Store.open(database, for_play=True) as store:
        [note] = store.opening_notes
        assert [row.reason for row in store.matches.find()] == ["aborted"]
    [aside] = database.parent.glob("*.kept")
    assert note.endswith(f"1 belong to no match that waits for one: the file is {aside}")
    with Store.open(database, for_play=True) as store:
        assert store.opening_notes == []


def own_number(store: Store) -> int:
    with store.database.reading() as connection:
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


async def test_results_of_another_database_of_the_same_name_are_not_read(database: Path) -> None:
    await play(database, "ann", "bob")
    for path in database.parent.glob("ladder.sqlite*"):
        if path.suffix != ".unrecorded":
            path.unlink()
    with Store.open(database, for_play=True) as store:
        assert store.opening_notes == []
    assert len(list(database.parent.glob("*.unrecorded"))) == 1


def test_next_folder_takes_what_the_first_does_not(tmp_path: Path) -> None:
    database = tmp_path / "gone" / "ladder.sqlite"
    (tmp_path / "gone").write_text("no folder\n")
    file = ResultFile(database, 7)
    file.keep(b"one")
    assert [path.parent for path in file.paths] == [tmp_path / "state" / "polynya"]
    file.paths[0].unlink()
    (tmp_path / "state" / "polynya").rmdir()
    (tmp_path / "state" / "polynya").write_text("no folder\n")
    file.keep(b"two")
    assert file.paths[1].parent == tmp_path / "temporary"
    [found] = find_results(database, 7)
    assert found.documents == [b"two"]


def test_result_that_no_folder_takes_is_reported_with_each_reason(tmp_path: Path) -> None:
    for name in ("state", "temporary"):
        (tmp_path / name).rmdir()
        (tmp_path / name).write_text("no folder\n")
    (tmp_path / "gone").write_text("no folder\n")
    with pytest.raises(StoreError, match=r"no folder takes it \(.*gone: .*state.*temporary"):
        ResultFile(tmp_path / "gone" / "ladder.sqlite", 7).keep(b"one")


def test_what_is_cut_off_at_the_end_of_a_file_is_not_read(database: Path) -> None:
    file = ResultFile(database, 7)
    for document in (b"one", b"two"):
        file.keep(document)
    os.truncate(file.paths[0], os.path.getsize(file.paths[0]) - 1)
    assert [found.documents for found in find_results(database, 7)] == [[b"one"]]


def test_only_files_of_our_own_are_read(database: Path, tmp_path: Path) -> None:
    name = "ladder.sqlite-00000007-trap.unrecorded"
    (tmp_path / "elsewhere").write_bytes(b"\0\0\0\1x")
    (tmp_path / "temporary" / name).symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "state" / name)
    (tmp_path / "data" / name).mkdir()
    assert find_results(database, 7) == []


def test_kept_files_are_their_owners_alone(database: Path) -> None:
    file = ResultFile(database, 7)
    file.keep(b"one")
    assert file.paths[0].stat().st_mode & 0o777 == 0o600
