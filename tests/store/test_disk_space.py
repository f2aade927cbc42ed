"""A host is warned before the disk of the database is full, and not too often."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from polynya_store.disk_space import MB, DiskUse, measure, warning, watch_disk


def test_size_of_a_database_has_what_lies_beside_it(tmp_path: Path) -> None:
    for ending, size in (("", 100), ("-wal", 20), ("-shm", 3), (".lock", 1000)):
        (tmp_path / f"a.sqlite{ending}").write_bytes(bytes(size))
    assert measure(tmp_path / "a.sqlite").database == 123


def test_warning_says_how_much_is_free_and_what_to_do() -> None:
    assert warning(DiskUse(0, 2_000 * MB), Path("/data")) is None
    said = warning(DiskUse(0, 1_999 * MB), Path("/data"))
    assert said is not None
    assert str(said).startswith("1999 MB are free in /data; ")


async def test_host_is_warned_once_and_again_when_it_gets_worse(
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: trio.testing.MockClock,  # noqa: ARG001
) -> None:
    free_mb = iter([5000, 1999, 1500, 2001, 1999, 199, 100, 49, 10, 3000, 1000])
    told: list[str] = []

    async def at_once(*_arguments: object, **_more: object) -> DiskUse:
        try:
            return DiskUse(0, next(free_mb) * MB)
        except StopIteration:
            nursery.cancel_scope.cancel()
            await trio.sleep_forever()
            raise

    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch_disk, Path("/data/a.sqlite"), told.append)
    assert [sentence.split()[0] for sentence in told] == ["1999", "199", "49", "1000"]
