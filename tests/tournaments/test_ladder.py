"""The ladder on a scripted referee: plays on and on, rated, and goes on after a restart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import trio

from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_tournaments.ladder import LadderSettings, run_ladder
from polynya_tournaments.reporter import Progress, Reporter
from polynya_tournaments.store import Store, StoreJournal
from polynya_tournaments.testing import Script, ScriptedReferee, first_seat_wins, record_of

SETTINGS = LadderSettings(game="packeis", clock=Clock(move_ms=100), seed=3)


class Until(Reporter):
    """Stops a ladder after so many matches."""

    def __init__(self, matches: int) -> None:
        self.stop = trio.Event()
        self.warnings: list[str] = []
        self._left = matches

    def match_over(self, record: MatchRecord, progress: Progress) -> None:  # noqa: ARG002
        self._left -= 1
        if self._left == 0:
            self.stop.set()

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


async def ladder(
    journal: StoreJournal,
    names: Sequence[str],
    matches: int,
    script: Script = first_seat_wins,
    settings: LadderSettings = SETTINGS,
) -> tuple[list[MatchSetup], Until]:
    referee = ScriptedReferee(journal, names, script)
    until = Until(matches)
    with trio.fail_after(20):
        await run_ladder(settings, referee, journal, until.stop, until)
    return referee.played, until


async def test_a_ladder_plays_rated_matches(store: Store, journal: StoreJournal) -> None:
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 6)
    assert [setup.match for setup in played] == [f"ladder-{n}" for n in range(1, len(played) + 1)]
    assert sum(row.games for row in store.ratings()) == 2 * len(played)


async def test_matches_that_are_in_play_are_waited_for(store: Store, journal: StoreJournal) -> None:
    await ladder(journal, ["ann", "bob", "cid", "dot"], 5)
    assert {row.reason for row in store.matches()} == {"finished"}


async def test_a_ladder_goes_on_where_it_stopped(store: Store, journal: StoreJournal) -> None:
    before, _ = await ladder(journal, ["ann", "bob"], 3)
    after, _ = await ladder(journal, ["ann", "bob", "cid"], 3)
    assert after[0].match == f"ladder-{len(before) + 1}"
    assert "cid" in after[0].players
    assert len(store.matches()) == len(before) + len(after)


async def test_no_two_matches_share_a_set_up(journal: StoreJournal) -> None:
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 8)
    assert len({setup.seed for setup in played}) == len(played)


async def test_a_ladder_of_four_players(store: Store, journal: StoreJournal) -> None:
    settings = LadderSettings(game="packeis", clock=Clock(move_ms=100), players=4)
    await ladder(journal, ["ann", "bob", "cid", "dot", "eve"], 5, settings=settings)
    assert {(row.game, row.players) for row in store.ratings()} == {("packeis", 4)}


async def test_a_bot_that_is_never_ready_is_left_out(journal: StoreJournal) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if "bob" not in setup.players:
            return first_seat_wins(setup)
        seat = setup.players.index("bob")
        return record_of(setup, None, reason="aborted", forfeits={seat: "not_ready"})

    played, until = await ladder(journal, ["ann", "bob", "cid"], 30, script)
    assert Counter(name for setup in played for name in setup.players)["bob"] == 3
    assert until.warnings == [
        "bot bob was not ready for 3 matches in a row; it gets no more until it connects again"
    ]
