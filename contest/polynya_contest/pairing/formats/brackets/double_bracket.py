"""The bracket of a double elimination: where the losers drop, crossed against rematches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from polynya_contest.pairing.formats.brackets.bracket import (
    Bracket,
    BracketRound,
    Fixture,
    Origin,
    Part,
)

_CROSSINGS = ("000", "111", "100", "011", "001", "110", "101", "010")
"""By the winners' round, which halves, quarters and eighths of the losers' bracket are exchanged.

Two bots that have met meet again among the losers where the halves (quarters, ...) to which they
dropped come together, so the losers of different rounds drop to different ones as far as these
go: any two rounds differ in the first digit among two of them, in the first two among four. The
last digit stands for all that follow. For 8 and 32 bots the crossings are those of the usual
published brackets (reverse; reverse, exchange halves, natural).
"""

_Places = Sequence[Origin | None]


def double_bracket(bots: int) -> Bracket:
    """Winners' and losers' bracket, final, and the final that decides if the first one does not.

    The winners' bracket is that of a knockout, with byes for the best seeds. The losers of its
    first round meet each other; in each second round of the losers' bracket the losers of the next
    winners' round come in. Winners' round n is played in round n, losers' round n in round n + 1.
    """
    if bots < 2:
        return Bracket(())
    builder = _Builder()
    rounds = (bots - 1).bit_length()
    seeds = [Origin("", seed) if seed < bots else None for seed in _seeds_by_place(rounds)]
    dropped = []
    winners: _Places = seeds
    for number in range(1, rounds + 1):
        winners, out = builder.play("winners", number, list(_pairs(winners)))
        dropped.append([out[place] for place in _crossed(number, len(out))])
    losers: _Places = dropped[0]
    for second in dropped[1:]:
        if len(losers) > 1:
            losers, _ = builder.play("losers", builder.lost + 1, list(_pairs(losers)))
        losers, _ = builder.play("losers", builder.lost + 1, list(zip(losers, second, strict=True)))
    last = max(builder.lost + 1, rounds)
    builder.add("final", last + 1, (winners[0], losers[0]))
    first, second_ = (Origin("final/1/1", place) for place in (0, 1))
    builder.add("deciding final", last + 2, (first, second_))
    return Bracket(builder.in_order(), deciding="deciding final/1/1")


def _seeds_by_place(rounds: int) -> list[int]:
    """The seeds, 0 the best, from top to bottom: if the better ones win, 1 and 2 meet at last."""
    placed = [0]
    for _ in range(rounds):
        last = 2 * len(placed) - 1
        placed = [seed for better in placed for seed in (better, last - better)]
    return placed


def _pairs(places: _Places) -> Iterator[tuple[Origin | None, Origin | None]]:
    return zip(places[::2], places[1::2], strict=True)


def _crossed(number: int, losers: int) -> list[int]:
    """For each place of the losers of winners' round ``number``: the fixture it comes from."""
    digits = losers.bit_length() - 1
    pattern = _CROSSINGS[(number - 1) % len(_CROSSINGS)]
    mask = int("0" + (pattern + pattern[-1] * digits)[:digits], 2)
    return [place ^ mask for place in range(losers)]


class _Builder:
    """Rounds of fixtures; places without a bot (None) make byes, and are passed on.

    Attributes:
        lost: rounds of the losers' bracket so far.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._rounds: list[BracketRound] = []

    def play(
        self, part: Part, number: int, pairs: Sequence[tuple[Origin | None, Origin | None]]
    ) -> tuple[list[Origin | None], list[Origin | None]]:
        """Add a round of a part; where its winners and its losers come from."""
        at = number
        if part == "losers":
            self.lost, at = number, number + 1
        fixtures, winners, losers = [], list[Origin | None](), list[Origin | None]()
        for place, pair in enumerate(pairs, start=1):
            there = tuple(origin for origin in pair if origin is not None)
            fixture = Fixture(f"{part}/{number}/{place}", at, there, 1, part == "winners")
            met = len(there) == 2
            fixtures += [fixture] if there else []
            winners.append(Origin(fixture.id, 0) if met else next(iter(there), None))
            losers.append(Origin(fixture.id, 1) if met else None)
        self._rounds.append(BracketRound(at, part, f"{part}' round {number}", tuple(fixtures)))
        return winners, losers

    def add(self, part: Part, number: int, pair: tuple[Origin | None, Origin | None]) -> None:
        """Add a final."""
        origins = tuple(origin for origin in pair if origin is not None)
        fixture = Fixture(f"{part}/1/1", number, origins, 1, part == "final")
        self._rounds.append(BracketRound(number, part, part, (fixture,)))

    def in_order(self) -> tuple[BracketRound, ...]:
        """All rounds by number, without those in which no two bots meet."""
        met = [one for one in self._rounds if not all(f.is_bye for f in one.fixtures)]
        lost = count(1)
        named = [
            replace(one, name=f"losers' round {next(lost)}") if one.part == "losers" else one
            for one in met
        ]
        return tuple(sorted(named, key=lambda one: one.number))
