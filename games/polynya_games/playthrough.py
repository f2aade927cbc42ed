"""Matches followed through the rules, event by event; and golden playthroughs as text.

:class:`Playthrough` follows a match that has been recorded or is in play elsewhere.

A golden playthrough is a whole match as readable text, to be compared with the code's results: it
names its set-up, and for each step what it changes in the state, how many steps are legal then and
a checksum of them. A golden file is written and renewed by::

    python -m polynya_games.playthrough packeis 2 > tests/games/golden/packeis-2.txt

The text decides itself how it is made again: :func:`renewed` reads the set-up from its head.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from polynya_games.errors import GameError, IllegalForfeit
from polynya_games.game import State
from polynya_games.randomness import SplitMix64
from polynya_games.refusals import COMMON, refusal
from polynya_games.registry import load
from polynya_games.trace import option_value
from polynya_games.turns import positions_of_turn

FORFEIT_AFTER = 20
"""With more than two players the last seat forfeits after that many turns, if it still can."""


class Event(Protocol):
    """A forfeit (a resignation is one) or, with ``steps``, a turn that a seat played."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; 0 for a forfeit before the match began."""

    @property
    def seat(self) -> int:
        """The seat that played or forfeited."""


@runtime_checkable
class PlayedTurn(Event, Protocol):
    """A turn that a seat played."""

    @property
    def steps(self) -> Sequence[Any]:
        """Its steps, in any form: they are checked."""


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of one step or forfeit.

    Attributes:
        state: the position after it.
        step: the step; None for a forfeit.
        index: the place of the step in its turn, from 0; None for a forfeit.
    """

    state: State
    step: Any = None
    index: int | None = None


class Playthrough:
    """A match as far as it has been followed.

    Args:
        state: the position in which following begins, between turns.
        turn: the number of the last turn before it.

    Attributes:
        state: the present position.
        turn: the number of the turn of the last event.
    """

    def __init__(self, state: State, turn: int = 0) -> None:
        self.state = state
        self.turn = turn

    @property
    def asked(self) -> int:
        """The seat to move.

        Raises:
            GameError: the match is over.
        """
        if self.state.to_move is None:
            raise refusal(GameError, COMMON, "over_before")
        return self.state.to_move

    def follow(self, event: Event) -> list[Change]:
        """Go on by one event; whether its number is the next one is not looked at.

        Returns:
            The changes: one for each step of a turn, up to the end of the match; one for a forfeit.

        Raises:
            GameError: the event is impossible by the rules; everything stays as it was.
        """
        changes = self._turn(event) if isinstance(event, PlayedTurn) else [self._forfeit(event)]
        self.state = changes[-1].state
        self.turn = event.turn
        return changes

    def _turn(self, event: PlayedTurn) -> list[Change]:
        if event.seat != (asked := self.asked):
            raise refusal(GameError, COMMON, "other_seat", asked=asked)
        positions = positions_of_turn(self.state, event.steps)
        return [
            Change(state, step, index)
            for index, (state, step) in enumerate(zip(positions, event.steps, strict=False))
        ]

    def _forfeit(self, event: Event) -> Change:
        try:
            return Change(self.state.forfeit(event.seat))
        except IllegalForfeit:
            # If fewer than two bots are ready the match does not begin: each missing one forfeits,
            # though by the rules the last player stays.
            if event.turn != 0 or not 0 <= event.seat < self.state.players:
                raise
            return Change(self.state)


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
