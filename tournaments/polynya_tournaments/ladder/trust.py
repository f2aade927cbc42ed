"""Trust: which bots a ladder pairs with each other, so that idle bots cost only bots like them.

A bot is *proven* when it has played a match to its end and its last one did not end by its own
fault. A match with an unproven bot may cost its opponents as long as the clocks run. So the proven
play among themselves, and so do the others; a bot of these that finds no company, or whose company
never played, has a *trial*: a match with proven bots. There is one trial at a time, and after a
spoiled trial the next one waits. So new names, however many, take the time of one match at once
from the proven bots; and a new bot among bots that play is soon proven.

Matches among those that are not proven take a quarter of all that are played at once at the most,
while there are proven bots. No bot has more matches at once than its fair share of those that can
be played at once, and an unproven bot has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polynya_contest.conduct import Conduct
from polynya_tournaments.ladder.present_bots import FreeBots, PresentBots

MOST_COMPANY, SHARE_OF_COMPANY = 4, 4
"""A bot that is not proven waits for its like while as many matches begin as a quarter of the
proven bots are, four at most."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 15.0, 60.0
"""Seconds without trials after a spoiled one; each further one doubles it up to the longest."""


@dataclass(frozen=True, slots=True)
class PairingGroup:
    """Bots that may be paired with each other now.

    Attributes:
        free: most of them.
        joining: the others, a few.
        others: how many more will be free, but are not now.
    """

    free: FreeBots
    joining: Sequence[str]
    others: int


class Trust:
    """Decides which bots may be paired now, and when a trial is due.

    Args:
        players: of a match.
        slots: how many matches are played at once at the most.
        conduct: how a bot has behaved.
        now: seconds on a monotonic clock.
    """

    def __init__(
        self,
        players: int,
        slots: int,
        conduct: Callable[[str], Conduct],
        now: Callable[[], float],
    ) -> None:
        self._players = players
        self._most_apart = max(1, slots // 4)
        self._apart = 0
        self._conduct = conduct
        self._now = now
        self._in_trial = False
        self._pause_s = 0.0
        self._next_trial_s = now()

    def groups(self, bots: PresentBots) -> list[PairingGroup]:
        """Groups to choose the next match from; the first one with a match wins."""
        proven, unproven, proven_busy = bots.proven, bots.unproven, bots.busy[True]
        group = PairingGroup(unproven, (), bots.busy[False])
        if proven and not proven_busy and len(proven) < self._players:
            # There is no choice: they play with the bots that are there.
            all_free = PairingGroup(unproven, proven.by_wait.first(), 0)
            alone = len(unproven) >= self._players and proven.longest_wait < MOST_COMPANY
            return [group, all_free] if alone else [all_free]
        first = PairingGroup(proven, self._trying(bots), proven_busy)
        if self._apart >= self._most_apart:
            return [first]

        def longest_wait(group: PairingGroup) -> int:
            waits = [bots.history.waited(name) for name in group.joining]
            return max(group.free.longest_wait, *waits, 0)

        # Where few matches are played at once none of the two may keep the other from playing.
        return sorted([first, group], key=longest_wait, reverse=True)

    def _trying(self, bots: PresentBots) -> list[str]:
        """The unproven bots that may have a trial now."""
        if self._in_trial or self._now() < self._next_trial_s:
            return []
        if bots.spoiled:
            return bots.spoiled.first(1)
        if len(bots.unproven) >= self._players:
            return []
        company = min(MOST_COMPANY, (len(bots.proven) + bots.busy[True]) // SHARE_OF_COMPANY)
        waiting = bots.unproven.by_wait.first()
        return [name for name in waiting if bots.history.waited(name) >= company]

    def begins(self, players: tuple[str, ...]) -> bool:
        """Count the start of a match; True if it is a trial. Its end must be reported."""
        proven = sum(self._conduct(name).proven for name in players)
        trial = 0 < proven < len(players)
        self._in_trial |= trial
        self._apart += not proven
        return trial

    def ends(self, newcomers: int, players: int, *, trial: bool, spoiled: bool) -> None:
        """Count the end of a match; ``newcomers`` were unproven when it began."""
        self._apart -= newcomers == players
        if trial:
            self.trial_over(spoiled=spoiled)

    def trial_over(self, *, spoiled: bool) -> None:
        """Count the end of a trial, and whether an unproven bot spoiled it."""
        self._in_trial = False
        self._pause_s = (
            min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * self._pause_s)) if spoiled else 0.0
        )
        self._next_trial_s = self._now() + self._pause_s
