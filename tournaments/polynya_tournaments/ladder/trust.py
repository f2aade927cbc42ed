"""Trust: which bots a ladder pairs with each other, so that idle bots cost only bots like them.

A bot is *proven* when it has played a match to its end and its last one did not end by its own
fault. A match with one that is not may cost its opponents as long as the clocks run. So the proven
play among themselves, and so do the others; one of these that finds no company, or whose company
never played, has a *trial*: a match with proven bots. There is one trial at a time, and after one
that was spoiled the next one waits. So new names, however many, take the time of one match at once
from the proven bots; and a new bot among bots that play is soon proven.

Matches among those that are not proven take a quarter of all that are played at once at the most,
while there are proven bots. No bot has more matches at once than its fair share of those that can
be played at once, and one that is not proven has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

from polynya_tournaments.conduct import Conduct
from polynya_tournaments.ladder.pairing_history import PairingHistory

MOST_COMPANY, SHARE_OF_COMPANY = 4, 4
"""A bot that is not proven waits for its like while as many matches begin as a quarter of the
proven bots are, four at most."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 15.0, 60.0
"""How long there is no trial after one that was spoiled, and after the second, twice as long."""


def fair_share(places: Mapping[str, int], slots: int, players: int) -> int:
    """How many matches at once each of some bots may have.

    Args:
        places: how many each would play at once; more than all others together are of no use.
        slots: how many matches are played at once at the most.
        players: of a match.
    """
    total = sum(places.values())
    seats = sum(min(own, total - own) for own in places.values())
    return max(1, min(slots * players, seats) // max(1, len(places)))


@dataclass(frozen=True, slots=True)
class PairingGroup:
    """Bots that may be paired with each other now.

    Attributes:
        names: theirs.
        others: how many more will be free, but are not now.
    """

    names: frozenset[str]
    others: int


class Trust:
    """Says among whom to pair, and when there is a trial.

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

    def groups(self, free: Set[str], busy: Set[str], history: PairingHistory) -> list[PairingGroup]:
        """Among whom the next match is chosen, the first group that has one.

        Args:
            free: the bots that could play now.
            busy: those that will be free again soon.
            history: what has been played.
        """
        proven = frozenset(name for name in free if self._conduct(name).proven)
        unproven = frozenset(free) - proven
        proven_busy = sum(self._conduct(name).proven for name in busy)
        group = PairingGroup(unproven, len(busy) - proven_busy)
        if proven and not proven_busy and len(proven) < self._players:
            # There is no choice: they play with the bots that are there.
            waited = max(history.waited[name] for name in proven)
            all_free = PairingGroup(frozenset(free), 0)
            alone = len(unproven) >= self._players and waited < MOST_COMPANY
            return [group, all_free] if alone else [all_free]
        company = min(MOST_COMPANY, (len(proven) + proven_busy) // SHARE_OF_COMPANY)
        trying = self._trying(unproven, history, company)

        def longest_wait(group: PairingGroup) -> int:
            return max((history.waited[name] for name in group.names), default=0)

        first = PairingGroup(proven | trying, proven_busy)
        if self._apart >= self._most_apart:
            return [first]
        # Where few matches are played at once none of the two may keep the other from playing.
        return sorted([first, group], key=longest_wait, reverse=True)

    def _trying(
        self, unproven: frozenset[str], history: PairingHistory, company: int
    ) -> frozenset[str]:
        """Those of the unproven that may be paired with the proven now."""
        if self._in_trial or self._now() < self._next_trial_s:
            return frozenset()
        # A bot that has had matches without a fault of its own has only met bots at fault.
        spoiled = [n for n in unproven if history.games[n] and not self._conduct(n).in_a_row]
        if spoiled:
            return frozenset({max(spoiled, key=lambda n: (history.waited[n], history.games[n], n))})
        if len(unproven) >= self._players:
            return frozenset()
        return frozenset(name for name in unproven if history.waited[name] >= company)

    def begins(self, players: tuple[str, ...]) -> bool:
        """A match of these begins; whether it is a trial. Its end is to be told."""
        proven = sum(self._conduct(name).proven for name in players)
        trial = 0 < proven < len(players)
        self._in_trial |= trial
        self._apart += not proven
        return trial

    def ends(self, newcomers: int, players: int, *, trial: bool, spoiled: bool) -> None:
        """A match has ended; ``newcomers`` of its players were not proven when it began."""
        self._apart -= newcomers == players
        if trial:
            self.trial_over(spoiled=spoiled)

    def trial_over(self, *, spoiled: bool) -> None:
        """A trial has ended; whether by the fault of a bot that was not proven."""
        self._in_trial = False
        self._pause_s = (
            min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * self._pause_s)) if spoiled else 0.0
        )
        self._next_trial_s = self._now() + self._pause_s
