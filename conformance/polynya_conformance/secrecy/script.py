"""Scripts of a match: the actions of its players and of a spectator, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Step = Sequence[Any]


@dataclass(frozen=True)
class Begin:
    """The match begins, and all players are ready."""

    def __str__(self) -> str:
        return "the match begins"


@dataclass(frozen=True)
class Ask:
    """Seats ask for the legal steps after some steps, and move in a turn that does not exist.

    Attributes:
        questions: the lists of steps that each seat asks about.
    """

    questions: Mapping[int, Sequence[Sequence[object]]]

    def __str__(self) -> str:
        return f"the acting seats ask what may follow {dict(self.questions)}"


@dataclass(frozen=True)
class Answer:
    """A seat answers its turn, with one step."""

    seat: int
    step: Step

    def __str__(self) -> str:
        return f"seat {self.seat} answers {self.step}"


@dataclass(frozen=True)
class Resign:
    """A seat leaves the match with a goodbye."""

    seat: int

    def __str__(self) -> str:
        return f"seat {self.seat} says goodbye"


@dataclass(frozen=True)
class Return:
    """Bots connect again, without memory, and the spectator turns away and watches again.

    Attributes:
        seats: the seats whose bots connect again.
    """

    seats: tuple[int, ...]

    def __str__(self) -> str:
        return "bots have connected again, and the spectator watches again"


@dataclass(frozen=True)
class Wait:
    """Time passes."""

    ms: int

    def __str__(self) -> str:
        return f"{self.ms} ms have passed"


Action = Begin | Ask | Answer | Resign | Return | Wait
Script = Sequence[Action]
