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
from typing import Any, Protocol, TypeVar, runtime_checkable

from polynya_games.errors import GameError, IllegalForfeit
from polynya_games.game import State, Step
from polynya_games.randomness import SplitMix64
from polynya_games.refusals import COMMON, refusal
from polynya_games.registry import load
from polynya_games.seats import acting, concealed, legal_steps, seen
from polynya_games.trace import option_value
from polynya_games.turns import play_turn, positions_of_turn

FORFEIT_AFTER = 20
"""With more than two players the last seat forfeits after that many turns, if it still can."""

FORFEIT_AFTER_JOINT_TURNS = 3
"""The same in games with joint turns, which have fewer: it leaves in the turn after those."""


class Event(Protocol):
    """A forfeit (a resignation is one) or, with ``steps``, a turn that a seat played."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1; 0 for a forfeit before the match began."""

    @property
    def seat(self) -> int:
        """The seat that played or forfeited."""


AnyEvent = TypeVar("AnyEvent", bound=Event)


@runtime_checkable
class PlayedTurn(Event, Protocol):
    """A turn that a seat played."""

    @property
    def steps(self) -> Sequence[Any] | None:
        """Its steps, in any form: they are checked. None if they are concealed from the reader."""


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of one step or forfeit.

    Attributes:
        state: the position after it.
        step: the step; None for a forfeit and for a joint turn.
        index: the place of the step in its turn, from 0; None for a forfeit and for a joint turn.
        steps: for a joint turn the step of each seat that played in it.
    """

    state: State
    step: Any = None
    index: int | None = None
    steps: Mapping[int, Any] | None = None


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
        """The seat to move; the least one in a joint turn.

        Raises:
            GameError: the match is over.
        """
        if self.state.to_move is None:
            raise refusal(GameError, COMMON, "over_before")
        return self.state.to_move

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now; none when the match is over."""
        return acting(self.state)

    def follow(self, *events: Event) -> list[Change]:
        """Go on by one transition; whether its number is the next one is not looked at.

        Args:
            events: one event; in a joint turn all forfeits and turns of it, in any order.

        Returns:
            The changes: one for each step of a turn, up to the end of the match; one for a
            forfeit, and one for a joint turn.

        Raises:
            GameError: the events are impossible by the rules, or the steps of one are concealed;
                everything stays as it was.
        """
        event = events[0]
        if len(events) > 1 or (len(self.acting) > 1 and isinstance(event, PlayedTurn)):
            changes = [self._joint(events)]
        elif isinstance(event, PlayedTurn):
            changes = self._turn(event)
        else:
            changes = [self._forfeit(event)]
        self.state = changes[-1].state
        self.turn = event.turn
        return changes

    def follow_all(self, events: Sequence[Event]) -> Iterator[tuple[Sequence[Event], list[Change]]]:
        """Go on by the events of a record, those of a joint turn together.

        Yields:
            The events of each transition, and its changes.

        Raises:
            GameError: as :meth:`follow` does.
        """
        for group in self.transitions(events):
            yield group, self.follow(*group)

    def transitions(self, events: Sequence[AnyEvent]) -> Iterator[list[AnyEvent]]:
        """The events of a record, those of a joint turn together.

        Each group has to be followed before the next one is taken.
        """
        left = [*events]
        while left:
            count = 1
            if len(self.acting) > 1:
                while count < len(left) and left[count].turn == left[0].turn:
                    count += 1
            group, left = left[:count], left[count:]
            yield group

    def _joint(self, events: Sequence[Event]) -> Change:
        if len({event.turn for event in events}) > 1 or len({e.seat for e in events}) < len(events):
            raise refusal(GameError, COMMON, "not_one_turn")
        played = {event.seat: _told(event) for event in events if isinstance(event, PlayedTurn)}
        left = [event.seat for event in events if event.seat not in played]
        after = play_turn(self.state, played, left)
        return Change(after, steps={seat: steps[0] for seat, steps in sorted(played.items())})

    def _turn(self, event: PlayedTurn) -> list[Change]:
        if event.seat != (asked := self.asked):
            raise refusal(GameError, COMMON, "other_seat", asked=asked)
        steps = _told(event)
        positions = positions_of_turn(self.state, steps)
        return [
            Change(state, step, index)
            for index, (state, step) in enumerate(zip(positions, steps, strict=False))
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


def _told(event: PlayedTurn) -> Sequence[Any]:
    if event.steps is None:
        raise refusal(GameError, COMMON, "concealed_steps", seat=event.seat)
    return event.steps


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
    state: State = load(game_name).initial_state(players, seed, options)
    yield json.dumps(head)
    yield from _changes({}, state.to_json())
    yield from _legal(state)
    generator = SplitMix64(seed)
    turns = 0
    while seats := acting(state):
        before = state.to_json()
        leaver = _leaver(state, turns)
        if len(seats) > 1:
            staying = [seat for seat in seats if seat != leaver]
            steps = {seat: _any(legal_steps(state, seat), generator) for seat in staying}
            left = [] if leaver is None else [leaver]
            yield "\n" + "\n".join(
                [f"seat {seat}: {json.dumps(step)}" for seat, step in steps.items()]
                + [f"seat {seat} forfeits" for seat in left]
            )
            state = play_turn(state, {seat: [step] for seat, step in steps.items()}, left)
        elif leaver is None:
            step = _any(state.legal_steps(), generator)
            yield f"\nseat {state.to_move}: {json.dumps(step)}"
            state = state.apply(step)
        else:
            yield f"\nseat {leaver} forfeits"
            state = state.forfeit(leaver)
        turns += state.turn_over
        yield from _changes(before, state.to_json())
        yield from _knowledge(state)
        yield from _legal(state)
    yield from _end(state)


def _any(steps: Sequence[Step], generator: SplitMix64) -> Step:
    return steps[generator.below(len(steps))]


def _knowledge(state: State) -> Iterator[str]:
    """The facts that each seat and the spectators learnt last, and the concealed steps."""
    for seat in (*range(state.players), None):
        name = "spectators" if seat is None else f"seat {seat}"
        for document in seen(state, seat):
            yield f"  {name} learnt {json.dumps(document)}"
        if hidden := concealed(state, seat):
            yield f"  {name} not told the steps of {', '.join(map(str, hidden))}"


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
    after = FORFEIT_AFTER_JOINT_TURNS if len(acting(state)) > 1 else FORFEIT_AFTER
    if turns != after or not state.turn_over or state.players == 2:
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


def _legal(state: State) -> Iterator[str]:
    seats = acting(state)
    for seat in seats or (None,):
        steps = [] if seat is None else legal_steps(state, seat)
        name = f"seat {seat} legal" if len(seats) > 1 else "legal"
        checksum = zlib.crc32(json.dumps(steps).encode())
        yield f"  {name}: {len(steps)} steps, crc32 {checksum:08x}"


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
