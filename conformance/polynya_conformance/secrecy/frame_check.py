"""Compares the frames of positions that random matches of a game come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polynya_conformance.secrecy import comparisons
from polynya_games import Game
from polynya_games.checks import Finding, visits_of_match
from polynya_games.checks.conditions import Broken, Visit, require
from polynya_games.seats import acting, shows_everything

POSITIONS = 5
"""About this number of positions is looked at, with each number of players."""

BY_GUESS: tuple[Callable[[Visit], None], ...] = (comparisons.frames_tell_nothing_hidden,)
IN_JOINT_TURNS: tuple[Callable[[Visit], None], ...] = (
    comparisons.frames_do_not_depend_on_order,
    comparisons.frames_tell_no_answer_early,
)


def check_frames(
    game: Game, players: Sequence[int] = (), options: Mapping[str, Any] | None = None
) -> list[Finding]:
    """Play positions of a random match on a real server, and compare the frames of all clients.

    Args:
        game: the game.
        players: the numbers of players to try; all of the game's where there are none.
        options: the set-up options.

    Returns:
        One finding per comparison; none for a game in which all see everything and move alone. An
        exception of a game becomes a finding that is not ok.
    """
    try:
        visits = _visits(game, players, options or {})
    except Exception as error:  # a game may raise anything, and that is a finding
        return [Finding("frames", False, _sentence(error))]
    if all(shows_everything(visit.state) for visit in visits):
        return []
    findings = [_finding(compare, visits) for compare in BY_GUESS]
    joint = [visit for visit in visits if len(acting(visit.state)) > 1]
    return findings + [_finding(compare, joint) for compare in IN_JOINT_TURNS if game.joint]


def _visits(game: Game, players: Sequence[int], options: Mapping[str, Any]) -> list[Visit]:
    """Positions between two turns, evenly spread over one match with each number of players."""
    found: list[Visit] = []
    for count in players or range(game.min_players, game.max_players + 1):
        visits = [
            visit
            for visit in visits_of_match(game, count, 0, options)
            if visit.state.turn_over and acting(visit.state)
        ]
        found += visits[:: len(visits) // POSITIONS + 1]
    return found


def _finding(compare: Callable[[Visit], None], visits: Sequence[Visit]) -> Finding:
    name = compare.__name__
    if compare in BY_GUESS and not all(hasattr(visit.state, "guess") for visit in visits):
        return Finding(name, True, "not tried: the states have no method guess(seat, seed)")
    for visit in visits:
        try:
            compare(visit)
        except Exception as error:  # a game may raise anything, and that is a finding
            return Finding(name, False, f"{visit.place}: {_sentence(error)}")
    require(visits, "no position was reached")
    return Finding(name, True, f"{len(visits)} positions, played over sockets")


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
