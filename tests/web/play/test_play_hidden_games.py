"""A person in matches with joint turns or hidden parts: asked with the others, its view shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from tests.games.example_games import example_games, example_games_of_processes
from tests.scripted import RawClient
from tests.scripted.game_host import hosting
from tests.scripted.race_host import PATIENT, RaceHost
from tests.web.play.persons import browser, ended, open_house
from tests.web.play.test_local_seat import asked, forfeits, positions

from polynya_conformance.replay.verify import differences, parse_replay
from polynya_games.chance import deal_of_seed
from polynya_server.records import MatchRecord, MatchSetup
from polynya_web.play.local_seat import LocalSeat
from polynya_web.play.table_state import RefusedError

__all__ = ["example_games", "example_games_of_processes"]


class Match:
    """A match of a person in seat 0 against a scripted bot."""

    def __init__(self, host: RaceHost, bot: RawClient, game: str, **options: Any) -> None:
        self.seat = LocalSeat("person", host.server.pending_turn)
        self.bot = bot
        self.record: MatchRecord | None = None
        self._setup = MatchSetup(
            match="m",
            game=game,
            players=("person", "bot"),
            clock=PATIENT,
            seed=0,
            deal="5a" * 32,
            options=options,
            rated=False,
        )
        self._host = host
        host.in_background(self._run)

    async def _run(self) -> None:
        self.record = await self._host.server.play(self._setup, {"person": self.seat})

    async def ended(self) -> MatchRecord:
        version = self.seat.changes.version
        while self.record is None:
            with trio.move_on_after(0.05):
                version = await self.seat.changes.wait(version)
        return self.record


async def begun(host: RaceHost, game: str, **options: Any) -> Match:
    match = Match(host, await host.bot("bot"), game, **options)
    await match.bot.answer(await match.bot.expect("match_start"))
    return match


async def test_answer_of_a_joint_turn_is_shown_when_all_have_answered() -> None:
    async with hosting("bot") as host:
        match = await begun(host, "goofspiel", cards=3)
        seat = match.seat
        turn = await match.bot.expect("turn")
        number = await asked(seat)
        composed = seat.compose(number, [["bid", 2]])
        seat.play(number, [["bid", 2]])
        assert (composed.legal, composed.turn_over) == ([], True)
        assert (seat.asked, [one.seat for one in positions(seat)]) == (None, [None])
        assert seat.view is not None
        assert seat.view.acting == (0, 1)
        await match.bot.move(turn, [["bid", 3]])
        assert await asked(seat) == number + 1
        shown = positions(seat)
    assert [(one.seat, one.steps) for one in shown[1:]] == [(0, [["bid", 2]]), (1, [["bid", 3]])]
    assert shown[1].state == shown[2].state
    assert {"deal", "drawn"}.isdisjoint(shown[2].state)


async def test_person_sees_its_own_card_and_learns_what_is_uncovered() -> None:
    async with hosting("bot") as host:
        match = await begun(host, "kuhn", hands=2)
        number = await asked(match.seat)
        composed = match.seat.compose(number, [["bet"]])
        match.seat.play(number, [["bet"]])
        await match.bot.move(await match.bot.expect("turn"), [["call"]])
        await match.bot.expect("turn")
        shown = positions(match.seat)
    [own, other] = shown[0].state["cards"]
    assert (own in {1, 2, 3}, other) == (True, None)
    assert composed.position is not None
    assert composed.position.state["cards"] == [own, None]
    assert shown[-1].state["cards"][1] is None
    assert shown[-1].seen[0]["cards"][0] == own


async def test_a_step_that_ends_the_turn_uncovers_nothing_before_it_is_sent() -> None:
    async with hosting("bot") as host:
        match = await begun(host, "kuhn", hands=2)
        match.seat.play(await asked(match.seat), [["check"]])
        await match.bot.move(await match.bot.expect("turn"), [["bet"]])
        composed = match.seat.compose(await asked(match.seat), [["call"]])
    assert composed.turn_over
    assert composed.position is not None
    assert (composed.position.state["cards"][1], composed.position.seen) == (None, [])


async def test_wrong_answer_of_a_joint_turn_costs_nothing() -> None:
    async with hosting("bot") as host:
        match = await begun(host, "goofspiel", cards=3)
        number = await asked(match.seat)
        for steps, key in (([["bid", 9]], "by_server"), ([], "unfinished")):
            with pytest.raises(RefusedError, match=key):
                match.seat.play(number, steps)
        assert await asked(match.seat) == number


async def test_person_who_resigns_after_the_answer_leaves_with_the_turn() -> None:
    async with hosting("bot") as host:
        match = await begun(host, "goofspiel", cards=3)
        number = await asked(match.seat)
        match.seat.play(number, [["bid", 2]])
        match.seat.resign()
        record = await match.ended()
    assert forfeits(record) == [(0, "resigned", "person resigned")]
    assert positions(match.seat)[-1].forfeit == "resigned"


@pytest.mark.usefixtures("example_games_of_processes")
@pytest.mark.parametrize(("game", "options"), [("kuhn", {"hands": 6}), ("goofspiel", {"cards": 4})])
async def test_person_plays_a_whole_match_with_a_deal_that_is_recorded_before_it(
    tmp_path: Path, game: str, options: dict[str, int]
) -> None:
    async with open_house(tmp_path) as house, browser(house) as person:
        given = {f"option__{name}": value for name, value in options.items()}
        answer = await person.begin(game=game, move_ms=10_000, name="Ada", **given)
        assert answer.status_code == 303, answer.text
        table = await person.play_on()
        await ended(house)
        record = parse_replay(house.store.matches.replay(person.match), "the replay")
    assert (table["phase"], table["over"]["ranking"]) == ("over", record.ranking)
    assert record.setup.deal == deal_of_seed(record.setup.seed).hex()
    assert (record.reason, differences(record)) == ("finished", [])
