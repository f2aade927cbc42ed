"""Whole matches of a person: each game from the form to a replay that holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme
from tests.web.play.persons import browser, ended, open_house

from polynya_conformance.replay.verify import differences, parse_replay
from polynya_server.records import TurnRecord

GUESTS = ("person-Ada", "builtin-random")


@pytest.mark.parametrize(
    ("game", "players", "seat"),
    [("packeis", 2, 1), ("arktia", 3, 0), ("icecult", 2, 0), ("packeis", 4, 2)],
)
async def test_a_person_plays_a_match_to_its_end(
    tmp_path: Path, game: str, players: int, seat: int
) -> None:
    opponents = {f"opponent{number}": "builtin:random" for number in range(1, players)}
    async with open_house(tmp_path) as house, browser(house) as person:
        await person.begin(
            game=game, players=players, seat=seat, move_ms=10_000, name="Ada", **opponents
        )
        table = await person.play_on()
        await ended(house)
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (table["phase"], table["over"]["reason"]) == ("over", record.reason)
    assert (table["over"]["ranking"], table["over"]["scores"]) == (record.ranking, record.scores)
    assert (table["seat"], record.setup.players[seat]) == (seat, "person-Ada")
    assert (record.setup.rated, record.setup.untimed) == (False, (seat,))
    assert differences(record) == []
    turns = [event for event in record.events if isinstance(event, TurnRecord)]
    assert seat in {turn.seat for turn in turns}


async def test_people_and_bots_started_for_them_are_not_listed(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        house.store.bots.set_token("ann", bytes(32))
        await person.begin(move_ms=10_000, name="Ada")
        await person.play_on()
        await ended(house)
        bots = (await person.client.get("/api/v1/bots")).json()
        guests = [await person.client.get(f"/bots/{name}") for name in GUESTS]
        match = (await person.client.get(f"/matches/{person.match}")).text
    assert [bot["name"] for bot in bots["bots"]] == ["ann"]
    assert ["A guest" in page.text for page in guests] == [True, True]
    assert all(f'href="/bots/{name}"' in match for name in GUESTS)


async def test_a_person_and_a_started_bot_play_where_connections_are_encrypted(
    tmp_path: Path,
) -> None:
    certificate = trustme.CA().issue_cert("contest.example")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    files = {"tls_cert": str(tmp_path / "cert.pem"), "tls_key": str(tmp_path / "key.pem")}
    async with open_house(tmp_path, files) as house, browser(house) as person:
        await person.begin(move_ms=10_000)
        table = await person.play_on()
        await ended(house)
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (table["over"]["reason"], differences(record)) == (record.reason, [])
