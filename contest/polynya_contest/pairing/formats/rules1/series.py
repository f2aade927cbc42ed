"""A meeting in a knockout: best of some blocks, then tie-break blocks, then the better seed."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from polynya_contest.pairing.formats.interface import Block, PlayedBlock, key, total
from polynya_contest.pairing.formats.rules1.brackets import Pod
from polynya_contest.pairing.standings import Meeting


@dataclass(frozen=True, slots=True)
class Series:
    """How meetings are decided.

    The bot with more points goes on, as soon as that cannot be turned any more. If it is level at
    the place that counts, tie-break blocks follow one by one, until it is not; at last the seed.

    Attributes:
        format: the name that the blocks' keys begin with.
        best_of: blocks.
        tie_breaks: at most this number of blocks more.
    """

    format: str
    best_of: int
    tie_breaks: int

    def meeting(self, pod: Pod, blocks: Sequence[PlayedBlock], absent: Container[str]) -> Meeting:
        """The outcome of a pod; ``advancing`` holds all by merit as soon as it is decided.

        Bots that have withdrawn come last, and then nothing more is played.
        """
        points = dict(zip(pod.players, total(blocks, pod.players), strict=True))
        order = sorted(pod.players, key=lambda name: (name in absent, -points[name]))
        note = self._decided(pod, blocks, [points[name] for name in order])
        if any(name in absent for name in pod.players):
            note = "walkover"
        told = tuple(points.values())
        return Meeting(pod.players, told, () if note is None else tuple(order), note or "")

    def _decided(
        self, pod: Pod, blocks: Sequence[PlayedBlock], ordered: Sequence[float]
    ) -> str | None:
        """A note on the decision, empty for the points alone; None as long as there is none."""
        if not all(block.complete for block in blocks):
            return None
        lead = ordered[pod.advancing - 1] - ordered[pod.advancing]
        most = len(pod.players) * (len(pod.players) - 1)
        if lead > max(self.best_of - len(blocks), 0) * most:
            return "tie-break" if len(blocks) > self.best_of else ""
        return "better seed" if len(blocks) >= self.best_of + self.tie_breaks else None

    def next_blocks(self, number: int, pod: Pod, blocks: Sequence[PlayedBlock]) -> list[Block]:
        """The next blocks of an undecided pod: as many blocks as it cannot do without."""
        more = 1 if blocks else self.best_of // 2 + 1
        return [
            Block(key(self.format, number, len(blocks) + one, pod.players), pod.players)
            for one in range(1, more + 1)
        ]
