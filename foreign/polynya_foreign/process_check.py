"""Checks that two rules processes of a game tell the same, as matches of several processes need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from polynya_foreign.foreign_game import ForeignGame, Position
from polynya_games import Game, GameError, RulesFailed
from polynya_games.checks import Finding, visits_of_match
from polynya_games.checks.conditions import Broken

NAME: Final = "two_processes_tell_the_same"


def check_processes(
    game: Game, players: Sequence[int], options: Mapping[str, Any]
) -> list[Finding]:
    """Play a random match with each number of players by the rules of two processes.

    Args:
        game: any; there is no finding for a game without a rules process.
        players: the numbers of players to try; all of the game's where there are none.
        options: of the set-up.
    """
    if not isinstance(game, ForeignGame):
        return []
    counts = players or range(game.min_players, game.max_players + 1)
    other = ForeignGame(game.folder)
    try:
        found = sum(_compared(game, other, count, options) for count in counts)
    except (Broken, GameError, RulesFailed) as error:
        return [Finding(NAME, False, str(error))]
    finally:
        other.pool.close()
    return [Finding(NAME, True, f"{found} positions")]


def _compared(
    game: ForeignGame, other: ForeignGame, players: int, options: Mapping[str, Any]
) -> int:
    """The number of positions of a match in which both processes tell the same.

    Raises:
        Broken: they do not; the message says where.
    """
    visits = visits_of_match(game, players, 0, options)
    for visit, again in zip(visits, visits_of_match(other, players, 0, options), strict=False):
        if _told(visit.state) != _told(again.state):
            raise Broken(
                f"{visit.place}: another process of the rules tells otherwise of this position, "
                "for example because of the order of a hash, of chance, or of the time"
            )
    return len(visits)


def _told(state: Any) -> Any:
    assert isinstance(state, Position)  # noqa: S101 -- of a ForeignGame
    return state.facts
