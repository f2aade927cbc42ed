"""Rounds in the database: drawn when the one before is complete, and who withdraws is out."""

from __future__ import annotations

import msgspec
import pytest
from tests.scripted.scripted_referee import ScriptedBlocks, ScriptedReferee
from tests.tournaments.tournament.scripted_runs import KNOCKOUT_OF_FOUR, NAMES

from polynya_common.errors import StoreError
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.brackets.knockout import (
    DoubleEliminationSettings,
    KnockoutSettings,
)
from polynya_contest.pairing.schedule import pairings_of
from polynya_contest.secret import Secret
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.scheduler import Scheduler

CUP = msgspec.structs.replace(KNOCKOUT_OF_FOUR, absent="open")


async def play(
    journal: StoreJournal, configuration: TournamentConfiguration = CUP, gone: str | None = None
) -> None:
    """Play on; the matches of ``gone`` are given up."""
    rounds = RoundDrawer(configuration, journal, Reporter())
    await rounds.begin()
    referee = ScriptedReferee(journal, [bot.name for bot in configuration.bots])
    scheduler = Scheduler(configuration, rounds, ScriptedBlocks(referee), journal, Reporter())
    if gone is not None:
        scheduler.set_aside(gone, f"bot {gone} ended by itself")
    await scheduler.run()


async def test_the_next_round_is_drawn_when_all_of_the_last_is_played(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal)
    table = store.tournaments.standings("cup")
    assert [round_.name for round_ in table.rounds] == ["semi-finals", "final"]
    assert (table.played, table.complete) == (6, True)


async def test_matches_that_were_given_up_keep_the_next_round_from_being_drawn(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, gone="dot")
    table = store.tournaments.standings("cup")
    assert [round_.name for round_ in table.rounds] == ["semi-finals"]
    assert (table.played, table.scheduled, table.complete) == (2, 4, False)


async def test_without_a_bot_that_has_withdrawn_it_goes_on(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, gone="dot")
    bots = [msgspec.structs.replace(bot, withdrawn=bot.name == "dot") for bot in CUP.bots]
    await play(journal, msgspec.structs.replace(CUP, bots=bots))
    table = store.tournaments.standings("cup")
    assert table.complete
    assert table.rows[-1].name in ("cid", "dot")
    assert table.rounds[0].meetings[0].note == "walkover"
    assert tuple(map(str, table.unplayed)) == ("2 not played: bot dot has withdrawn",)


async def test_seeds_by_rating_are_those_of_the_beginning(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal)
    rated = KnockoutSettings(best_of=1, tie_breaks=0, seeding="rating")
    second = msgspec.structs.replace(CUP, name="second", knockout=rated)
    ratings = {row.bot: row.rating for row in store.ratings.find()}
    await play(journal, second)
    entrants = store.tournaments.recorded("second").entrants
    assert [e.rating for e in entrants] == sorted(ratings.values(), reverse=True)


ROBIN = msgspec.structs.replace(CUP, name="robin", format="round_robin", knockout=None)


def with_bots(
    configuration: TournamentConfiguration, *names: str, withdrawn: tuple[str, ...] = ()
) -> TournamentConfiguration:
    bots = [BotConfiguration(name=n, external=True, withdrawn=n in withdrawn) for n in names]
    return msgspec.structs.replace(configuration, bots=bots)


async def begin(journal: StoreJournal, configuration: TournamentConfiguration) -> RoundDrawer:
    rounds = RoundDrawer(configuration, journal, Reporter())
    await rounds.begin()
    return rounds


@pytest.mark.parametrize("order", [NAMES, NAMES[::-1]])
async def test_bots_that_withdraw_by_one_edit_win_nothing_against_each_other(
    store: Store, journal: StoreJournal, order: tuple[str, ...]
) -> None:
    await begin(journal, ROBIN)
    await begin(journal, with_bots(ROBIN, *order, withdrawn=("ann", "bob")))
    points = {row.name: row.points for row in store.tournaments.standings("robin").rows}
    assert points == {"ann": 0.0, "bob": 0.0, "cid": 4.0, "dot": 4.0}
    assert {
        one.name: one.withdrawn
        for one in store.tournaments.recorded("robin").entrants
        if one.withdrawn
    } == {"ann": 1, "bob": 1}


async def test_results_of_a_withdrawn_bot_stay(store: Store, journal: StoreJournal) -> None:
    await play(journal, ROBIN)
    before = store.tournaments.standings("robin").rows
    await begin(journal, with_bots(ROBIN, *NAMES, withdrawn=("ann",)))
    after = store.tournaments.standings("robin").rows
    assert [row.points for row in before] == [row.points for row in after]


async def test_the_list_of_tournaments_counts_no_walkovers(
    store: Store, journal: StoreJournal
) -> None:
    rounds = await begin(journal, CUP)
    await journal.withdraw(rounds.tournament_id, NAMES)
    assert [(one.name, one.played, one.scheduled) for one in store.tournaments.all()] == [
        ("cup", 0, 0)
    ]


async def test_if_all_bots_have_withdrawn_it_is_said_that_there_is_no_winner(
    store: Store, journal: StoreJournal
) -> None:
    await begin(journal, ROBIN)
    await begin(journal, with_bots(ROBIN, *NAMES, withdrawn=NAMES))
    assert (
        str(store.tournaments.standings("robin").verdict)
        == "all bots have withdrawn: there is no winner"
    )


