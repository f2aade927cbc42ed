"""The invariants are violated by records that are not complete or not true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import trio
from tests.chaos.injuries import Injury
from tests.chaos.invariants import violations
from tests.chaos.zoo import ZOO
from tests.scripted.scripted_referee import record_of

from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock, ForfeitReason
from polynya_server.errors import NO_NEW_MATCHES
from polynya_server.records import ForfeitRecord, MatchRecord, MatchSetup
from polynya_store import Attempt, Store, open_journal
from polynya_store.backends.backend import VOID

SETUP = MatchSetup(
    match="ladder-1", game="packeis", players=("silent", "calm"), clock=Clock(move_ms=50), seed=3
)
INJURY = Injury("calm", frozenset({"timeout"}), 0, 3)


def forfeited(seat: int, reason: ForfeitReason) -> MatchRecord:
    """A match that a seat has lost before its first turn, as a server records it."""
    ranking = [2, 1] if seat == 0 else [1, 2]
    record = record_of(SETUP, ranking, reason="forfeit")
    event = ForfeitRecord(turn=0, seat=seat, reason=reason, detail="it did")
    if reason == "timeout":
        event = msgspec.structs.replace(event, turn=1, limit_ms=50, charged_ms=51)
    return msgspec.structs.replace(record, events=[event])


def of_forfeits(found: Sequence[str]) -> list[str]:
    return [sentence for sentence in found if "without having done so" in sentence]


def checked(folder: Path, record: MatchRecord | None, *injuries: Injury) -> list[str]:
    """The violations of a database with this match in it, or with one that has not ended."""

    async def keep(store: Store) -> None:
        async with open_journal(store) as journal:
            await journal.begin(Attempt(SETUP, RatingSettings()))
            if record is not None:
                await journal.finish(record)

    with Store.open(folder / "polynya.sqlite", for_play=True) as store:
        trio.run(keep, store)
        return violations(store, ZOO, injuries)


def test_a_bad_bot_may_forfeit_by_what_it_does(tmp_path: Path) -> None:
    assert of_forfeits(checked(tmp_path, forfeited(0, "timeout"))) == []


def test_a_bad_bot_may_not_forfeit_by_anything_else(tmp_path: Path) -> None:
    [sentence] = of_forfeits(checked(tmp_path, forfeited(0, "illegal_move")))
    assert "silent forfeited by illegal_move" in sentence


def test_an_honest_bot_may_not_forfeit(tmp_path: Path) -> None:
    [sentence] = of_forfeits(checked(tmp_path, forfeited(1, "timeout")))
    assert "calm forfeited by timeout" in sentence


def test_an_injury_explains_a_forfeit(tmp_path: Path) -> None:
    assert of_forfeits(checked(tmp_path, forfeited(1, "timeout"), INJURY)) == []


@pytest.mark.parametrize(
    "injury",
    [
        Injury("other", frozenset({"timeout"}), 0, 3),
        Injury("calm", frozenset({"disconnected"}), 0, 3),
        Injury("calm", frozenset({"timeout"}), 100, 200),
    ],
)
def test_injury_of_another_bot_kind_or_time_explains_nothing(
    tmp_path: Path, injury: Injury
) -> None:
    assert len(of_forfeits(checked(tmp_path, forfeited(1, "timeout"), injury))) == 1


def test_a_match_without_an_end_is_found(tmp_path: Path) -> None:
    assert checked(tmp_path, None) == ["ladder-1: it has neither a result nor an end"]


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (VOID, []),
        (NO_NEW_MATCHES, []),
        (
            "an error of the server broke it off",
            ["ladder-1: it has no replay: an error of the server broke it off"],
        ),
    ],
)
def test_a_match_may_have_no_replay_only_if_its_server_ended(
    tmp_path: Path, why: str, expected: list[str]
) -> None:
    async def void(store: Store) -> None:
        async with open_journal(store) as journal:
            await journal.begin(Attempt(SETUP, RatingSettings()))
            await journal.void(SETUP.match, why)

    with Store.open(tmp_path / "polynya.sqlite", for_play=True) as store:
        trio.run(void, store)
        assert expected == violations(store, ZOO, [])


def test_a_replay_that_the_rules_do_not_give_is_found(tmp_path: Path) -> None:
    found = checked(tmp_path, record_of(SETUP, [1, 2]))
    assert "ladder-1: the result: the match is not over after the recorded events" in found
