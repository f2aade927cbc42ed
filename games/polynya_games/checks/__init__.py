"""Whether a game keeps what the interface promises: random matches, each condition tried on them.

For authors of games (``polynya games check NAME``) and for the tests of this distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polynya_games.chance import NO_DEAL
from polynya_games.checks import conditions, knowledge
from polynya_games.checks.conditions import Broken, Visit, refused, require
from polynya_games.errors import InvalidOption, RulesFailed
from polynya_games.game import Game, State, Step
from polynya_games.randomness import SplitMix64
from polynya_games.seats import acting, legal_steps
from polynya_games.turns import apply_joint

__all__ = ["Finding", "check_game", "visits_of_match"]

LONGEST_MATCH = 50_000
"""Steps after which a random match counts as endless."""

POSITIONS = 60
"""About this number of positions of each match is looked at, evenly spread over it."""

CONDITIONS: tuple[Callable[[Visit], None], ...] = (
    conditions.state_is_json,
    conditions.state_reads_back,
    conditions.bad_documents_are_refused,
    conditions.legal_steps_are_sorted,
    conditions.legal_steps_apply,
    conditions.illegal_steps_are_refused,
    conditions.positions_are_immutable,
    conditions.forfeits_are_applied,
    conditions.bad_forfeits_are_refused,
    conditions.outcome_fits,
    conditions.scores_so_far_fit,
    conditions.encoding_fits,
    conditions.boards_fit,
)

KNOWLEDGE: tuple[Callable[[Visit], None], ...] = (
    knowledge.declarations_fit,
    knowledge.knowledge_is_json,
    knowledge.turns_end_with_chance,
    knowledge.answers_come_in_any_order,
    knowledge.joint_turns_are_whole,
)
"""The conditions of games with hidden parts or joint turns."""

BY_GUESS: tuple[Callable[[Visit], None], ...] = (
    knowledge.guesses_agree,
    knowledge.nothing_leaks,
)
"""Those of games with hidden parts that need ``guess``."""


@dataclass(frozen=True)
class Finding:
    """The finding of a check.

    Attributes:
        name: the check.
        ok: whether the game keeps it.
        sentence: how much was looked at, or what is wrong and where.
    """

    name: str
    ok: bool
    sentence: str


def check_game(
    game: Game,
    players: Sequence[int] = (),
    matches: int = 2,
    options: Sequence[Mapping[str, Any]] = ({},),
) -> list[Finding]:
    """Try the set-up, random matches and every condition in their positions.

    Args:
        game: the game.
        players: the numbers of players to try; all of the game's where there are none.
        matches: how many matches are played per number of players and options.
        options: the set-up options to try.

    Returns:
        One finding per check; an exception of a game becomes a finding that is not ok.
    """
    counts = players or range(game.min_players, game.max_players + 1)
    findings = [_found("bad_setups_are_refused", lambda: _check_setups(game))]
    visits: list[Visit] = []

    def play() -> str:
        for count in counts:
            for chosen in options:
                for seed in range(matches):
                    visits.extend(visits_of_match(game, count, seed, chosen))
        return f"{matches} matches each with {', '.join(map(str, counts))} players"

    findings.append(_found("random_matches_end", play))
    findings += [_found(each.__name__, _all(each, visits)) for each in CONDITIONS]
    if game.joint or any(hasattr(visit.state, "view") for visit in visits) or game.has_view:
        findings += [_found(each.__name__, _all(each, visits)) for each in KNOWLEDGE]
        findings += [_found(each.__name__, _by_guess(each, visits)) for each in BY_GUESS]
    return findings


def _by_guess(condition: Callable[[Visit], None], visits: Sequence[Visit]) -> Callable[[], str]:
    if visits and hasattr(visits[0].state, "view") and not hasattr(visits[0].state, "guess"):
        return lambda: "not tried: the states have no method guess(seat, seed)"
    return _all(condition, visits)


def _found(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except Broken as broken:
        return Finding(name, False, str(broken))
    except Exception as error:  # a game may raise anything, and that is a finding
        return Finding(name, False, _words(error))


def _words(error: Exception) -> str:
    """An error for the game's author, with the last lines of a program of the rules."""
    text = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
    lines = error.output.splitlines() if isinstance(error, RulesFailed) else []
    return f"{text}; its program wrote last: {' | '.join(lines)}" if lines else text


def _all(condition: Callable[[Visit], None], visits: Sequence[Visit]) -> Callable[[], str]:
    def check() -> str:
        for visit in visits:
            try:
                condition(visit)
            except Exception as error:
                raise Broken(f"{visit.place}: {_words(error)}") from error
        require(visits, "no position was reached")
        return f"{len(visits)} positions"

    return check


def visits_of_match(game: Game, players: int, seed: int, options: Mapping[str, Any]) -> list[Visit]:
    """Positions of a random match, the first and the last among them.

    Args:
        game: the game.
        players: the number of players.
        seed: decides the set-up and the steps.
        options: the set-up options.

    Raises:
        Broken: the match does not end, or is not the same a second time.
    """
    states, elsewhere = _played(game, players, seed, options)
    again, _ = _played(game, players, seed, options)
    same = states[0].to_json() == again[0].to_json() and states[-1].to_json() == again[-1].to_json()
    require(same, f"{players} players, seed {seed}: the same steps lead elsewhere a second time")
    if game.secret_seed:
        other = game.initial_state(players, seed + 1, options).to_json()
        require(other != states[0].to_json(), "another deal gives the same position")
    stride = len(states) // POSITIONS + 1
    chosen = sorted({*range(0, len(states), stride), len(states) - 1})
    return [Visit(game, options, seed, index, states[index], elsewhere) for index in chosen]


def _played(
    game: Game, players: int, seed: int, options: Mapping[str, Any]
) -> tuple[list[State], tuple[Step, ...]]:
    """All positions of a random match, and steps that were legal in it."""
    generator = SplitMix64(seed)
    state: State = game.initial_state(players, seed, options)
    states = [state]
    elsewhere: dict[Step, None] = {}
    while seats := acting(state):
        chosen = {}
        for seat in seats:
            steps = legal_steps(state, seat)
            elsewhere.update(dict.fromkeys(steps[:: len(steps) // 10 + 1]))
            chosen[seat] = steps[generator.below(len(steps))]
        joint = len(seats) > 1
        state = apply_joint(state, chosen) if joint else state.apply_legal(chosen[seats[0]])
        states.append(state)
        where = f"{players} players, seed {seed}"
        require(len(states) <= LONGEST_MATCH, f"{where}: no end after {LONGEST_MATCH} steps")
    return states, tuple(elsewhere)


def _check_setups(game: Game) -> str:
    unknown = {"no such option": 1}
    good = NO_DEAL if game.secret_seed else 0
    bad: tuple[tuple[Any, Any, Mapping[str, Any]], ...] = (
        (game.min_players - 1, good, {}),
        (game.max_players + 1, good, {}),
        (True, good, {}),
        (game.min_players, -1, {}),
        (game.min_players, 2**64, {}),
        (game.min_players, 0.5, {}),
        (game.min_players, b"short", {}),
        (game.min_players, good, unknown),
    )
    for players, seed, options in bad:
        done = refused(InvalidOption, game.setup, players, seed, options)
        require(done, f"setup({players!r}, {seed!r}, {dict(options)}) is not refused")
    return f"{len(bad)} set-ups"
