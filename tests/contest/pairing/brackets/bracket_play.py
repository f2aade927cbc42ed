"""Brackets played in memory: matches decided by a rule, with bots that withdraw or are absent."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from polynya_contest.pairing.formats.interface import Block, Entrant, Format, PlayedBlock
from polynya_contest.pairing.standings import ABSENT, WITHDRAWN, MatchResult, Walkover

Ranks = Callable[[tuple[str, ...]], Sequence[int]]
"""The ranks of the bots in these seats."""

Withdrawals = Callable[[int, Sequence[str]], Collection[str]]
"""The bots that withdraw now: from the number of draws so far, and the bots that have not."""


def named(bots: int) -> list[Entrant]:
    """The entrants b1, b2, ... in the order of their seeds."""
    return [Entrant(f"b{number}") for number in range(1, bots + 1)]


def seed(name: str) -> int:
    """The number in the name of an entrant."""
    return int(name[1:])


def better_seed_wins(seats: tuple[str, ...]) -> list[int]:
    """The ranks if the better seed always wins."""
    ordered = sorted(seats, key=seed)
    return [1 + ordered.index(name) for name in seats]


def all_draw(seats: tuple[str, ...]) -> list[int]:
    """The ranks of a match without a winner."""
    return [1] * len(seats)


def winning(*order: str) -> Ranks:
    """The bots named first beat those named later; bots that are not named are last, by seed."""

    def ranks(seats: tuple[str, ...]) -> list[int]:
        def strength(name: str) -> tuple[int, int]:
            return (order.index(name) if name in order else len(order), seed(name))

        ordered = sorted(seats, key=strength)
        return [1 + ordered.index(name) for name in seats]

    return ranks


def played(
    block: Block,
    ranks: Ranks,
    missing: Mapping[str, str] | None = None,
    silent: Collection[str] = (),
) -> PlayedBlock:
    """A block with a result for each match, or with walkovers if bots miss it.

    Bots that are ``silent`` are not ready, and the others play without them.
    """
    turns = [block.players[n:] + block.players[:n] for n in range(len(block.players))]
    missed = {name: why for name, why in (missing or {}).items() if name in block.players}
    if missed:
        walkovers = tuple(Walkover(seats, missed) for seats in turns)
        return PlayedBlock(block.key, block.players, (), walkovers)
    results = tuple(
        MatchResult(
            seats,
            tuple(ranks(seats)),
            tuple(name in silent for name in seats),
            tuple(name for name in seats if name in silent),
        )
        for seats in turns
    )
    return PlayedBlock(block.key, block.players, results)


@dataclasses.dataclass
class Contest:
    """A tournament that is played in memory as the runner would.

    Attributes:
        make: the format, for the entrants as they are.
        entrants: in the order of the seeding.
        blocks: all that were drawn.
        matches: the number of the last match that was drawn.
    """

    make: Callable[[Sequence[Entrant]], Format]
    entrants: Sequence[Entrant]
    blocks: list[PlayedBlock] = dataclasses.field(default_factory=list)
    matches: int = 0

    @property
    def format(self) -> Format:
        """The format with the entrants as they are now."""
        return self.make(self.entrants)

    def withdraw(self, names: Iterable[str], *, during: Sequence[Block] = ()) -> None:
        """Bots withdraw, between two draws or while the blocks of the last draw are played."""
        leaving = set(names)
        last = max((block.round for block in self.blocks), default=0)
        since = max((block.round for block in during), default=last + 1)
        self.entrants = [
            dataclasses.replace(one, withdrawn=since, withdrawn_after=self.matches)
            if one.name in leaving and one.withdrawn is None
            else one
            for one in self.entrants
        ]

    def draw(self) -> list[Block]:
        """The next blocks; no key is drawn twice."""
        more = self.format.next_blocks(self.blocks)
        keys = [block.key for block in (*self.blocks, *more)]
        assert len(keys) == len(set(keys))
        gone = {one.name for one in self.entrants if one.withdrawn is not None}
        assert gone.isdisjoint(name for block in more for name in block.players)
        self.matches += sum(len(block.players) for block in more)
        return more

    def play_next(
        self, ranks: Ranks, absent: Collection[str] = (), silent: Collection[str] = ()
    ) -> bool:
        """Draw and play once; False if there was nothing to be drawn."""
        more = self.draw()
        missing = dict.fromkeys(absent, ABSENT)
        self.blocks += [played(block, ranks, missing, silent) for block in more]
        return bool(more)

    def play(self, ranks: Ranks = better_seed_wins) -> None:
        """Play on to the end."""
        while self.play_next(ranks):
            assert self.matches < 100_000

    def play_while_withdrawing(
        self, ranks: Ranks, names: Collection[str], drawn: Sequence[Block], finished: int
    ) -> None:
        """Play the first of these blocks; then bots withdraw, and their others are walkovers."""
        done = [played(block, ranks) for block in drawn[:finished]]
        self.withdraw(names, during=drawn)
        missing = dict.fromkeys(names, WITHDRAWN)
        self.blocks += [*done, *(played(block, ranks, missing) for block in drawn[finished:])]

    def places(self) -> list[list[str]]:
        """The bots by place, those that share one together, by name."""
        merits = self.format.merits(self.blocks)
        orders = sorted({merit.order for merit in merits.values()}, reverse=True)
        return [
            sorted(name for name, merit in merits.items() if merit.order == order)
            for order in orders
        ]

    def meetings(self) -> dict[str, tuple[str, ...]]:
        """The players of each meeting of two or more, by its id."""
        return {
            meeting.id: meeting.players
            for round_ in self.format.rounds(self.blocks)
            for meeting in round_.meetings
            if len(meeting.players) > 1
        }

    def winner(self) -> str | None:
        """The bot whose figure says that it won."""
        merits = self.format.merits(self.blocks)
        won = [name for name, merit in merits.items() if merit.figures["out"] == "winner"]
        return won[0] if won else None
