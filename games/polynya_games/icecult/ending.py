"""The end of a match: who wins by tower or goal, and how a match without a winner is ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polynya_games.game import Outcome, Termination
from polynya_games.icecult.counts import unpack
from polynya_games.icecult.paths import FIELDS, PAWNS
from polynya_games.icecult.turn import Turn
from polynya_games.ranking import ranking


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
