"""Swiss: who meets whom, byes, withdrawals, scores and tie-breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_contest.pairing.formats.interface import Block, Entrant, PlayedBlock
from polynya_contest.pairing.formats.swiss.swiss import Swiss, SwissParameters
from polynya_contest.pairing.standings import MatchResult, Walkover
from polynya_contest.pairing.tie_breaks.tie_breaks import TieBreak

BREAKS: tuple[TieBreak, ...] = ("buchholz", "sonneborn_berger", "direct_encounter")
Decide = Callable[[str, str], tuple[int, int]]


def field(bots: int, **withdrawn: int) -> list[Entrant]:
    return [
        Entrant(f"b{number}", withdrawn=withdrawn.get(f"b{number}"))
        for number in range(1, bots + 1)
    ]


def better_seed_wins(one: str, other: str) -> tuple[int, int]:
    return (1, 2) if int(one[1:]) < int(other[1:]) else (2, 1)


def draw(_one: str, _other: str) -> tuple[int, int]:
    return (1, 1)


def played(block: Block, decide: Decide) -> PlayedBlock:
    one, other = block.players
    results = [
        MatchResult(seats, decide(*seats), (False, False)) for seats in ((one, other), (other, one))
    ]
    return PlayedBlock(block.key, block.players, tuple(results))


def play(swiss: Swiss, decide: Decide, rounds: int = 99) -> list[PlayedBlock]:
    blocks: list[PlayedBlock] = []
    for _ in range(rounds):
        blocks += [played(block, decide) for block in swiss.next_blocks(blocks)]
    return blocks


def pairs(blocks: Sequence[Block]) -> list[tuple[str, ...]]:
    return [block.players for block in blocks]


def test_in_the_first_round_the_upper_half_meets_the_lower_half() -> None:
    # FIDE Handbook C.04.3, B.2 and D.1: S1 against S2, the first seats by turns.
    swiss = Swiss(field(8), SwissParameters(3, 1, BREAKS))
    assert {frozenset(p) for p in pairs(swiss.next_blocks([]))} == {
        frozenset({f"b{number}", f"b{number + 4}"}) for number in range(1, 5)
    }


def test_in_the_second_round_winners_meet_winners() -> None:
    swiss = Swiss(field(8), SwissParameters(3, 1, BREAKS))
    first = play(swiss, better_seed_wins, rounds=1)
    assert {frozenset(p) for p in pairs(swiss.next_blocks(first))} == {
        frozenset({"b1", "b3"}),
        frozenset({"b2", "b4"}),
        frozenset({"b5", "b7"}),
        frozenset({"b6", "b8"}),
    }


@given(bots=st.integers(2, 13), data=st.data())
@settings(max_examples=40)
def test_no_pair_and_no_bye_occurs_twice(bots: int, data: st.DataObject) -> None:
    ranks = st.sampled_from([(1, 2), (2, 1), (1, 1)])
    rounds = (bots + 1) // 2
    blocks = play(
        Swiss(field(bots), SwissParameters(rounds, 1, BREAKS)),
        lambda _one, _other: data.draw(ranks),
    )
    met = Counter(frozenset(block.players) for block in blocks)
    games = Counter(name for block in blocks for name in block.players)
    assert set(met.values()) == {1}
    assert len(blocks) == rounds * (bots // 2)
    assert min(games.values()) >= rounds - bots % 2


def test_the_same_results_give_the_same_rounds() -> None:
    one, other = (
        play(Swiss(field(9), SwissParameters(4, 1, BREAKS)), better_seed_wins) for _ in range(2)
    )
    assert one == other


def test_a_meeting_may_have_several_blocks() -> None:
    blocks = Swiss(field(4), SwissParameters(2, 3, BREAKS)).next_blocks([])
    assert Counter(pairs(blocks)) == dict.fromkeys(pairs(blocks), 3)
    assert blocks[1].key == "swiss/1/2/b1,b3"


def test_a_bye_is_worth_a_won_meeting() -> None:
    swiss = Swiss(field(3), SwissParameters(2, 1, BREAKS))
    first = play(swiss, better_seed_wins, rounds=1)
    scores = {name: merit.figures["score"] for name, merit in swiss.merits(first).items()}
    assert scores == {"b1": 1, "b2": 0, "b3": 1}
    (first_round,) = swiss.rounds(first)
    assert [(m.players, m.note) for m in first_round.meetings] == [
        (("b1", "b2"), ""),
        (("b3",), "bye"),
    ]


def test_a_bot_that_has_withdrawn_is_not_paired_any_more() -> None:
    first = play(Swiss(field(6), SwissParameters(3, 1, BREAKS)), better_seed_wins, rounds=1)
    swiss = Swiss(field(6, b1=2), SwissParameters(3, 1, BREAKS))
    second = swiss.next_blocks(first)
    assert "b1" not in {name for block in second for name in block.players}
    assert len(second) == 2


def walked_over(block: Block, *missing: str) -> PlayedBlock:
    missed = Walkover(block.players, dict.fromkeys(missing, "withdrawn"))
    return PlayedBlock(block.key, block.players, (), (missed, missed))


def test_opponent_of_a_withdrawn_bot_wins() -> None:
    swiss = Swiss(field(4, b1=1), SwissParameters(2, 1, BREAKS))
    drawn = Swiss(field(4), SwissParameters(2, 1, BREAKS)).next_blocks([])
    blocks = [
        walked_over(block, "b1") if "b1" in block.players else played(block, better_seed_wins)
        for block in drawn
    ]
    scores = {name: merit.figures["score"] for name, merit in swiss.merits(blocks).items()}
    assert scores == {"b1": 0, "b2": 1, "b3": 1, "b4": 0}
    assert [m.note for m in swiss.rounds(blocks)[0].meetings] == ["walkover", ""]


def test_meetings_in_play_count_nothing_yet() -> None:
    swiss = Swiss(field(4), SwissParameters(2, 1, BREAKS))
    (one, other) = swiss.next_blocks([])
    half = PlayedBlock(one.key, one.players, played(one, better_seed_wins).results[:1])
    scores = swiss.merits([half, played(other, draw)])
    assert {name: m.order[0] for name, m in scores.items()} == {
        "b1": 0,
        "b2": 0.5,
        "b3": 0,
        "b4": 0.5,
    }


def test_three_withdrawn_bots_get_nothing() -> None:
    swiss = Swiss(field(3, b1=1, b2=1, b3=1), SwissParameters(2, 1, BREAKS))
    (block,) = Swiss(field(3), SwissParameters(2, 1, BREAKS)).next_blocks([])
    merits = swiss.merits([walked_over(block, *block.players)])
    assert {0.0} == {merit.figures["score"] for merit in merits.values()}


def test_bots_that_have_all_met_end_the_tournament_with_a_sentence() -> None:
    swiss = Swiss(field(2), SwissParameters(3, 1, BREAKS))
    blocks = play(swiss, better_seed_wins)
    assert len(blocks) == 1
    assert str(swiss.verdict(blocks)) == "round 2 of 3 cannot be drawn: all remaining bots have met"


def test_bot_that_missed_its_meeting_is_left_out_if_no_bot_can_have_the_bye() -> None:
    swiss = Swiss(field(3), SwissParameters(3, 1, BREAKS))
    first = swiss.next_blocks([])
    (one, other) = first[0].players
    missing = {other: "absent"}
    walkovers = (Walkover((one, other), missing), Walkover((other, one), missing))
    blocks = [PlayedBlock(first[0].key, first[0].players, (), walkovers)]
    with_bye = ({"b1", "b2", "b3"} - {one, other}).pop()
    second = swiss.next_blocks(blocks)
    assert [set(pair) for pair in pairs(second)] == [{one, with_bye}]
    blocks += [played(block, draw) for block in second]
    assert swiss.merits(blocks)[other].order[0] == 0


def test_forbidden_pair_does_not_meet() -> None:
    plan = SwissParameters(1, 1, BREAKS, forbidden={frozenset({"b1", "b3"})})
    assert pairs(Swiss(field(4), plan).next_blocks([])) == [("b1", "b4"), ("b2", "b3")]


def test_half_point_bye_gives_half_a_point() -> None:
    swiss = Swiss(field(5), SwissParameters(3, 1, BREAKS, half_point_byes={"b1": [1]}))
    first = play(swiss, better_seed_wins, rounds=1)
    assert "b1" not in {name for block in first for name in block.players}
    assert swiss.merits(first)["b1"].figures["score"] == 0.5


def test_double_swiss_counts_each_match() -> None:
    swiss = Swiss(field(4), SwissParameters(2, 1, BREAKS, double=True))
    first = play(swiss, better_seed_wins, rounds=1)
    assert first[0].key == "double_swiss/1/1/b1,b3"
    assert swiss.merits(first)["b1"].figures["score"] == 2.0
