"""The queue of uploads: nothing that a stranger made decides whether a server runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import trio

from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_hosting.kits.templates import write_kit
from polynya_protocol.messages import Clock
from polynya_store import Store
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.build_queue import BuildQueue
from polynya_tournaments.uploads.building.build import Built
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.upload_folder import UploadFolder

CONTEST = TournamentConfiguration(
    name="contest", game="packeis", bots=[], clock=Clock(move_ms=2_000), start_ms=2_000
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        yield opened


class Builds:
    """Stands for the sandbox: each build ends as it is told.

    Attributes:
        built: the names of the programs that it was given.
    """

    def __init__(self, end: Callable[[str], Built]) -> None:
        self._end = end
        self.built: list[str] = []
        self._name = ""

    def __call__(self, folder: Path, manifest: Any, digest: str) -> Any:
        self.built.append(manifest.name)
        assert (folder / "polynya.toml").is_file()
        assert len(digest) == 64
        self._name = manifest.name
        return self

    async def run(self) -> Built:
        await trio.lowlevel.checkpoint()
        return self._end(self._name)


def broken(name: str) -> Built:
    """Meets what nobody has foreseen, for one of two."""
    if name == "fish":
        raise RecursionError("maximum recursion depth exceeded")
    return Built("", "it does not build")


async def received(store: Store, folder: UploadFolder, name: str, tmp_path: Path) -> Upload:
    write_kit("python", "packeis", tmp_path / name)
    archive = BytesIO(pack(tmp_path / name, Limits()))
    return await Reception(store, folder, Limits()).receive(name, archive)


@asynccontextmanager
async def queue(store: Store, folder: UploadFolder, builds: Builds) -> AsyncIterator[trio.Event]:
    """A queue that works; the event is set when all is decided."""
    decided = trio.Event()

    async def on_change() -> None:
        await trio.lowlevel.checkpoint()
        if not store.uploads.undecided():
            decided.set()

    async with trio.open_nursery() as nursery:
        made = BuildQueue(store, folder, Limits(), builds, CONTEST, on_change)
        nursery.start_soon(made.run)
        with trio.fail_after(60):
            yield decided
        nursery.cancel_scope.cancel()


async def test_unforeseen_error_refuses_one_upload_and_the_next_is_built(
    store: Store, tmp_path: Path
) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    fish = await received(store, folder, "fish", tmp_path)
    cod = await received(store, folder, "cod", tmp_path)

    async with queue(store, folder, Builds(broken)) as decided:
        await decided.wait()

    assert store.uploads.get(cod.number).detail == "it does not build"
    assert store.uploads.get(fish.number).detail == (
        "an error of the server's own ended its build, so this version is set aside: tell the host "
        "of this server, who can build it again with 'polynya uploads rebuild fish@0.1'"
    )
    assert folder.programs() == []


@pytest.mark.parametrize(("strikes", "is_built"), [(0, True), (1, True), (2, False), (3, False)])
async def test_upload_with_which_two_servers_ended_is_set_aside(
    strikes: int, is_built: bool, store: Store, tmp_path: Path
) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    fish = await received(store, folder, "fish", tmp_path)
    store.uploads.risk(fish.number, strikes)
    builds = Builds(lambda _: Built("", "it does not build"))

    async with queue(store, folder, builds) as decided:
        await decided.wait()

    found = store.uploads.get(fish.number)
    assert (builds.built == ["fish"]) is is_built
    assert found.state == "refused"
    assert found.strikes == 0
    assert ("two servers ended while it was built" in str(found.detail or "")) is not is_built


async def test_upload_that_was_set_aside_is_built_when_the_host_says_so(
    store: Store, tmp_path: Path
) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    fish = await received(store, folder, "fish", tmp_path)
    store.uploads.risk(fish.number, 2)
    builds = Builds(lambda _: Built("", "it does not build"))
    async with queue(store, folder, builds) as decided:
        await decided.wait()

    store.uploads.build_again(fish.number)
    async with queue(store, folder, builds) as decided:
        await decided.wait()

    assert builds.built == ["fish"]


async def test_server_that_ends_in_order_leaves_no_strike(store: Store, tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    fish = await received(store, folder, "fish", tmp_path)
    begun = trio.Event()

    class Endless(Builds):
        async def run(self) -> Built:
            begun.set()
            await trio.sleep_forever()
            raise AssertionError

    async with queue(store, folder, Endless(broken)):
        await begun.wait()
        during = store.uploads.get(fish.number).strikes

    assert (during, store.uploads.get(fish.number).strikes) == (1, 0)
    assert store.uploads.get(fish.number).undecided


async def test_a_server_that_is_killed_while_an_archive_is_read_leaves_one_strike(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    fish = await received(store, folder, "fish", tmp_path)
    seen: list[int] = []

    async def examine(*_: object) -> None:
        await trio.lowlevel.checkpoint()
        seen.append(store.uploads.get(fish.number).strikes)
        raise ValueError("unforeseen")

    monkeypatch.setattr("polynya_tournaments.uploads.build_queue.examine", examine)
    async with queue(store, folder, Builds(broken)) as decided:
        await decided.wait()

    assert seen == [1]
