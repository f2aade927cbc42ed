"""Rounds in the database: drawn when the one before is complete, and who withdraws is out."""

from __future__ import annotations

import msgspec

from polynya_protocol.messages import Clock
from polynya_tournaments.description import BotConfiguration, TournamentConfiguration
from polynya_tournaments.dispatch import Dispatcher
from polynya_tournaments.formats.settings import KnockoutSettings
from polynya_tournaments.reporter import Reporter
from polynya_tournaments.rounds import Rounds
from polynya_tournaments.store import Store, StoreJournal
from polynya_tournaments.testing import ScriptedReferee

NAMES = ("ann", "bob", "cid", "dot")
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    format="knockout",
    knockout=KnockoutSettings(best_of=1, tie_breaks=0),
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
)


async def play(
    journal: StoreJournal, configuration: TournamentConfiguration = CUP, gone: str | None = None
) -> None:
    """Play on; the matches of ``gone`` are given up."""
    rounds = Rounds(configuration, journal, Reporter())
    left = await rounds.begin()
    dispatcher = Dispatcher(
        configuration,
        rounds.tournament_id,
        left,
        0,
        ScriptedReferee(journal, NAMES),
        journal,
        Reporter(),
        rounds.next,
    )
    if gone is not None:
        dispatcher.set_aside(gone, f"bot {gone} ended by itself")
    await dispatcher.run()


async def test_the_next_round_is_drawn_when_all_of_the_last_is_played(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal)
    table = store.standings("cup")
    assert [round_.name for round_ in table.rounds] == ["semi-finals", "final"]
    assert (table.played, table.complete) == (6, True)


async def test_matches_that_were_given_up_keep_the_next_round_from_being_drawn(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, gone="dot")
    table = store.standings("cup")
    assert [round_.name for round_ in table.rounds] == ["semi-finals"]
    assert (table.played, table.scheduled, table.complete) == (2, 4, False)


async def test_without_a_bot_that_has_withdrawn_it_goes_on(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, gone="dot")
    bots = [msgspec.structs.replace(bot, withdrawn=bot.name == "dot") for bot in CUP.bots]
    await play(journal, msgspec.structs.replace(CUP, bots=bots))
    table = store.standings("cup")
    assert table.complete
    assert table.rows[-1].name in ("cid", "dot")
    assert table.rounds[0].meetings[0].note == "walkover"
    assert table.unplayed == ("2 not played: bot dot has withdrawn",)


async def test_seeds_by_rating_are_those_of_the_beginning(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal)
    rated = KnockoutSettings(best_of=1, tie_breaks=0, seeding="rating")
    second = msgspec.structs.replace(CUP, name="second", knockout=rated)
    ratings = {row.bot: row.rating for row in store.ratings()}
    await play(journal, second)
    entrants = store.recorded("second").entrants
    assert [e.rating for e in entrants] == sorted(ratings.values(), reverse=True)
