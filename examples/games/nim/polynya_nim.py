"""Nim for 2 to 6 players: the player who takes the last stone wins (polynya_nim_rules.md)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from polynya_games import Game, Option, Outcome, Step, Termination
from polynya_games.boards import EMPTY, Board, Cell, Grid
from polynya_games.encoding import Encoding, chosen, forfeits, listed, seat_parts
from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidOption, InvalidState, describe
from polynya_games.randomness import SplitMix64
from polynya_games.ranking import ranking
from polynya_games.reading import read_choice, read_game, read_integer, read_integers, read_seats
from polynya_games.steps import Forms

HEAPS = 8
STONES = 20
FORMS = Forms({"take": {"heap": int}, "stop": {}})
RULES = {"en": Path(__file__).with_name("polynya_nim_rules.md").read_text(encoding="utf-8")}
KEYS = ("game", "players", "to_move", "heaps", "taking", "winner", "forfeited")


class NimState(msgspec.Struct, frozen=True):
    """A position.

    Attributes:
        players: the number of seats.
        heaps: the stones left in each heap.
        to_move: the seat to move, None when the match is over.
        taking: the heap that the turn under way takes from, None between turns.
        winner: the seat that took the last stone.
        forfeited: the seats that forfeited, in that order.
    """

    players: int
    heaps: tuple[int, ...]
    to_move: int | None = 0
    taking: int | None = None
    winner: int | None = None
    forfeited: tuple[int, ...] = ()

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way."""
        return self.taking is None

    @property
    def outcome(self) -> Outcome | None:
        """The winner has a score of 1 and ranks first, the others share the next rank."""
        if self.to_move is not None:
            return None
        end = Termination.FORFEIT if self.winner is None else Termination.VICTORY
        return Outcome(end, ranking(self.scores, self.forfeited), self.scores)

    @property
    def scores(self) -> tuple[int, ...]:
        """1 for the winner, 0 for the others, and for all as long as there is none."""
        return tuple([int(seat == self.winner) for seat in range(self.players)])

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted."""
        if self.to_move is None:
            return []
        if self.taking is not None:
            return [("stop",), ("take", self.taking)]
        return [("take", heap) for heap, stones in enumerate(self.heaps) if stones]

    def apply(self, step: object) -> NimState:
        """The position after a step of any form, which is checked first."""
        checked = FORMS.read(step)
        if checked not in (legal := self.legal_steps()):
            raise IllegalStep(f"the steps that are legal now are {describe(legal)}")
        return self.apply_legal(checked)

    def apply_legal(self, step: Step) -> NimState:
        """The position after a legal step."""
        if step == ("stop",):
            return self._passed_on()
        heap = int(step[1])
        heaps = (*self.heaps[:heap], self.heaps[heap] - 1, *self.heaps[heap + 1 :])
        if not any(heaps):
            return replace(self, heaps=heaps, to_move=None, taking=None, winner=self.to_move)
        after = replace(self, heaps=heaps, taking=heap)
        return after if heaps[heap] else after._passed_on()

    def _passed_on(self) -> NimState:
        seat = ((self.to_move or 0) + 1) % self.players
        while seat in self.forfeited:
            seat = (seat + 1) % self.players
        return replace(self, to_move=seat, taking=None)

    def forfeit(self, seat: int) -> NimState:
        """The position without a player; the last player is not asked any more."""
        if self.to_move is None or self.taking is not None:
            raise IllegalForfeit("the match is over, or a turn is under way")
        if type(seat) is not int or seat not in range(self.players) or seat in self.forfeited:
            raise IllegalForfeit(f"no seat {describe(seat)} is in the match")
        after = replace(self, forfeited=(*self.forfeited, seat))
        if len(after.forfeited) == self.players - 1:
            return replace(after, to_move=None)
        return after._passed_on() if seat == self.to_move else after

    def to_json(self) -> dict[str, Any]:
        """The state as bots see it (polynya_nim_rules.md)."""
        return {
            "game": "nim",
            "players": self.players,
            "to_move": self.to_move,
            "heaps": list(self.heaps),
            "taking": self.taking,
            "winner": self.winner,
            "forfeited": list(self.forfeited),
        }


class Nim(Game):
    """The game, with the heaps as an option."""

    name = "nim"
    title = "Nim"
    min_players = 2
    max_players = 6
    options = (
        Option("heaps", None, f"the stones in each of 1 to {HEAPS} heaps, 1 to {STONES} each"),
    )
    rules = RULES

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> NimState:
        """The heaps of the option, or else four heaps whose sizes the seed decides."""
        given = dict(options or {})
        self.check_setup(players, seed, given)
        generator = SplitMix64(seed)
        heaps = given.get("heaps", [3 + generator.below(5) for _ in range(4)])
        try:
            state = NimState(players, read_integers(heaps, "heaps", 1, STONES))
            _check(state)
        except InvalidState as error:
            raise InvalidOption(str(error)) from error
        return state

    def state_from_json(self, data: object) -> NimState:
        """The position of a document; what cannot be is refused."""
        document = read_game(data, "nim", KEYS)
        players = read_integer(document["players"], "players", 2, 6)
        seats = (None, *range(players))
        state = NimState(
            players=players,
            heaps=read_integers(document["heaps"], "heaps", 0, STONES),
            to_move=read_choice(document["to_move"], "to_move", seats),
            taking=read_choice(document["taking"], "taking", (None, *range(HEAPS))),
            winner=read_choice(document["winner"], "winner", seats),
            forfeited=read_seats(document["forfeited"], "forfeited", players),
        )
        _check(state)
        return state

    def board_rows(self, document: Mapping[str, Any]) -> list[str]:
        """A row of stones for each heap; a star at the heap that the turn under way takes from."""
        return [
            f"{'*' if heap == document['taking'] else ' '}{heap}  {'o' * stones}".rstrip()
            for heap, stones in enumerate(document["heaps"])
        ]

    def board(self, document: Mapping[str, Any]) -> Board:
        """A row of discs for each heap; the heap that the turn under way takes from is golden."""
        heaps, taking = document["heaps"], document["taking"]
        wide = max(8, *heaps)
        rows = [
            [Cell("gold" if heap == taking else "ice", "disc")] * stones + [EMPTY] * (wide - stones)
            for heap, stones in enumerate(heaps)
        ]
        title = f"the heaps have {', '.join(map(str, heaps))} stones"
        return Grid(rows, row_labels=list(map(str, range(len(heaps)))), title=title)

    def scores_so_far(self, state: NimState) -> tuple[int, ...]:
        """The scores that spectators see while a match runs."""
        return state.scores

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """For those who train bots: an action per heap and one to stop."""
        heaps = range(len(self.setup(players, 0, options).heaps))
        steps: list[Step] = [("stop",), *(("take", heap) for heap in heaps)]
        shown = (listed("heaps", len(heaps), STONES), chosen("taking", heaps), forfeits(players))
        return Encoding(tuple(steps), (*seat_parts(players), *shown))


def _check(state: NimState) -> None:
    """Refuse what no match comes to."""
    stones, gone, taking = any(state.heaps), state.forfeited, state.taking
    going_on = stones and len(gone) < state.players - 1
    if not 1 <= len(state.heaps) <= HEAPS or len(gone) == state.players:
        raise InvalidState(f"there are 1 to {HEAPS} heaps, and one player stays")
    if going_on == (state.to_move is None) or stones == (state.winner is not None):
        raise InvalidState("to_move or winner does not fit the stones and players that are left")
    if state.to_move in gone or state.winner in gone:
        raise InvalidState("who has forfeited neither moves nor wins")
    if taking is not None and not (going_on and state.heaps[taking : taking + 1] > (0,)):
        raise InvalidState("taking is a heap with stones, in a match that goes on")


NIM = Nim()
