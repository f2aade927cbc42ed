"""Results of seats in words for lists: the winner, and the score in the game's own unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polynya_web.content.result_sentences import victory_words
from polynya_web.content.texts import Texts

_PAIR = 2


class PlayedSeat(Protocol):
    """A seat with its result, as the store and the API have it."""

    @property
    def name(self) -> str:
        """The bot's name."""

    @property
    def rank(self) -> int | None:
        """1 the best; None without a result."""

    @property
    def score(self) -> int | None:
        """The figure that the game counts; None without a result."""

    @property
    def forfeit(self) -> str | None:
        """Why the bot forfeited; None if it did not."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """A seat's result in words.

    Attributes:
        name: the bot's.
        first: whether it has the first place, alone or with others.
        place: the place in words; empty without a result, and for the loser of two.
        score: the score with its unit, or how the match was won instead; empty if it says nothing.
        number: the score without its unit; empty if it says nothing.
        forfeit: why the bot forfeited; None if it did not.
    """

    name: str
    first: bool
    place: str
    score: str
    number: str
    forfeit: str | None


def seat_results(
    seats: Sequence[PlayedSeat], game: str, termination: str | None, t: Texts
) -> list[SeatResult]:
    """The results by seat.

    A score says nothing if all have nought, or if the match was won otherwise, as by an end that
    the game's rules call a victory.

    Args:
        seats: by seat.
        game: its name.
        termination: why the game ended; None if that is not known.
        t: the reader's language.
    """
    scores = [seat.score for seat in seats if seat.score is not None]
    victory = victory_words(game, termination, _winners_score(seats), t)
    counts = victory is None and any(scores) and len(scores) == len(seats)
    return [
        SeatResult(
            seat.name,
            seat.rank == 1,
            _place(seat, seats, t),
            score_words(seat.score or 0, game, t) if counts else _why(seat, victory),
            t.number(seat.score or 0) if counts else "",
            seat.forfeit,
        )
        for seat in seats
    ]


def score_words(score: int, game: str, t: Texts) -> str:
    """A score with the game's unit: ``34 fish``; points if the game has no unit of its own."""
    key = f"board.{game}.score"
    return t.count(key if f"{key}.other" in t else "result.score", score)


def _winners_score(seats: Sequence[PlayedSeat]) -> int | None:
    return next((seat.score for seat in seats if seat.rank == 1), None)


def _why(seat: PlayedSeat, victory: str | None) -> str:
    return victory or "" if seat.rank == 1 else ""


def _place(seat: PlayedSeat, seats: Sequence[PlayedSeat], t: Texts) -> str:
    if seat.rank is None:
        return ""
    if all(one.rank == 1 for one in seats):
        return t("result.drew")
    if seat.rank == 1 and [one.rank for one in seats].count(1) == 1:
        return t("result.won")
    return "" if len(seats) == _PAIR else t("rank.number", rank=seat.rank)