async def test_a_match_that_bots_missed_is_a_walkover_and_is_not_rated(
    store: Store, journal: StoreJournal
) -> None:
    rounds = await begin(journal, ROBIN)
    first, *_ = await journal.open_pairings(rounds.tournament_id)
    one, other = first.pairing.players
    await journal.walk_over(rounds.tournament_id, [(first.id, {one: "not_ready"})])
    row = next(
        row for row in store.tournaments.pairings("robin") if row.number == first.pairing.number
    )
    assert ("walkover", {one: "not_ready"}) == (row.state, row.missing)
    table = {row.name: row for row in store.tournaments.standings("robin").rows}
    assert (table[other].points, table[one].forfeits) == (1.0, 1)
    assert store.ratings.find() == []


async def test_a_match_that_was_played_is_no_walkover_any_more(
    store: Store, journal: StoreJournal
) -> None:
    rounds = await begin(journal, ROBIN)
    first, *_ = await journal.open_pairings(rounds.tournament_id)
    await play(journal, ROBIN)
    await journal.walk_over(rounds.tournament_id, [(first.id, {"ann": "absent"})])
    assert {"played"} == {row.state for row in store.tournaments.pairings("robin")}


async def test_a_late_entrant_is_refused_with_the_key_that_would_allow_it(
    journal: StoreJournal,
) -> None:
    await begin(journal, ROBIN)
    with pytest.raises(StoreError, match='other bots: eve more; late_entry = "zero" or "half"'):
        await begin(journal, with_bots(ROBIN, *NAMES, "eve"))


async def test_a_late_entrant_plays_a_round_robin_against_each_bot(
    store: Store, journal: StoreJournal
) -> None:
    await begin(journal, ROBIN)
    late = msgspec.structs.replace(with_bots(ROBIN, "eve", *NAMES), late_entry="zero")
    rounds = await begin(journal, late)
    await rounds.next()
    await play(journal, late)
    met = [set(row.players) for row in store.tournaments.pairings("robin") if "eve" in row.players]
    assert len(met) == 8
    assert store.tournaments.recorded("robin").entrants[-1].name == "eve"


async def test_a_knockout_refuses_late_entry(journal: StoreJournal) -> None:
    await begin(journal, CUP)
    late = msgspec.structs.replace(with_bots(CUP, *NAMES, "eve"), late_entry="half")
    with pytest.raises(StoreError, match="a bracket has no place for more bots"):
        await begin(journal, late)


async def test_a_knockout_does_not_name_the_key_for_late_entry(journal: StoreJournal) -> None:
    await begin(journal, CUP)
    with pytest.raises(StoreError, match="eve more; a bracket has no place for more bots"):
        await begin(journal, with_bots(CUP, *NAMES, "eve"))


async def test_a_bot_that_is_left_out_of_the_description_is_named(
    journal: StoreJournal,
) -> None:
    await begin(journal, ROBIN)
    with pytest.raises(StoreError, match="dot less; give a bot that leaves withdrawn = true"):
        await begin(journal, with_bots(ROBIN, "ann", "bob", "cid"))


async def test_the_order_of_the_bots_makes_no_other_tournament(
    store: Store, journal: StoreJournal
) -> None:
    await begin(journal, ROBIN)
    await begin(journal, with_bots(ROBIN, *NAMES[::-1]))
    assert list(NAMES) == [one.name for one in store.tournaments.recorded("robin").entrants]


async def test_a_double_elimination_of_three_ends_without_a_bot_that_has_withdrawn(
    store: Store, journal: StoreJournal
) -> None:
    bots = [
        BotConfiguration(name=name, external=True, withdrawn=name == "cid") for name in NAMES[:3]
    ]
    double = msgspec.structs.replace(
        CUP,
        format="double_elimination",
        knockout=None,
        double_elimination=DoubleEliminationSettings(best_of=1, tie_breaks=0),
        bots=bots,
    )
    await play(journal, double)
    table = store.tournaments.standings("cup")
    assert table.complete
    assert [row.place for row in table.rows if row.name == "cid"] == [3]
    assert table.scheduled <= 2 * 3


async def test_the_champion_that_withdraws_afterwards_keeps_its_place(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal)
    before = store.tournaments.standings("cup")
    leaving = [msgspec.structs.replace(bot, withdrawn=True) for bot in CUP.bots]
    await play(journal, msgspec.structs.replace(CUP, bots=leaving))
    assert store.tournaments.standings("cup") == before


async def test_a_block_is_not_drawn_a_second_time(store: Store, journal: StoreJournal) -> None:
    await play(journal)
    found = store.tournaments.recorded("cup")
    again = pairings_of(found.blocks[:1], Secret.of_seed(1).match_seed, found.last_number)
    with pytest.raises(StoreError, match="has been drawn before"):
        await journal.draw(1, again)


async def test_a_table_keeps_the_ratings_of_its_end(store: Store, journal: StoreJournal) -> None:
    await play(journal)
    before = {row.name: row.rating for row in store.tournaments.standings("cup").rows}
    await play(journal, msgspec.structs.replace(CUP, name="second"))
    after = {row.name: row.rating for row in store.tournaments.standings("cup").rows}
    assert before == after
    assert after != {row.bot: row.rating for row in store.ratings.find()}


async def test_matches_that_several_bots_missed_are_named_in_one_sentence(
    store: Store, journal: StoreJournal
) -> None:
    await begin(journal, ROBIN)
    await begin(journal, with_bots(ROBIN, *NAMES, withdrawn=("ann", "bob", "cid")))
    assert str(store.tournaments.standings("robin").unplayed[-1]) == (
        "6 not played: ann, bob and cid have withdrawn"
    )


async def test_no_bot_has_a_place_if_all_have_withdrawn(
    store: Store, journal: StoreJournal
) -> None:
    await begin(journal, ROBIN)
    await begin(journal, with_bots(ROBIN, *NAMES, withdrawn=NAMES))
    assert {row.place for row in store.tournaments.standings("robin").rows} == {None}
