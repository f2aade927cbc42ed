"""The estimates by which ladders are ordered: computed anew once a minute at the most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from polynya_common.errors import TournamentError
from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_evidence.analysis import estimate_ladder
from polynya_store import Pool, Store
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.recomputed import Recomputed

MOST_MATCHES = 20_000
MOST_BOTS = 1_000
"""Limits of an estimate: a ladder's last matches, and the bots with most of these."""
SHORTEST_KEPT_S = 60.0
_MOST_KEPT = 200
_MOST_WAITING = 1_000

Estimates = Mapping[str, LadderEstimate]


def ladder_estimates(store: Store, pool: Pool) -> Estimates:
    """The estimates of a ladder's bots as they are now.

    There are none on ladders of OpenSkill, which has a scale of its own, and without numpy.
    """
    if pool.system != "elo":
        return {}
    tallies = of_most_frequent(store.ladder.tallies(pool, MOST_MATCHES), MOST_BOTS)
    try:
        return estimate_ladder(tallies, pool.players, store.ladder.scale(pool))
    except TournamentError:
        return {}


def of_most_frequent(tallies: Sequence[PairTally], most_bots: int) -> list[PairTally]:
    """The results between the bots with most results; all of them if there are no more bots."""
    played = Counter[str]()
    for one in tallies:
        for name in (one.bot, one.opponent):
            played[name] += one.wins + one.ties + one.losses
    kept = set(sorted(played, key=lambda name: (-played[name], name))[:most_bots])
    return [one for one in tallies if kept.issuperset((one.bot, one.opponent))]


class LadderOrders:
    """Cache of the estimates of all ladders."""

    def __init__(self, ask: DatabaseThreads) -> None:
        self._estimates = Recomputed(
            ask,
            ladder_estimates,
            shortest_s=SHORTEST_KEPT_S,
            most_kept=_MOST_KEPT,
            most_waiting=_MOST_WAITING,
        )

    async def of(self, store: Store, pool: Pool) -> Estimates:
        """The estimates of one ladder, by bot."""
        return await self._estimates.of(store, pool)

    async def of_all(self, store: Store, pools: Iterable[Pool]) -> dict[Pool, Estimates]:
        """Those of several ladders."""
        return {pool: await self.of(store, pool) for pool in pools}
