"""Uploads that several servers share: one builds an upload, and only one of its own ladder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace
from tests.postgresql import PostgreSQL

from polynya_common.database_address import DatabaseUrl
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.ratings.pool import pool_of
from polynya_hosting.kits.templates import write_kit
from polynya_protocol.messages import Clock
from polynya_store import Store, ladder_claim
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.build_queue import BuildQueue
from polynya_tournaments.uploads.building.build import Built
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.upload_folder import UploadFolder

PACKEIS = TournamentConfiguration(
    name="contest", game="packeis", bots=[], clock=Clock(move_ms=2_000), start_ms=2_000
)
ARKTIA = replace(PACKEIS, game="arktia")
SLOW_PACKEIS = replace(PACKEIS, clock=Clock(move_ms=60_000))


@pytest.fixture
def url(postgresql: PostgreSQL) -> DatabaseUrl:
    return postgresql.new()


class Server:
    """The uploads of the server of one ladder; each build takes until it is let go.

    Attributes:
        built: the names of the programs that it has begun to build.
        go: lets its builds end.
    """

    def __init__(self, store: Store, folder: Path, contest: TournamentConfiguration) -> None:
        self.store = store
        self.built: list[str] = []
        self.go = trio.Event()
        self.folder = UploadFolder(folder)
        self.reception = Reception(store, self.folder, Limits())
        self.queue = BuildQueue(
            store, self.folder, Limits(), self._build, contest, trio.lowlevel.checkpoint
        )

    def _build(self, folder: Path, manifest: Any, digest: str) -> Any:  # noqa: ARG002
        self.built.append(manifest.name)
        return self

    async def run(self) -> Built:
        """Stand for the sandbox."""
        await self.go.wait()
        return Built("", "it does not build")

    async def receive(self, name: str, game: str, folder: Path) -> Upload:
        """An upload of a bot that comes to this server."""
        write_kit("python", game, folder / name)
        return await self.reception.receive(name, BytesIO(pack(folder / name, Limits())))


@contextmanager
def server(url: DatabaseUrl, folder: Path, contest: TournamentConfiguration) -> Iterator[Server]:
    pool = pool_of(contest.game, 2, "elo", contest.clock, {})
    with Store.open(url, for_play=True, claims=[ladder_claim(pool)]) as store:
        yield Server(store, folder / "uploads", contest)


async def refused(store: Store, upload: Upload) -> None:
    """Wait until an upload is decided."""
    with trio.fail_after(60):
        while store.uploads.is_undecided(upload.number):
            await trio.sleep(0.05)


async def test_upload_is_left_to_the_server_of_its_ladder(url: DatabaseUrl, tmp_path: Path) -> None:
    with server(url, tmp_path, PACKEIS) as packeis, server(url, tmp_path, ARKTIA) as arktia:
        fish = await packeis.receive("fish", "arktia", tmp_path)
        cod = await packeis.receive("cod", "packeis", tmp_path)
        packeis.go.set()
        arktia.go.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(packeis.queue.run)
            await refused(packeis.store, cod)
            nursery.start_soon(arktia.queue.run)
            await refused(arktia.store, fish)
            nursery.cancel_scope.cancel()
    assert (packeis.built, arktia.built) == (["cod"], ["fish"])


async def test_upload_of_a_game_without_a_ladder_is_built_for_tournaments(
    url: DatabaseUrl, tmp_path: Path
) -> None:
    with server(url, tmp_path, PACKEIS) as packeis:
        fish = await packeis.receive("fish", "arktia", tmp_path)
        packeis.go.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(packeis.queue.run)
            await refused(packeis.store, fish)
            nursery.cancel_scope.cancel()
    assert packeis.built == ["fish"]


async def test_upload_for_two_ladders_of_a_game_is_built_once(
    url: DatabaseUrl, tmp_path: Path
) -> None:
    with server(url, tmp_path, PACKEIS) as quick, server(url, tmp_path, SLOW_PACKEIS) as slow:
        cod = await quick.receive("cod", "packeis", tmp_path)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(quick.queue.run)
            with trio.fail_after(60):
                while not quick.built:
                    await trio.sleep(0.01)
            await slow.queue._claim_and_process(slow.store.uploads.get(cod.number))
            during = list(slow.built)
            quick.go.set()
            await refused(quick.store, cod)
            nursery.cancel_scope.cancel()
        await slow.queue._claim_and_process(cod)
    assert (during, quick.built, slow.built) == ([], ["cod"], [])


async def test_server_that_starts_leaves_what_another_one_receives(tmp_path: Path) -> None:
    first, second = UploadFolder(tmp_path), UploadFolder(tmp_path)
    first.prepare()
    with first.temporary() as receiving:
        second.prepare()
        assert receiving.is_dir()
