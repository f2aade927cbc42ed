"""The interface of a format: it draws blocks from entrants and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polynya_common.reasons import Cause
from polynya_contest.pairing.standings import MatchResult, Merit, Round, Walkover
from polynya_contest.pairing.tie_breaks.opponents import Histories
from polynya_contest.ratings.elo import pair_score

RULES = 3
"""Version of the drawing rules; each tournament records it."""

RULES_WITH_SEED = 2
"""That of 0.3.0, whose tournaments draw in the same way, but have a seed instead of a secret."""


AT_ONCE = 10_000
LARGEST_PORTION = 1_024
_FIRST_PORTION = 8


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant; entrants are in the order of the seeding, best first.

    Attributes:
        name: the bot's.
        rating: when it entered.
        withdrawn: the first round in which it does not play any more, None as long as it does.
            The bots that withdraw by one edit of the host all withdraw in the same round.
        withdrawn_after: the number of the last match that was drawn when it withdrew, None with
            ``withdrawn``. A match with a higher number was drawn without it.
        entered: the first round that was drawn with it; 1 but for late entrants.
        entered_after: the number of the last match that was drawn when it entered, 0 at first.
        missed: what a late entrant is given for each round before it entered.
        entered_ms, withdrawn_ms: when it entered and withdrew, ms since 1970; None where that is
            not recorded, or has not happened.
    """

    name: str
    rating: float = 1500.0
    withdrawn: int | None = None
    withdrawn_after: int | None = None
    entered: int = 1
    entered_after: int = 0
    missed: float = 0.0
    entered_ms: int | None = None
    withdrawn_ms: int | None = None

    def plays_in(self, number: int) -> bool:
        """Whether it takes part in this round, from 1."""
        return self.entered <= number and (self.withdrawn is None or number < self.withdrawn)

    def is_there_after(self, number: int) -> bool:
        """Whether it took part when this many matches had been drawn."""
        gone = self.withdrawn_after is not None and self.withdrawn_after <= number
        return self.entered_after <= number and not gone


@dataclass(frozen=True, slots=True)
class Block:
    """One set-up for some bots, to be played once from each seat.

    Attributes:
        key: ``FORMAT/ROUND/OCCURRENCE/NAME,NAME``, unique in its tournament; the set-up's seed
            follows from it.
        players: by seat in the first of the matches.
    """

    key: str
    players: tuple[str, ...]

    @property
    def round(self) -> int:
        """The number of its round, from 1."""
        return int(self.key.split("/")[1])


