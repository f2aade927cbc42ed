"""The seat to move, the winners by tower or goal, and the ranking of a match without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from polynya_games.game import Outcome, Step, Termination
from polynya_games.icecult.paths import unpack
from polynya_games.icecult.rules_config import FIELDS, PAWNS
from polynya_games.ranking import ranking


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
        """The turn after ``seat`` forfeits between turns for the first time.

        If it was its turn, that counts as played (rules, "Forfeit").
        """
        rest = replace(self, forfeited=(*self.forfeited, seat))
        if len(rest.forfeited) == self.players - 1:
            return rest.over()
        return rest.following() if self.seat == seat else rest


def next_seat(players: int, forfeited: tuple[int, ...], seat: int) -> int:
    """The first seat after ``seat`` that has not forfeited."""
    others = [(seat + distance) % players for distance in range(1, players)]
    return next(other for other in others if other not in forfeited)


def winners(turn: Turn, towers: int, goal: int) -> tuple[int, ...]:
    """The seats that win at once after an advance (rules, "End of the game"), ascending.

    Args:
        turn: the turn in which it was made.
        towers: the bits ``1 << colour`` of the colours that stand in one stack.
        goal: the pawns of each colour in the goal, packed.
    """
    there = fulfilling(turn, towers, goal)
    return (turn.seat,) if turn.seat in there else there


def fulfilling(turn: Turn, towers: int, goal: int) -> tuple[int, ...]:
    """The seats that have not forfeited and have a tower or all pawns in the goal, ascending."""
    reached = unpack(goal)
    return tuple(
        [seat for seat in turn.live() if towers >> seat & 1 or reached[seat] == PAWNS],
    )


def outcome(turn: Turn, paths: Iterable[str], goal: int) -> Outcome:
    """How a match that is over ended; the scores are the pawns in the goal.

    Args:
        turn: the end, with the winners if there are any.
        paths: the four paths.
        goal: the pawns of each colour in the goal, packed.
    """
    scores = tuple(unpack(goal)[: turn.players])
    if turn.winners:
        won = [seat in turn.winners for seat in range(turn.players)]
        return Outcome(Termination.VICTORY, ranking(won, turn.forfeited), scores)
    ahead = list(zip(scores, progress(paths, scores), strict=True))
    alone = len(turn.forfeited) == turn.players - 1
    termination = Termination.FORFEIT if alone else Termination.LIMIT
    return Outcome(termination, ranking(ahead, turn.forfeited), scores)


def progress(paths: Iterable[str], reached: Sequence[int]) -> list[int]:
    """Per colour the sum of fields over all its pawns: start 0, field k counts k, goal 6.

    Args:
        paths: the four paths.
        reached: the pawns in the goal, of each colour that is asked for, from colour 0 on.
    """
    fields = [(FIELDS + 1) * pawns for pawns in reached]
    for path in paths:
        for field, stack in enumerate(path.split("/"), 1):
            for colour in range(len(fields)):
                fields[colour] += field * stack.count(str(colour))
    return fields
