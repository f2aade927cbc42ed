"""The cost of a choice of the ladder, and its memory, by the number of connected bots.

All bots are connected and proven, and play one match at a time; 32 matches are in play, and the
oldest ends before the next one is chosen. A choice is measured with all that follows from it: the
places of its bots, and of those whose match ended. Memory is what the ladder keeps of a bot after
40 matches with others by chance.

``python -m benchmarks.matchmaking`` prints the table of the archive of measurements in a minute.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections import deque
from statistics import median

from polynya_contest.conduct import Conduct, ConductEntry
from polynya_contest.ratings.model import RatingSettings, Strength
from polynya_tournaments.ladder.matchmaking import Choice, Matchmaker
from polynya_tournaments.ladder.pairing_history import PairingHistory
from polynya_tournaments.ladder.present_bots import FairShare, PresentBots, Standing
from polynya_tournaments.ladder.trust import Trust

BOTS = (100, 1_000, 10_000)
CHOICES = 2_000
SLOTS = 32
MATCHES = 40
GOAL_US, GOAL_KIB = 200, 6
PROVEN = ConductEntry(bot="", fault=False, result=True, finished=True, ended_ms=0, match="")


class Ladder:
    """A ladder without a server."""

    def __init__(self, bots: int) -> None:
        lots = random.Random(1)
        self.names = [f"bot-{number}" for number in range(bots)]
        self.strengths = {
            name: Strength(lots.gauss(1500, 200), lots.uniform(40, 200), MATCHES)
            for name in self.names
        }
        self.history = PairingHistory()
        for players in self._played(lots):
            self.history.add(players)
        self.conduct = {name: Conduct() for name in self.names}
        self.maker = Matchmaker(2, 3, RatingSettings(), 1, self.history)
        self.bots = PresentBots(self.history, FairShare(SLOTS, 2), self.maker.free_bots)
        self.trust = Trust(2, SLOTS, self.conduct.__getitem__, time.monotonic)
        for name in self.names:
            self.conduct[name].note(PROVEN)
            self.stands(name, in_play=0)

    def _played(self, lots: random.Random) -> list[tuple[str, str]]:
        played: list[tuple[str, str]] = []
        for _ in range(MATCHES):
            lots.shuffle(self.names)
            played += zip(self.names[::2], self.names[1::2], strict=True)
        return played

    def stands(self, name: str, in_play: int) -> None:
        """A bot has begun a match or ended it."""
        proven = self.conduct[name].proven
        self.bots.update(name, Standing(1, in_play == 0, in_play, proven, at_fault=False))

    def choose(self) -> Choice:
        """The next match, which begins."""
        for group in self.trust.groups(self.bots):
            with group.free.joined_by(group.joining):
                choice = self.maker.next_match(group.free, group.others, self.strengths)
            if choice is not None:
                self.bots.begin(choice.players)
                for name in choice.players:
                    self.stands(name, in_play=1)
                return choice
        raise AssertionError("there are free bots")


def memory_kib(bots: int) -> float:
    """The memory of the ladder for one bot."""
    tracemalloc.start()
    ladder = Ladder(bots)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return kept / len(ladder.names) / 1024


def choices_us(bots: int) -> list[float]:
    """How long each of many choices took, the quickest first."""
    ladder = Ladder(bots)
    in_play: deque[Choice] = deque()
    took = []
    for _ in range(CHOICES):
        begin = time.perf_counter()
        if len(in_play) == SLOTS:
            for name in in_play.popleft().players:
                ladder.stands(name, in_play=0)
        in_play.append(ladder.choose())
        took.append(1e6 * (time.perf_counter() - begin))
    return sorted(took)


def main() -> None:
    """Print the table."""
    print("| connected bots | µs a choice (median) | p90 | KiB a bot |\n|---|---|---|---|")
    for bots in BOTS:
        took = choices_us(bots)
        p90 = took[len(took) * 9 // 10]
        print(f"| {bots:,} | {median(took):.0f} | {p90:.0f} | {memory_kib(bots):.1f} |", flush=True)
    print(f"| goal | ≤ {GOAL_US} | | ≤ {GOAL_KIB} |")


if __name__ == "__main__":
    main()