@dataclass(frozen=True, slots=True)
class PlayedBlock(Block):
    """A block, those of its matches that have a result, and those that are walkovers."""

    results: tuple[MatchResult, ...] = ()
    walkovers: tuple[Walkover, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every match of it is decided."""
        return len(self.results) + len(self.walkovers) == len(self.players)

    def points(self) -> dict[str, float]:
        """For each bot its opponents left behind, a tie counting 1/2, and its walkovers."""
        points = dict.fromkeys(self.players, 0.0)
        for walkover in self.walkovers:
            for name, won in walkover.points().items():
                points[name] += won
        for result in self.results:
            for seat, name in enumerate(result.names):
                others = (*result.ranking[:seat], *result.ranking[seat + 1 :])
                points[name] += sum(pair_score(result.ranking[seat], rank) for rank in others)
        return points


class Judge(Protocol):
    """Decides when a tournament that is drawn ahead can stop."""

    @property
    def decided(self) -> bool:
        """Whether no further match is needed."""

    @property
    def verdict(self) -> Cause:
        """How the question stands, in a sentence."""

    @property
    def waits(self) -> bool:
        """Whether a block that was drawn is not complete."""

    def draw(self, blocks: Iterable[Block]) -> None:
        """Add blocks that were drawn."""

    def ended(self, block: str, result: MatchResult) -> bool:
        """Count a match's result; True if the verdict changed."""


class Format(ABC):
    """Draws a tournament: pure functions of its description, its seed and its results.

    Nothing is kept between the calls, so that a tournament can be gone on with from its records,
    and from nothing else. ``played`` are always all blocks drawn so far, in their order.
    """

    @abstractmethod
    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The blocks to play once all that were drawn have been decided; empty if it is over."""

    def blocks_after(self, drawn: int) -> Iterator[Block] | None:  # noqa: ARG002
        """All blocks that follow the first ``drawn`` ones, where no result is needed for them.

        None for the formats that draw from results. A large schedule is drawn in portions of it.
        """
        return None

    def undrawn(self, drawn: int) -> int:  # noqa: ARG002
        """How many blocks will certainly follow the first ``drawn`` ones; 0 if unknown."""
        return 0

    @property
    def rounds_planned(self) -> int:
        """How many rounds there will be; 0 where rounds say nothing."""
        return 0

    def blocks_to_come(self, last_round: int) -> int:  # noqa: ARG002
        """The least number of blocks in the rounds after this one, if no bot leaves.

        It is 0 where rounds say nothing.
        """
        return 0

    @property
    def counts_results(self) -> bool:
        """Whether the table needs only counts of results, not blocks."""
        return False

    @property
    def is_judged(self) -> bool:
        """Whether it has a judge."""
        return False

    def judge(self, played: Sequence[PlayedBlock]) -> Judge | None:  # noqa: ARG002
        """The judge that may end the tournament early; None for most formats."""
        return None

    def rounds(self, played: Sequence[PlayedBlock]) -> tuple[Round, ...]:  # noqa: ARG002
        """The meetings round by round; empty where rounds say nothing.

        Here, as in what follows, blocks of ``played`` may still be in play.
        """
        return ()

    def histories(self, played: Sequence[PlayedBlock]) -> Histories:  # noqa: ARG002
        """Each bot's entries, round by round; empty where rounds are no meetings of pairs."""
        return {}

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:  # noqa: ARG002
        """The criteria that decide places; empty where it is the points alone."""
        return {}

    def verdict(self, played: Sequence[PlayedBlock]) -> Cause:  # noqa: ARG002
        """The tournament's decision in a sentence; empty for most formats."""
        return ""

    def figures(self, played: Sequence[PlayedBlock]) -> Mapping[str, float | str | list[int]]:  # noqa: ARG002
        """The verdict in numbers, by name, for programs; empty for most formats."""
        return {}


def portion(drawn: int, players: int, undrawn: int = 0) -> int:
    """The number of blocks to draw after the first ``drawn`` ones, ``players`` matches each.

    What is drawn is looked through at each match's end, so it is at most :data:`LARGEST_PORTION`
    matches, but for a schedule of up to :data:`AT_ONCE` matches in all. Where it is not known how
    many blocks are needed (``undrawn`` is 0), it is little at first.
    """
    largest = LARGEST_PORTION // players
    if undrawn:
        return undrawn if (drawn + undrawn) * players <= AT_ONCE else largest
    return min(max(drawn, _FIRST_PORTION), largest)


def key(format_name: str, number: int, occurrence: int, players: Iterable[str]) -> str:
    """The key of a block: see :class:`Block`."""
    return f"{format_name}/{number}/{occurrence}/{','.join(sorted(players))}"


def by_round(played: Iterable[PlayedBlock]) -> list[list[PlayedBlock]]:
    """The blocks of the rounds 1, 2, ... so far, each in the order in which they were drawn."""
    found: dict[int, list[PlayedBlock]] = defaultdict(list)
    for block in played:
        found[block.round].append(block)
    return [found[number] for number in sorted(found)]


def by_players(blocks: Iterable[PlayedBlock]) -> dict[frozenset[str], list[PlayedBlock]]:
    """The blocks of a round by their players."""
    found: dict[frozenset[str], list[PlayedBlock]] = defaultdict(list)
    for block in blocks:
        found[frozenset(block.players)].append(block)
    return found


def total(blocks: Iterable[PlayedBlock], players: Sequence[str]) -> tuple[float, ...]:
    """The points of each of these players in all the blocks together."""
    sums = dict.fromkeys(players, 0.0)
    for block in blocks:
        for name, points in block.points().items():
            sums[name] += points
    return tuple(sums.values())


def second_seat_wins(blocks: Iterable[PlayedBlock], name: str) -> int:
    """How many matches of two a bot has won on the second seat."""
    return sum(
        result.names[1] == name and result.ranking[1] < result.ranking[0]
        for block in blocks
        for result in block.results
    )
