"""Knockout and double elimination: brackets, byes, series, and who is out when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_tournaments.formats.brackets import Pod, knockout_draw, next_seeds
from polynya_tournaments.formats.knockout import DoubleElimination, Elimination, Knockout
from polynya_tournaments.formats.series import Series
from polynya_tournaments.formats.values import Block, Entrant, PlayedBlock
from polynya_tournaments.standings import MatchResult

Ranks = Callable[[tuple[str, ...]], Sequence[int]]


def entrants(bots: int) -> list[Entrant]:
    return [Entrant(f"b{number}") for number in range(1, bots + 1)]


def better_seed_wins(seats: tuple[str, ...]) -> list[int]:
    ordered = sorted(seats, key=lambda name: int(name[1:]))
    return [1 + ordered.index(name) for name in seats]


def all_draw(seats: tuple[str, ...]) -> list[int]:
    return [1] * len(seats)


def played(block: Block, ranks: Ranks) -> PlayedBlock:
    rotations = [block.players[n:] + block.players[:n] for n in range(len(block.players))]
    results = tuple(
        MatchResult(seats, tuple(ranks(seats)), (False,) * len(seats)) for seats in rotations
    )
    return PlayedBlock(block.key, block.players, results)


def play(drawn: Elimination, ranks: Ranks) -> list[PlayedBlock]:
    blocks: list[PlayedBlock] = []
    while more := drawn.next_blocks(blocks):
        blocks += [played(block, ranks) for block in more]
    return blocks


def knockout(bots: int, players: int = 2, best_of: int = 1, tie_breaks: int = 0) -> Knockout:
    return Knockout(entrants(bots), players, Series("knockout", best_of, tie_breaks))


def double(bots: int) -> DoubleElimination:
    return DoubleElimination(entrants(bots), 2, Series("double_elimination", 1, 0))


def places(drawn: Elimination, blocks: Sequence[PlayedBlock]) -> list[str]:
    merits = drawn.merits(blocks)
    return sorted(merits, key=lambda name: (*(-value for value in merits[name].order), name))


def test_the_best_seed_meets_the_last_and_the_second_the_last_but_one() -> None:
    assert knockout_draw(list("abcdefgh"), 2).pods == tuple(
        Pod(pair, 1) for pair in (("a", "h"), ("b", "g"), ("c", "f"), ("d", "e"))
    )


def test_byes_go_to_the_best_seeds() -> None:
    draw = knockout_draw(list("abcdef"), 2)
    assert (draw.byes, len(draw.pods)) == (("a", "b"), 2)


def test_who_beats_a_seed_takes_its_place_in_the_bracket() -> None:
    draw = knockout_draw(list("abcd"), 2)
    assert next_seeds(list("abcd"), draw, [["d"], ["b"]]) == ["d", "b"]


def test_of_a_pod_of_four_two_go_on_and_the_final_has_one_winner() -> None:
    drawn = knockout(8, players=4)
    blocks = play(drawn, better_seed_wins)
    first, final = drawn.rounds(blocks)
    assert [len(meeting.advancing) for meeting in first.meetings] == [2, 2]
    assert (final.name, final.meetings[0].advancing) == ("final", ("b1",))
    assert places(drawn, blocks)[:4] == ["b1", "b2", "b3", "b4"]


@given(players=st.integers(2, 4), more=st.integers(0, 30), data=st.data())
def test_whatever_happens_there_is_one_winner(players: int, more: int, data: st.DataObject) -> None:
    drawn = knockout(players + more, players)
    numbers = st.lists(st.integers(1, 4), min_size=players, max_size=players)

    def ranks(_seats: tuple[str, ...]) -> list[int]:
        given_ranks = data.draw(numbers)
        return [1 + sum(other < rank for other in given_ranks) for rank in given_ranks]

    merits = drawn.merits(play(drawn, ranks))
    assert len(merits) == players + more
    assert [m.figures["out"] for m in merits.values()].count("winner") == 1


def test_a_series_ends_when_it_cannot_be_turned() -> None:
    assert len(play(knockout(2, best_of=5), better_seed_wins)) == 3


def test_level_series_are_prolonged_and_then_decided_by_the_seed() -> None:
    drawn = knockout(2, best_of=3, tie_breaks=2)
    blocks = play(drawn, all_draw)
    (final,) = drawn.rounds(blocks)
    (meeting,) = final.meetings
    assert (len(blocks), meeting.advancing, meeting.note) == (5, ("b1",), "better seed")


def test_a_tie_break_block_decides() -> None:
    drawn = knockout(2, best_of=1, tie_breaks=3)
    blocks = [played(block, all_draw) for block in drawn.next_blocks([])]
    blocks += [
        played(block, lambda s: better_seed_wins(s)[::-1]) for block in drawn.next_blocks(blocks)
    ]
    assert drawn.next_blocks(blocks) == []
    assert drawn.rounds(blocks)[0].meetings[0].advancing == ("b2",)
    assert drawn.rounds(blocks)[0].meetings[0].note == "tie-break"


def test_a_bot_that_withdraws_loses_its_meeting_and_keeps_what_it_won() -> None:
    drawn = knockout(4)
    first = [played(block, better_seed_wins) for block in drawn.next_blocks([])]
    final = drawn.next_blocks(first)
    field = [Entrant("b1", withdrawn=2), *entrants(4)[1:]]
    after = Knockout(field, 2, Series("knockout", 1, 0))
    blocks = [*first, *(PlayedBlock(block.key, block.players) for block in final)]
    assert after.next_blocks(blocks) == []
    assert places(after, blocks)[:2] == ["b2", "b1"]
    assert after.rounds(blocks)[1].meetings[0].note == "walkover"


@pytest.mark.parametrize("bots", [2, 3, 5, 8, 13])
def test_in_double_elimination_everybody_else_loses_twice(bots: int) -> None:
    drawn = double(bots)
    blocks = play(drawn, better_seed_wins)
    lost = Counter(max(block.players, key=lambda name: int(name[1:])) for block in blocks)
    assert lost == {f"b{number}": 2 for number in range(2, bots + 1)}
    assert places(drawn, blocks)[:2] == ["b1", "b2"]


def test_who_comes_from_the_losers_has_to_win_the_final_twice() -> None:
    meetings = Counter[frozenset[str]]()

    def upset(seats: tuple[str, ...]) -> list[int]:
        first_meeting = meetings[frozenset(seats)] < 2
        meetings[frozenset(seats)] += 1
        ranks = better_seed_wins(seats)
        return ranks if first_meeting or set(seats) != {"b1", "b2"} else ranks[::-1]

    drawn = double(4)
    blocks = play(drawn, upset)
    assert [r.name for r in drawn.rounds(blocks)][-2:] == ["final", "deciding final"]
    assert places(drawn, blocks)[:2] == ["b2", "b1"]
