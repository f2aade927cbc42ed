"""Golden playthroughs: a whole match as readable text, to be compared with the code's results.

A playthrough names its set-up, and for each step what it changes in the state, how many steps
are legal then and a checksum of them. A golden file is written and renewed by::

    python -m polynya_games.playthrough packeis 2 > tests/games/golden/packeis-2.txt

The text decides itself how it is made again: :func:`renewed` reads the set-up from its head.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polynya_games.errors import GameError, IllegalForfeit
from polynya_games.game import State
from polynya_games.randomness import SplitMix64
from polynya_games.registry import load
from polynya_games.trace import option_value

FORFEIT_AFTER = 20
"""With more than two players the last seat forfeits after that many turns, if it still can."""


def playthrough(
    game_name: str, players: int, seed: int = 1, options: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """The lines of a match in which every step is chosen at random.

    Args:
        game_name: the name of an installed game.
        players: the number of seats.
        seed: decides the set-up and the choices.
        options: set-up options by name.

    Raises:
        GameError: there is no such game or set-up.
    """
    head = {"game": game_name, "players": players, "seed": seed, "options": dict(options or {})}
    state: State = load(game_name).setup(players, seed, options)
    yield json.dumps(head)
    yield from _changes({}, state.to_json())
    yield _legal(state)
    generator = SplitMix64(seed)
    turns = 0
    while state.to_move is not None:
        before = state.to_json()
        leaver = _leaver(state, turns)
        if leaver is None:
            steps = state.legal_steps()
            step = steps[generator.below(len(steps))]
            yield f"\nseat {state.to_move}: {json.dumps(step)}"
            state = state.apply(step)
        else:
            yield f"\nseat {leaver} forfeits"
            state = state.forfeit(leaver)
        turns += state.turn_over
        yield from _changes(before, state.to_json())
        yield _legal(state)
    yield from _end(state)


def renewed(text: str) -> str:
    """The code's playthrough of today for the set-up in the first line of a playthrough.

    Raises:
        GameError: there is no such game or set-up.
    """
    head = json.loads(text.partition("\n")[0])
    fresh = playthrough(head["game"], head["players"], head["seed"], head["options"])
    return "".join(f"{line}\n" for line in fresh)


def _leaver(state: State, turns: int) -> int | None:
    """The last seat, if this is the moment at which it forfeits."""
    last = state.players - 1
    if turns != FORFEIT_AFTER or not state.turn_over or state.players == 2:
        return None
    try:
        state.forfeit(last)
    except IllegalForfeit:
        return None
    return last


def _changes(before: object, after: object, path: str = "") -> Iterator[str]:
    """The values of ``after`` that differ from ``before``, each with its path, as lines."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in after.items():
            yield from _changes(before.get(key, ...), value, f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes(old, new, f"{path}[{index}]")
    elif before != after:
        yield f"  {path} = {json.dumps(after)}"


def _legal(state: State) -> str:
    steps = state.legal_steps()
    return f"  legal: {len(steps)} steps, crc32 {zlib.crc32(json.dumps(steps).encode()):08x}"


def _end(state: State) -> Iterator[str]:
    outcome = state.outcome
    if outcome is not None:
        yield f"\n{outcome.termination.value}: ranking {list(outcome.ranking)}"
        yield f"  scores {list(outcome.scores)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a playthrough."""
    parser = argparse.ArgumentParser(prog="python -m polynya_games.playthrough")
    parser.add_argument("game")
    parser.add_argument("players", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args(arguments)
    pairs = [option.partition("=") for option in given.option]
    options = {key: option_value(value) for key, _, value in pairs}
    try:
        for line in playthrough(given.game, given.players, given.seed, options):
            print(line)
    except GameError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
