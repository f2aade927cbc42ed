"""The form for a match: what may be chosen, and what is said about what may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from tests.scripted import RawClient, connected
from tests.web.conftest import OpenPages
from tests.web.play.persons import browser, open_house, sentence_of

from polynya_server import hash_token
from polynya_web.play import human_matches


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"game": "chess"}, "There is no such game here"),
        ({"game": "../packeis"}, "There is no such game here"),
        ({"players": "5"}, "This game is for 2 to 4 players."),
        ({"players": "-2"}, "This game is for 2 to 4 players."),
        ({"players": "²"}, "This game is for 2 to 4 players."),
        ({"seat": "2"}, "The seat must be one from 0 to 1"),
        ({"seat": "first"}, "The seat must be one from 0 to 1"),
        ({"opponent1": ""}, "The bot “” cannot be chosen"),
        ({"opponent1": "builtin:arktia"}, "The bot “arktia” cannot be chosen"),
        ({"opponent1": "builtin:../../bin/sh"}, "The bot “../../bin/sh” cannot be chosen"),
        ({"opponent1": "connected:nobody"}, "The bot “nobody” cannot be chosen"),
        ({"opponent1": "person:x"}, "The bot “x” cannot be chosen"),
        ({"players": "3"}, "The bot “” cannot be chosen"),
        ({"name": "<b>Ada</b>"}, "A name has at most 20 letters"),
        ({"name": "Ada Lovelace"}, "A name has at most 20 letters"),
        ({"name": "a" * 21}, "A name has at most 20 letters"),
        (
            {"game": "icecult", "option__turn_limit": "0"},
            "The game cannot be set up like this: ",
        ),
        (
            {"game": "icecult", "option__turn_limit": "[" * 900},
            "The game cannot be set up like this: ",
        ),
        (
            {"game": "icecult", "option__turn_limit": "1" * 1_001},
            "The game cannot be set up like this: turn_limit is too long",
        ),
        (
            {"game": "arktia", "option__round_limit": str(2**64)},
            "The game cannot be set up like this: the options of Arktia have an integer that no",
        ),
    ],
)
async def test_an_impossible_match_is_refused_in_a_sentence(
    tmp_path: Path, form: dict[str, Any], sentence: str
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        answer = await person.begin(**form)
        assert (answer.status_code, sentence_of(answer.text)[: len(sentence)]) == (409, sentence)
        assert (person.path, house.server.in_play) == ("", 0)


async def test_filled_in_text_is_escaped(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        answer = await person.begin(name='"><script>alert(1)</script>')
    assert "<script>alert" not in answer.text
    assert "&#34;&gt;&lt;script&gt;" in answer.text


async def test_options_reach_the_game(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin(game="icecult", option__turn_limit="7", option__setup="standard")
        table = await person.until("playing")
    assert table["positions"][0]["state"]["turn_limit"] == 7


async def test_full_server_is_a_sentence_in_the_readers_language(
    tmp_path: Path,
) -> None:
    async with (
        open_house(tmp_path, play_matches=1) as house,
        browser(house) as first,
        browser(house) as second,
        browser(house, **{"accept-language": "de"}) as third,
    ):
        await first.begin()
        refused = [await second.begin(), await third.begin()]
        assert [answer.status_code for answer in refused] == [409, 409]
        assert sentence_of(refused[0].text).startswith("All tables are taken: at most 1 ")
        assert sentence_of(refused[1].text).startswith("Alle Tische sind besetzt: Höchstens 1 ")
        await first.until("playing")
        await first.post("resign")
        await first.until("over")
        assert (await second.begin()).status_code == 303


async def test_one_visitor_cannot_take_all_tables(tmp_path: Path) -> None:
    async with (
        open_house(tmp_path) as house,
        browser(house, **{"x-forwarded-for": "192.0.2.1"}) as one,
        browser(house, **{"x-forwarded-for": "192.0.2.1"}) as same,
        browser(house, **{"x-forwarded-for": "192.0.2.2"}) as other,
    ):
        assert [(await one.begin()).status_code, (await same.begin()).status_code] == [303, 303]
        refused = await same.begin()
        assert (await other.begin()).status_code == 303
    assert sentence_of(refused.text).startswith("At most 2 matches are played from one address")


async def test_not_more_bots_are_started_than_the_host_allows(tmp_path: Path) -> None:
    random = "builtin:random"
    async with open_house(tmp_path, play_bots=3) as house, browser(house) as person:
        await person.begin(players=3, opponent1=random, opponent2=random)
        refused = await person.begin(players=3, opponent1=random, opponent2=random)
        assert sentence_of(refused.text).startswith("At most 3 bots are started")
        assert (await person.begin()).status_code == 303


async def test_matches_are_not_begun_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(human_matches, "STARTS", 2)
    monkeypatch.setattr(human_matches, "STARTS_PER_MINUTE", 1)
    async with open_house(tmp_path, play_matches_per_visitor=3) as house, browser(house) as person:
        answers = [await person.begin() for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 409]
    assert sentence_of(answers[2].text).startswith("Many matches were begun")


@pytest.mark.parametrize("with_server", [True, False])
async def test_page_says_that_people_may_not_play(
    tmp_path: Path, pages: OpenPages, with_server: bool
) -> None:
    if with_server:
        async with open_house(tmp_path, play="off") as house, browser(house) as person:
            answers = [await person.client.get("/play"), await person.begin()]
    else:
        async with pages() as client:
            answers = [await client.get("/play"), await client.post("/play", data={"a": "b"})]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert all("You cannot play here" in answer.text for answer in answers)
    assert 'href="/play"' not in answers[0].text


@pytest.mark.parametrize(
    ("settings", "offered"),
    [
        ({}, False),
        ({"play": "builtin"}, False),
        ({"play": "all"}, True),
        ({"play": "all", "host": "0.0.0.0"}, True),  # noqa: S104 -- what is tried
    ],
)
async def test_connected_bots_play_people_only_if_the_host_allows_it(
    tmp_path: Path, settings: dict[str, Any], offered: bool
) -> None:
    async with open_house(tmp_path, **settings) as house:
        house.server.add_token("theirs", hash_token("secret"))
        async with (
            connected(house.server.host, house.server.port) as bot,
            browser(house) as person,
        ):
            await bot.hello(name="theirs", token="secret")  # noqa: S106
            page = await person.client.get("/play")
            answer = await person.begin(opponent1="connected:theirs")
            assert ("connected:theirs" in page.text) is offered
            assert answer.status_code == (303 if offered else 409)


async def test_person_plays_against_a_connected_bot(tmp_path: Path) -> None:
    async with open_house(tmp_path, play="all") as house:
        house.server.add_token("theirs", hash_token("secret"))
        async with (
            connected(house.server.host, house.server.port) as bot,
            browser(house) as person,
            trio.open_nursery() as nursery,
        ):
            await bot.hello(name="theirs", token="secret", wants=["legal"])  # noqa: S106
            nursery.start_soon(_play_along, bot)
            await person.begin(opponent1="connected:theirs", move_ms=10_000)
            table = await person.play_on()
            busy = await person.begin(opponent1="connected:theirs", seat=1)
            nursery.cancel_scope.cancel()
    assert (table["over"]["reason"], table["players"][1]["name"]) == ("finished", "theirs")
    assert busy.status_code == 303


async def _play_along(bot: RawClient) -> None:
    while True:
        await bot.answer(await bot.receive())


@pytest.mark.parametrize(("game", "players"), [("packeis", 2), ("arktia", 4), ("icecult", 3)])
async def test_the_form_has_a_field_for_each_opponent(
    tmp_path: Path, game: str, players: int
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        page = (await person.client.get(f"/play?game={game}&players={players}")).text
    assert page.count('name="opponent') == players - 1
    assert f'value="builtin:{game}"' in page


@pytest.mark.parametrize("query", ["game=chess", "players=99", "game=%00&players=x", "players="])
async def test_form_is_shown_for_any_query(tmp_path: Path, query: str) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        assert (await person.client.get(f"/play?{query}")).status_code == 200
