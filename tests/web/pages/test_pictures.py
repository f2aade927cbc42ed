"""Pictures for other sites that show a link to a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import trio
from benchmarks.crowd import Crowd
from benchmarks.crowd import fill as fill_crowd
from PIL import Image
from tests.web.conftest import OpenPages
from tests.web.playing import open_host
from tests.web.records import fill

from polynya_store import MatchFilter, Store
from polynya_web.content.texts import TEXTS
from polynya_web.pictures import card as cards
from polynya_web.pictures.card import Card, CardPainter

PICTURE = re.compile(r'<meta property="og:image" content="([^"]+)">')
LATER_MS = 4_000_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A match of each game between ``bot0``, ``bot1`` and ``bot2``."""
    with Store.open(tmp_path / "site.sqlite", for_play=True) as opened:
        yield opened


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Store]:
    """A tournament of ten matches, ``cup-1``."""
    fill_crowd(tmp_path / "cup.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as opened:
        yield opened


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Card]:
    """The cards that were drawn, in their order."""
    cards: list[Card] = []
    steps = CardPainter.steps

    def counted(self: CardPainter) -> Iterator[None]:
        cards.append(self._card)
        return steps(self)

    monkeypatch.setattr(CardPainter, "steps", counted)
    return cards


async def picture_of(client: httpx2.AsyncClient, path: str) -> httpx2.Response:
    """The picture that a page names."""
    named = PICTURE.search((await client.get(path)).text)
    assert named is not None, f"{path} names no picture"
    answer = await client.get(named[1])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    with Image.open(io.BytesIO(answer.content)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
    return answer


async def test_matches_and_bots_have_pictures(pages: OpenPages, store: Store) -> None:
    await fill(store)
    matches = [row.match for row in store.matches.page(MatchFilter()).rows]
    async with pages(store) as client:
        paths = [*(f"/matches/{match}" for match in matches), "/bots/bot0"]
        found = [await picture_of(client, path) for path in paths]
    assert len({one.content for one in found}) == 4
    assert {one.headers["cross-origin-resource-policy"] for one in found} == {"cross-origin"}


async def test_hidden_results_are_not_on_pictures(
    pages: OpenPages, cup: Store, drawn: list[Card]
) -> None:
    async with pages(cup) as client:
        await picture_of(client, "/tournaments/cup-1")
        await picture_of(client, "/matches/cup-1-1")
    cup.tournaments.hide_results("cup-1", LATER_MS)
    async with pages(cup) as client:
        await picture_of(client, "/tournaments/cup-1")
        await picture_of(client, "/matches/cup-1-1")
    tournament, match, hidden_tournament, hidden_match = drawn
    assert len(tournament.players) == 4
    assert hidden_tournament.players == ()
    assert [name for _, name in match.players] != [name for _, name in hidden_match.players]
    assert tournament.text != hidden_tournament.text == hidden_match.text != match.text


async def test_picture_of_a_match_in_play_says_no_result(
    pages: OpenPages, tmp_path: Path, drawn: list[Card]
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        table = await host.table("m")
        before = await picture_of(client, "/matches/m")
        await table.move(0)
        await table.asked(1)
        after = await picture_of(client, "/matches/m")
    assert before.content == after.content
    assert [card.text for card in drawn] == [TEXTS["en"]("viewer.in_play")]


async def test_a_picture_is_drawn_once_and_in_each_language(
    pages: OpenPages, store: Store, drawn: list[Card]
) -> None:
    await fill(store)
    match = store.matches.page(MatchFilter()).rows[0].match
    async with pages(store) as client:
        answers: list[bytes] = []

        async def ask(language: str) -> None:
            answers.append((await client.get(f"/pictures/{language}/matches/{match}.png")).content)

        async with trio.open_nursery() as nursery:
            for language in ("en", "de") * 4:
                nursery.start_soon(ask, language)
    assert len(set(answers)) == 2
    assert len(drawn) == 2


async def test_kept_pictures_are_bounded(
    pages: OpenPages, store: Store, drawn: list[Card], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "MAX_KEPT_BYTES", 1)
    await fill(store)
    async with pages(store) as client:
        for _ in range(2):
            await picture_of(client, "/bots/bot0")
    assert [card.title for card in drawn] == ["bot0", "bot0"]


async def test_no_more_wait_for_pictures_than_the_limit(
    pages: OpenPages, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "MAX_WAITING", 0)
    await fill(store)
    statuses: list[int] = []
    async with pages(store) as client:

        async def ask(bot: str) -> None:
            statuses.append((await client.get(f"/pictures/en/bots/{bot}.png")).status_code)

        async with trio.open_nursery() as nursery:
            for bot in ("bot0", "bot1", "bot2"):
                nursery.start_soon(ask, bot)
    assert statuses.count(200) >= 1
    assert set(statuses) <= {200, 503}


async def test_a_picture_of_what_is_not_there_is_not_there(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        found = [
            (await client.get(f"/pictures/{path}.png")).status_code
            for path in ("en/matches/none", "en/bots/none", "en/tournaments/none", "xx/bots/bot0")
        ]
    assert found == [404] * 4
