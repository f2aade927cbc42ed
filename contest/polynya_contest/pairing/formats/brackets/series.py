"""A meeting in a bracket: best of some blocks, then tie-break blocks, then the better seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polynya_contest.pairing.designs import table_orders
from polynya_contest.pairing.formats.brackets.bracket import Pod
from polynya_contest.pairing.formats.interface import Block, PlayedBlock, key, total
from polynya_contest.pairing.standings import WITHDRAWN


@dataclass(frozen=True, slots=True)
class MeetingOutcome:
    """The outcome of a meeting.

    Attributes:
        points: of each player of the pod.
        order: all by merit, those that are gone last; empty as long as it is not decided.
        gone: bots that have withdrawn, or were ready for no match of the meeting.
        note: what else than the points decided it; else empty.
    """

    points: tuple[float, ...]
    order: tuple[str, ...] = ()
    gone: frozenset[str] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Away:
    """Bots that may be absent from a meeting.

    Attributes:
        before: those that had withdrawn before the meeting's round, or in it.
        ever: those that have withdrawn by now, each with the number of the last match that was
            drawn then.
        short: whether a place in the pod stays empty, so that it cannot be played.
    """

    before: frozenset[str] = frozenset()
    ever: Mapping[str, int] = field(default_factory=dict)
    short: bool = False

    def first(self, players: Sequence[str]) -> frozenset[str]:
        """The players that withdrew first; the meeting was over for the others then."""
        moments = {name: self.ever[name] for name in players if name in self.ever}
        return frozenset(n for n, moment in moments.items() if moment == min(moments.values()))


@dataclass(frozen=True, slots=True)
class Series:
    """How meetings are decided.

    The bot with more points goes on, as soon as that cannot be turned any more. If it is level at
    the place that counts, tie-break blocks follow one by one, until it is not. After them the bot
    goes on that missed fewer matches, at last the better seed.

    Attributes:
        format: the name that the blocks' keys begin with.
        best_of: blocks.
        tie_breaks: the most blocks that follow if it is level.
    """

    format: str
    best_of: int
    tie_breaks: int

    @property
    def fewest_blocks(self) -> int:
        """The number of blocks that may decide a meeting."""
        return self.best_of // 2 + 1

    def outcome(self, pod: Pod, blocks: Sequence[PlayedBlock], away: Away) -> MeetingOutcome:
        """The outcome of a pod; nothing more is played once one of its bots is gone.

        A bot that was never ready while the others played on may still come, so the meeting goes
        on; when it is decided, the bot is gone if it was ready for no match.
        """
        points = total(blocks, pod.players)
        if not all(block.complete for block in blocks):
            return MeetingOutcome(points)
        left = _left(blocks, pod.players) if blocks else away.before.intersection(pod.players)
        note: str | None = "walkover"
        if not left and not away.short:
            note = self._decided(pod, len(blocks), sorted(points, reverse=True))
            if note is None and blocks:
                left = away.first(pod.players)
            if note is None and not left:
                return MeetingOutcome(points)
        missed = _missed(blocks)
        gone = left | _never_there(blocks, missed)
        of = dict(zip(pod.players, points, strict=True))
        order = sorted(pod.players, key=lambda name: (name in gone, -of[name], missed[name]))
        return MeetingOutcome(points, tuple(order), gone, "walkover" if note is None else note)

    def _decided(self, pod: Pod, blocks: int, ordered: Sequence[float]) -> str | None:
        """How the meeting was decided: empty by points, None if undecided."""
        lead = ordered[pod.advancing - 1] - ordered[pod.advancing]
        most = len(pod.players) * (len(pod.players) - 1)
        if lead > max(self.best_of - blocks, 0) * most:
            return "tie-break" if blocks > self.best_of else ""
        return "better seed" if blocks >= self.best_of + self.tie_breaks else None

    def next_blocks(self, number: int, pod: Pod, blocks: Sequence[PlayedBlock]) -> list[Block]:
        """The next blocks of an undecided pod: only those that it needs in any case."""
        more = 1 if blocks else self.fewest_blocks
        orders = table_orders(pod.players)
        return [
            Block(
                key(self.format, number, occurrence, pod.players),
                orders[(occurrence - 1) % len(orders)],
            )
            for occurrence in range(len(blocks) + 1, len(blocks) + more + 1)
        ]


def _missed(blocks: Sequence[PlayedBlock]) -> Counter[str]:
    """How many matches of a meeting each bot missed: walkovers, and those it was not ready for."""
    missed = _walkovers(blocks)
    for block in blocks:
        for result in block.results:
            missed.update(result.silent)
    return missed


def _walkovers(blocks: Sequence[PlayedBlock]) -> Counter[str]:
    """How many matches of a meeting were not played because each bot missed them."""
    return Counter(name for block in blocks for one in block.walkovers for name in one.missing)


def _matches(blocks: Sequence[PlayedBlock]) -> int:
    return sum(len(block.results) + len(block.walkovers) for block in blocks)


def _never_there(blocks: Sequence[PlayedBlock], missed: Counter[str]) -> frozenset[str]:
    """The bots that missed all matches of the meeting."""
    matches = _matches(blocks)
    return frozenset(name for name, count in missed.items() if count == matches)


def _left(blocks: Sequence[PlayedBlock], players: Sequence[str]) -> frozenset[str]:
    """The bots that withdrew while they had matches of the meeting to play, or let all pass."""
    walkovers = [walkover for block in blocks for walkover in block.walkovers]
    let_pass = _walkovers(blocks)
    return frozenset(
        name
        for name in players
        if let_pass[name] == _matches(blocks)
        or any(one.missing.get(name) == WITHDRAWN for one in walkovers)
    )
