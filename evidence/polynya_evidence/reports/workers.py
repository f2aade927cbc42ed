"""The section of a report on the workers that played the tournament."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from polynya_evidence.reports.evidence import Evidence, MatchOutcome
from polynya_store import Store

SUSPICIOUS = 0.001
"""The share of tournaments in which a warning is wrong, if workers make no difference."""


if TYPE_CHECKING:
    from polynya_evidence.analysis.worker_differences import WorkedBlock


class _Replay(msgspec.Struct):
    """The part of a replay that names the worker."""

    worker: str | None = None


_decode = msgspec.msgpack.Decoder(_Replay).decode


def _worker(store: Store, match: str) -> str | None:
    return _decode(store.matches.replay(match)).worker


def worker_doubt(store: Store, evidence: Evidence) -> str:
    """A sentence if results differ between workers beyond chance; empty if not.

    All replays are read if the first or the last match was played by a worker.

    Raises:
        StoreError: there is no such tournament.
    """
    matches = [m.match for m in evidence.schedule.matches if m.match in evidence.outcomes]
    ends = [_worker(store, match) for match in (matches[:1] + matches[-1:]) if match is not None]
    if not any(ends):
        return ""
    # Imported here: it needs numpy.
    from polynya_evidence.analysis.worker_differences import chance

    found = chance(list(_blocks(store, evidence)))
    if found is None or found > SUSPICIOUS:
        return ""
    return (
        "results differ between workers by more than chance "
        f"(such differences have a probability of {found:.2g} at most where they do not matter): "
        "compare the loads of the machines with 'polynya replay show'"
    )


def _blocks(store: Store, evidence: Evidence) -> Iterator[WorkedBlock]:
    """The blocks that were played as a whole by one worker."""
    from polynya_evidence.analysis.worker_differences import WorkedBlock

    for _, of_block in groupby(evidence.schedule.matches, key=lambda drawn: drawn.block):
        names = [one.match for one in of_block if one.match in evidence.outcomes]
        outcomes = [(name, evidence.outcomes[name]) for name in names if name is not None]
        workers = {_worker(store, name) for name, _ in outcomes}
        if len(workers) != 1 or (worker := workers.pop()) is None:
            continue
        bots = tuple(sorted(outcomes[0][1].players))
        scores = [_score(one, bots[0]) for _, one in outcomes]
        yield WorkedBlock(worker, bots, sum(scores) / len(scores))


def _score(outcome: MatchOutcome, bot: str) -> float:
    """The points of a bot against each opponent, on average."""
    seat = outcome.players.index(bot)
    own = outcome.ranking[seat]
    others = [rank for place, rank in enumerate(outcome.ranking) if place != seat]
    return sum((own < rank) + (own == rank) / 2 for rank in others) / len(others)
