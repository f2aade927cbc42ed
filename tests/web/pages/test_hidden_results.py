"""Databases that differ in hidden results alone are shown by the same bytes, on every address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx2
import msgspec
import pytest
import sqlalchemy as sa
from starlette.routing import Route
from tests.scripted.scripted_referee import Script, record_of
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_pages import settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_app.application import run
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.secret import Secret
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, schema
from polynya_web.api.endpoints import ENDPOINTS, PREFIX
from polynya_web.pages.guides import connect, documents
from polynya_web.web_server import PAGES

LATER_MS = 4_000_000_000_000
PARAMETERS = {
    "bot": ("ann",),
    "game": ("packeis",),
    "language": ("en",),
    "match": ("cup-1", "cup-6"),
    "name": ("cup", "ann", "cup-1"),
    "players": ("2",),
    "tournament": ("cup",),
}
ENDLESS = {f"{PREFIX}/live", f"{PREFIX}/tv"}
"""Streams of matches in play: those that are hidden are on none."""
QUERIES = (
    "/matches?state=in_play",
    "/matches?state=ended",
    "/matches?bot=ann&opponent=bob",
    "/search?q=cup",
    "/search?q=ann",
    "/tv?tournament=cup",
    "/wall?tournament=cup",
    "/wall?game=packeis",
)


def addresses() -> Iterator[str]:
    """Every address that answers GET: of the API, and of the pages but for the guides."""
    modules = [module for module in PAGES if module not in (connect, documents)]
    routes = [route for module in modules for route in module.ROUTES if isinstance(route, Route)]
    paths = {route.path for route in routes if "GET" in (route.methods or ())}
    paths |= {PREFIX + one.path for one in ENDPOINTS if one.method == "GET"}
    for path in sorted(paths - ENDLESS):
        names = re.findall(r"{(\w+)(?::\w+)?}", path)
        for values in product(*(PARAMETERS.get(name, ("none",)) for name in names)):
            filled = path
            for name, value in zip(names, values, strict=True):
                filled = re.sub(rf"{{{name}(:\w+)?}}", value, filled)
            yield filled
    yield from QUERIES


def last_name_wins(setup: MatchSetup) -> MatchRecord:
    names = sorted(setup.players, reverse=True)
    return record_of(setup, [1 + names.index(name) for name in setup.players])


def as_of_one_time(store: Store, *, forfeits: bool) -> None:
    """Give matches the same beginnings in every database; other ends and reasons with forfeits."""
    matches, seats, cups = schema.matches, schema.seats, schema.tournaments
    length = 1_000 if forfeits else 60_000
    with store.database.writing() as connection:
        began = 1_760_000_000_000 + 100_000 * matches.c.id
        times = {"started_ms": began, "finished_ms": began + length}
        connection.execute(sa.update(matches).values(times))
        for table in (cups, schema.bots):
            connection.execute(sa.update(table).values(created_ms=1_750_000_000_000))
        connection.execute(sa.update(schema.secrets).values(made_ms=1_750_000_000_000))
        if forfeits:
            connection.execute(sa.update(matches).values(reason="forfeit", termination="forfeit"))
            connection.execute(
                sa.update(seats).where(seats.c.rank == 2).values(forfeit="timeout", fault=True)
            )


async def hidden_cup(path: Path, configuration: TournamentConfiguration, script: Script) -> Store:
    """A database with a tournament that was played while its results were hidden."""
    store = Store.open(path, for_play=True)
    await played(configuration, store, script, results_from_ms=LATER_MS)
    as_of_one_time(store, forfeits=script is last_name_wins)
    return store


async def shown(client: httpx2.AsyncClient, address: str) -> tuple[int, bytes]:
    answer = await client.get(address, headers={"host": "localhost"})  # as codes name it, too
    own = str(client.base_url).rstrip("/").encode()
    text = re.sub(rb'("taken_ms":)\d+', rb"\1", answer.content.replace(own, b""))
    return answer.status_code, text.replace(own.partition(b"//")[2], b"")


def exported(store: Store, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["results", "export", "--database", str(store.address)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["round_robin", "knockout"])
async def test_no_address_tells_hidden_results(
    pages: OpenPages,
    tmp_path: Path,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Secret, "new", lambda: Secret(bytes(range(32))))
    own = {} if name == "round_robin" else {name: settings(name)}
    configuration = msgspec.structs.replace(
        CUP, **{"swiss": None, **own}, format=name, concurrency=1
    )
    with (
        await hidden_cup(tmp_path / "one.sqlite", configuration, first_name_wins) as one,
        await hidden_cup(tmp_path / "other.sqlite", configuration, last_name_wins) as other,
    ):
        async with pages(one) as first, pages(other) as second:
            differing = [
                address
                for address in addresses()
                if await shown(first, address) != await shown(second, address)
            ]
        assert differing == []
        capsys.readouterr()
        tables = [exported(one, capsys), exported(other, capsys)]
    assert tables[0] == tables[1]


async def test_ratings_follow_the_results_when_these_are_revealed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "open.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        expected = store.ratings.find()
    with Store.open(tmp_path / "hidden.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins, results_from_ms=LATER_MS)
        assert store.ratings.find() == []
        store.tournaments.hide_results("cup", None)
        assert store.ratings.find() == expected
        assert store.ratings.differences() == []


async def test_ratings_are_computed_when_the_time_has_come(tmp_path: Path) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins, results_from_ms=LATER_MS)
        assert not store.ratings.has_revealed()
        with store.database.writing() as connection:
            connection.execute(sa.update(schema.tournaments).values(results_from_ms=1))
        assert store.ratings.has_revealed()
        store.ratings.rate_revealed()
        assert len(store.ratings.find()) == 4
        assert not store.ratings.has_revealed()


async def test_results_that_are_hidden_later_leave_the_ratings(tmp_path: Path) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        rated = store.ratings.find()
        store.tournaments.hide_results("cup", LATER_MS)
        assert store.ratings.find() == []
        store.tournaments.hide_results("cup", None)
        assert store.ratings.find() == rated
