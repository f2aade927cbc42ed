"""The results of each bot, round by round: the base of all tie-breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["played", "bye", "half_point_bye", "walkover", "missed", "unpaired"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's entry for one round; in a round robin each match is a round of its own.

    Attributes:
        kind: ``played``; ``bye`` (given by the pairing); ``half_point_bye`` (on request);
            ``walkover`` (a forfeit win: the other one missed the meeting); ``missed`` (a forfeit
            loss); ``unpaired`` (it had withdrawn, had not entered yet, or was left out because it
            had missed its last meeting).
        opponent: the other one, None where there is none.
        score: of the round.
        second_seat_wins: the matches of the round that it played on the second seat and won.
    """

    kind: Kind
    opponent: str | None
    score: float
    second_seat_wins: int = 0

    @property
    def is_voluntary(self) -> bool:
        """Whether the bot itself is the reason why it did not play (C.07, 16.2: a VUR)."""
        return self.kind in ("half_point_bye", "missed", "unpaired")


Histories = Mapping[str, Sequence[Entry]]
"""By name, in the order of the rounds."""
