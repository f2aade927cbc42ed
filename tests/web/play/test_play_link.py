"""The connection of a person's seat to the game server: what is left while it is being made."""

from __future__ import annotations

from pathlib import Path

import trio
from tests.web.play.persons import open_house

from polynya_server import hash_token, new_token
from polynya_web.play.dialling import dial
from polynya_web.play.person import Person

PATIENCE_S = 10


async def test_a_seat_that_is_given_up_while_it_is_being_connected_stays_away(
    tmp_path: Path,
) -> None:
    dialled, may_go_on = trio.Event(), trio.Event()
    token = new_token()

    async def dial_slowly() -> trio.abc.Stream:
        stream = await dial(house.server)
        dialled.set()
        await may_go_on.wait()
        return stream

    async with open_house(tmp_path) as house:
        house.server.guests.invite("person-Ada", hash_token(token))
        link = Person("person-Ada", token, dial_slowly).link
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.run)
                await dialled.wait()
                await link.leave()
                may_go_on.set()
        assert list(house.server.guests) == []
