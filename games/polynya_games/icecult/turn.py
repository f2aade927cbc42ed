"""Whose turn it is: the part of a position that no pawn changes."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polynya_games.game import Step


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A turn under way, or the end of the match.

    Attributes:
        players: the number of seats, 2 to 4.
        limit: the number of the last turn of the match, 1 or more.
        number: counts the turns of all players, from 1.
        seat: the seat to move, None when the match is over.
        forfeited: the seats that forfeited, in that order.
        tips: the tips of this turn so far, as steps.
        winners: the seats that won by tower or goal, ascending.
    """

    players: int
    limit: int
    number: int = 1
    seat: int | None = 0
    forfeited: tuple[int, ...] = ()
    tips: tuple[Step, ...] = ()
    winners: tuple[int, ...] = ()

    def live(self) -> list[int]:
        """The seats that have not forfeited, ascending."""
        return [seat for seat in range(self.players) if seat not in self.forfeited]

    def following(self) -> Turn:
        """The turn of the next player, or the end of the match if this was the last turn."""
        if self.number >= self.limit:
            return self.over()
        seat = next_seat(self.players, self.forfeited, self.seat or 0)
        return Turn(self.players, self.limit, self.number + 1, seat, self.forfeited)

    def over(self, winners: tuple[int, ...] = ()) -> Turn:
        """The end of the match in or after this turn."""
        return replace(self, seat=None, tips=(), winners=winners)

    def without(self, seat: int) -> Turn:
        """What becomes of it when ``seat``, who has not forfeited yet, forfeits between turns.

        If it was his turn, that counts as played (rules, "Forfeit").
        """
        rest = replace(self, forfeited=(*self.forfeited, seat))
        if len(rest.forfeited) == self.players - 1:
            return rest.over()
        return rest.following() if self.seat == seat else rest


def next_seat(players: int, forfeited: tuple[int, ...], seat: int) -> int:
    """The first seat after ``seat`` that has not forfeited."""
    others = [(seat + distance) % players for distance in range(1, players)]
    return next(other for other in others if other not in forfeited)
