"""The table: whose it is, what is refused there, and what becomes of it when somebody leaves."""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
from tests.web.play.persons import Browser, Table, browser, ended, open_house

from polynya_conformance.replay.verify import differences, parse_replay
from polynya_contest.config.builtin_bots import BotCommand
from polynya_server.records import ForfeitRecord, MatchRecord, MatchSetup
from polynya_store import Attempt, StoreJournal
from polynya_web.play import human_match


async def asked(person: Browser) -> Table:
    """The table when it is the person's turn."""
    async with person.tables() as tables:
        async for table in tables:
            if table["asked"] is not None:
                return table
    raise AssertionError("the person was never asked")


def forfeits(record: MatchRecord) -> list[tuple[int, str]]:
    return [
        (event.seat, event.reason) for event in record.events if isinstance(event, ForfeitRecord)
    ]


# Whose it is.


async def test_another_browser_may_only_watch(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person, browser(house) as other:
        await person.begin()
        turn = (await asked(person))["asked"]
        other.path = person.path
        page = await other.client.get(person.path)
        statuses = [
            (await other.client.get(f"{person.path}/events")).status_code,
            (await other.post("compose", {"turn": turn["turn"], "steps": []})).status_code,
            (await other.post("move", {"turn": 1, "steps": turn["legal"][:1]})).status_code,
            (await other.post("resign")).status_code,
            (await other.post("again")).status_code,
        ]
        assert (page.status_code, page.headers["location"]) == (303, f"/matches/{person.match}")
        assert statuses == [404] * 5
        assert (await asked(person))["asked"] == turn


async def test_a_secret_that_was_made_up_opens_no_seat(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person, browser(house) as other:
        await person.begin()
        for secret in ("a" * 43, "a", "a;b", ""):
            other.client.cookies.set("person", secret)
            assert (await other.client.get(f"{person.path}/events")).status_code == 404


async def test_the_secret_is_shown_to_no_script_and_no_other_site(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        cookie = (await person.begin()).headers["set-cookie"]
    assert {"HttpOnly", "Path=/play", "SameSite=strict"} <= set(cookie.split("; "))


async def test_two_browsers_have_matches_of_their_own(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as one, browser(house) as other:
        await one.begin(name="Ada")
        await other.begin(name="Ada")
        names = [
            [player["name"] for player in (await asked(person))["players"]]
            for person in (one, other)
        ]
    assert names == [
        ["person-Ada", "builtin-random"],
        ["person-Ada-2", "builtin-random-2"],
    ]


async def test_all_pages_of_a_person_are_updated(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        table = await asked(person)
        async with person.tables() as first, person.tables() as second:
            await person.play_turn(table["asked"], random.Random(1))
            told = [await _with_positions(tables, 2) for tables in (first, second)]
    assert [table["positions"][-1]["index"] >= 1 for table in told] == [True, True]


async def _with_positions(tables: AsyncIterator[Table], count: int) -> Table:
    async for table in tables:
        if table["count"] >= count:
            return table
    raise AssertionError(f"there were never {count} positions")


async def test_seats_of_a_persons_match_are_not_paired(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin(name="Ada")
        await asked(person)
        assert list(house.server.connected) == []
        assert list(house.server.guests) == ["builtin-random"]


async def test_a_name_that_a_bot_has_is_not_given_to_a_person(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        house.server.add_token("person-Ada", bytes(32))
        await person.begin(name="Ada")
        players = (await asked(person))["players"]
    assert players[0]["name"] == "person-Ada-2"


# What is refused.


async def test_an_illegal_step_is_refused_with_the_servers_sentence_and_costs_nothing(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        turn = (await asked(person))["asked"]
        wrong = {"turn": turn["turn"], "steps": [["place", 60]]}
        for what in ("compose", "move"):
            answer = await person.post(what, wrong)
            assert answer.status_code == 409
            assert answer.json()["error"].startswith(
                'The game server says: no legal steps: step 0: ["place", 60]: '
            )
        assert (await asked(person))["asked"] == turn
        await person.post("resign")


@pytest.mark.parametrize(
    ("game", "steps", "sentence"),
    [
        ("icecult", [["tip", "N", "N"]], "The turn is not complete"),
        ("icecult", [], "The turn is not complete"),
        ("packeis", [], "The turn is not complete"),
    ],
)
async def test_a_part_of_a_turn_is_not_played(
    tmp_path: Path, game: str, steps: list[Any], sentence: str
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin(game=game)
        turn = (await asked(person))["asked"]["turn"]
        answer = await person.post("move", {"turn": turn, "steps": steps})
        assert (answer.status_code, answer.json()["error"].startswith(sentence)) == (409, True)
        assert (await asked(person))["asked"]["turn"] == turn


async def test_another_turn_than_the_present_one_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        turn = (await asked(person))["asked"]
        for number in (0, turn["turn"] + 1, -1, 2**70):
            answer = await person.post("move", {"turn": number, "steps": turn["legal"][:1]})
            assert answer.status_code in (400, 409)
        assert (await asked(person))["asked"] == turn


async def test_a_turn_that_is_sent_twice_is_played_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        turn = (await asked(person))["asked"]
        statuses = []

        async def send() -> None:
            body = {"turn": turn["turn"], "steps": turn["legal"][:1]}
            statuses.append((await person.post("move", body)).status_code)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
            nursery.start_soon(send)
        assert sorted(statuses) == [204, 409]
        assert (await asked(person))["asked"]["turn"] > turn["turn"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"turn": 1}', 400),
        (b'{"turn": "1", "steps": []}', 400),
        (b'{"turn": 1, "steps": [[{"a": 1}]]}', 400),
        (b'{"turn": 1, "steps": [], "more": 1}', 400),
        (b'{"turn": 1, "steps": ' + b"[" * 5_000, 400),
        (b'{"turn": 1, "steps": [' + b"[]," * 10_000, 413),
        (b"\xff\xfe", 400),
    ],
)
async def test_malformed_steps_are_refused_without_cost(
    tmp_path: Path, body: bytes, status: int
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        turn = (await asked(person))["asked"]
        answer = await person.client.post(
            f"{person.path}/move", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == status
        assert (await asked(person))["asked"] == turn


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_requests_of_another_site_are_refused(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        turn = (await asked(person))["asked"]
        person.client.headers.update(headers)
        statuses = [
            (await person.begin()).status_code,
            (await person.post("move", {"turn": 1, "steps": turn["legal"][:1]})).status_code,
            (await person.post("compose", {"turn": 1, "steps": []})).status_code,
            (await person.post("resign")).status_code,
            (await person.post("again")).status_code,
        ]
    assert statuses == [403] * 5


async def test_steps_are_taken_as_json_only(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        await asked(person)
        answer = await person.client.post(
            f"{person.path}/move",
            content=b'{"turn": 1, "steps": []}',
            headers={"content-type": "text/plain"},
        )
    assert answer.status_code == 400


# Who leaves.


async def test_a_page_that_is_opened_again_goes_on_where_it_was(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        await person.play_turn((await asked(person))["asked"], random.Random(1))
        await asked(person)  # the other one has moved: who opens the page now is told all at once
        before = await asked(person)
        again = await asked(person)
    assert again["asked"] == before["asked"]
    assert again["positions"] == before["positions"]


async def test_person_who_never_opens_the_page_leaves_before_the_match(tmp_path: Path) -> None:
    async with open_house(tmp_path, play_away_ms=1) as house, browser(house) as person:
        await person.begin()
        with trio.fail_after(60):
            while (await person.until("failed"))["sentence"] is None:
                pass
        await ended(house)
        assert [row for row in house.store.matches.find() if row.reason is None] == []


async def test_a_match_that_is_left_while_its_beginning_is_recorded_is_not_in_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, is_beginning = StoreJournal.begin, trio.Event()

    async def begun(journal: StoreJournal, attempt: Attempt) -> MatchSetup:
        is_beginning.set()
        return await begin(journal, attempt)

    monkeypatch.setattr(StoreJournal, "begin", begun)
    async with open_house(tmp_path) as house, browser(house) as person:
        with sqlite3.connect(tmp_path / "polynya.sqlite", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")  # the beginning cannot be written yet
            await person.begin()
            await is_beginning.wait()
            await person.post("resign")
            other.execute("ROLLBACK")
        other.close()
        async with person.tables() as tables:
            async for _ in tables:  # until all is cleared up
                pass
        assert [row.reason for row in house.store.matches.find()] == ["aborted"]


async def test_page_closed_for_too_long_forfeits(tmp_path: Path) -> None:
    async with open_house(tmp_path, play_away_ms=10_000) as house, browser(house) as person:
        await person.begin()
        await person.until("playing")
        await ended(house)
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (forfeits(record), differences(record)) == ([(0, "disconnected")], [])


async def test_turn_that_is_left_for_too_long_forfeits_though_the_page_is_open(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path, play_turn_ms=100) as house, browser(house) as person:
        await person.begin(name="Ada")
        await person.until("over")
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (forfeits(record), differences(record)) == ([(0, "disconnected")], [])
    assert [str(forfeit.detail) for forfeit in record.forfeits] == [
        "person-Ada did not play a turn for 0.1 s"
    ]


async def test_resigning_person_forfeits_and_sees_the_result(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        await asked(person)
        assert (await person.post("resign")).status_code == 204
        await person.until("over")
        table = await person.until("over")  # a page that is opened now is told everything
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (table["over"]["reason"], table["over"]["ranking"]) == ("forfeit", [2, 1])
    assert table["positions"][-1]["forfeit"] == "resigned"
    assert forfeits(record) == [(0, "resigned")]


async def test_a_match_can_be_played_once_more_when_it_is_over(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin(name="Ada")
        await asked(person)
        first = person.path
        early = await person.client.post(f"{first}/again")
        await person.post("resign")
        await person.until("over")
        answer = await person.client.post(f"{first}/again")
        person.path = answer.headers["location"]
        table = await asked(person)
    assert (early.status_code, answer.status_code) == (409, 303)
    assert person.path != first
    assert [player["name"] for player in table["players"]] == ["person-Ada", "builtin-random"]


async def test_a_bot_that_cannot_be_started_is_no_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = BotCommand(words=("false",), environment={})
    monkeypatch.setattr(human_match, "builtin_command", lambda _name: broken)
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        table = await person.until("failed")
        await ended(house)
    assert table["sentence"].startswith("A bot did not come")


async def test_a_server_that_stops_ends_the_match_and_says_so(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person, browser(house) as late:
        await person.begin()
        await asked(person)
        await house.server.stop(0)
        table = await person.until("over")
        assert (await late.begin()).status_code == 409
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (record.reason, table["over"]) == (
        "aborted",
        {
            "ranking": None,
            "scores": None,
            "reason": "aborted",
            "detail": "the server is shutting down",
            "detail_cause": {"code": "server_shuts_down"},
        },
    )


async def test_closed_pages_leave_no_task_behind(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        await asked(person)
        server = house.server
    assert (server.in_play, list(server.guests)) == (0, [])


@pytest.mark.parametrize("turns", [0, 1])
async def test_a_match_that_was_not_played_to_its_end_has_no_rating(
    tmp_path: Path, turns: int
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin()
        for _ in itertools.repeat(None, turns):
            await person.play_turn((await asked(person))["asked"], random.Random(1))
        await asked(person)
        await person.post("resign")
        await person.until("over")
        await ended(house)
        assert house.store.ratings.find() == []
