"""Random games in Polynya and in pyspiel at once: who chooses, names, texts and returns agree.

The thousand games of each game, a line for each::

    python -m tests.foreign.openspiel.lockstep --games 1000 --seconds 60 [NAME ...]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Any, Final

from polynya_foreign.openspiel.catalogue import fitting, game
from polynya_foreign.openspiel.factors import FALLBACK
from polynya_foreign.openspiel.position import Position
from polynya_games import InvalidOption, Step
from polynya_games.seats import acting, legal_steps, view
from polynya_games.turns import play_turn

MOST_STEPS: Final = 20_000


def compare(name: str, players: int, seed: int) -> int:
    """Play one random game in both, and compare them after each turn.

    Args:
        name: OpenSpiel's name.
        players: the number of seats.
        seed: decides the deal and the steps.

    Returns:
        The number of turns.

    Raises:
        AssertionError: they differ.
    """
    generator = random.Random(seed)
    position: Position = game(name).initial_state(players, seed)  # type: ignore[assignment]
    state = position.model.game.new_initial_state()
    done = _follow(state, position, 0)
    turns = 0
    while seats := acting(position):
        steps = {seat: generator.choice(_legal(position, state, seat)) for seat in seats}
        position = play_turn(position, {seat: [step] for seat, step in steps.items()})
        done = _follow(state, position, done)
        turns += 1
        assert turns < MOST_STEPS
    _check_end(position, state)
    return turns


def numbers_of_players(name: str) -> list[int]:
    """Up to four numbers of players that a game has; some games leave out numbers."""
    spiel = game(name)
    numbers = []
    for players in range(spiel.min_players, spiel.max_players + 1):
        try:
            spiel.initial_state(players)
        except InvalidOption:
            continue
        numbers.append(players)
    return numbers[:4]


def _legal(position: Position, state: Any, seat: int) -> list[Step]:
    """The legal steps, compared with pyspiel's legal actions."""
    steps = legal_steps(position, seat)
    names = [state.action_to_string(seat, action) for action in state.legal_actions(seat)]
    assert sorted(names) == [step[1] for step in steps]
    return steps


def _follow(state: Any, position: Position, done: int) -> int:
    """Apply the new entries of the history to pyspiel's state, and compare the two."""
    history = position.node.history
    while done < len(history):
        entry = history[done]
        if state.is_chance_node():
            assert entry.seat == -1
            assert dict(state.chance_outcomes())[entry.action] > 0
            assert state.action_to_string(entry.seat, entry.action).split() == entry.name.split()
            state.apply_action(entry.action)
            done += 1
        elif state.is_simultaneous_node():
            seats = [seat for seat in range(position.players) if state.legal_actions(seat)]
            group = history[done : done + len(seats)]
            assert [each.seat for each in group] == seats
            chosen = {each.seat: each.action for each in group}
            state.apply_actions([chosen.get(seat, 0) for seat in range(position.players)])
            done += len(seats)
        else:
            assert entry.seat == state.current_player()
            state.apply_action(entry.action)
            done += 1
    _check_position(position, state)
    return done


def _check_position(position: Position, state: Any) -> None:
    assert position.node.text == str(state)
    assert state.is_terminal() == (not acting(position))
    assert not state.is_chance_node()
    if state.is_terminal():
        return
    if state.is_simultaneous_node():
        seats = tuple(seat for seat in range(position.players) if state.legal_actions(seat))
        assert acting(position) == seats
    else:
        assert acting(position) == (state.current_player(),)
    if position.model.hidden:
        for seat in range(position.players):
            document = view(position, seat)
            if position.model.has_observation:
                assert document["observation"] == state.observation_string(seat)
            if position.model.has_information:
                assert document["information"] == state.information_state_string(seat)


def _check_end(position: Position, state: Any) -> None:
    document = position.to_json()
    assert game(position.model.name).state_from_json(document).to_json() == document
    outcome = position.outcome
    assert outcome is not None
    returns, factor = state.returns(), position.model.factor
    for seat, score in enumerate(outcome.scores):
        exact = returns[seat] * factor
        assert abs(score - exact) < (0.51 if factor == FALLBACK else 1e-6), (score, exact)
        better = sum(other > score for other in outcome.scores)
        assert outcome.ranking[seat] == 1 + better


def main() -> int:
    """Compare games, a line for each; the exit code is 1 if any differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60, help="the most for one game")
    given = parser.parse_args()
    failures = 0
    for name in given.names or fitting():
        failures += not _compared(name, given.games, given.seconds)
    return min(failures, 1)


def _compared(name: str, games: int, seconds: float) -> bool:
    counts = numbers_of_players(name)
    end, played, turns = time.monotonic() + seconds, 0, 0
    while played < games and time.monotonic() < end:
        players = counts[played % len(counts)]
        try:
            turns += compare(name, players, played)
        except Exception as error:  # whatever it is, the games differ
            print(f"{name} DIFFERS: {players} players, seed {played}: {error!r}", flush=True)
            return False
        played += 1
    print(f"{name} {played} games, {turns} turns", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
