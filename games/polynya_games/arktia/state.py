"""A position of Arktia and what each step makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from polynya_games.arktia.legal_steps import legal_steps
from polynya_games.arktia.muglus import CARRIED, LEFT, LIFTED, MERGED, SINGLE, added, taken_from
from polynya_games.arktia.packing import (
    ALL,
    CELLS,
    CODE,
    CODE_AT,
    CONTROL,
    OCCUPIED,
    PUT,
    keep,
    settle,
)
from polynya_games.arktia.refusals import REFUSALS
from polynya_games.arktia.rules_config import RulesConfig
from polynya_games.arktia.step_check import checked_forfeit, checked_step
from polynya_games.arktia.turn_order import next_placement, next_turn
from polynya_games.arktia.writing import write_state
from polynya_games.errors import IllegalStep
from polynya_games.game import Outcome, Step, Termination
from polynya_games.ranking import ranking
from polynya_games.refusals import refusal


class ArktiaState(msgspec.Struct, frozen=True, gc=False):
    """A position (rules, "State"); masks have one bit per cell or seat.

    Attributes:
        rules: what never changes in the match.
        packed: all stacks, see :mod:`polynya_games.arktia.packing`.
        ice: the mask of the tiles that have not melted.
        reserves: one per seat, see :mod:`polynya_games.arktia.muglus`.
        neutral_reserves: the same of the neutral colour.
        taken: the muglus each seat has taken.
        melted: the tiles each seat has melted.
        out: the mask of the seats that are out.
        forfeited: the seats that forfeited, in that order.
        phase: "neutral", "opening", "main" or "over".
        round: the round of the main phase, from 1; 0 before it.
        to_move: the seat to move, None when the match is over.
        owes: what the seat still has to do in this turn, "keep" or "melt"; None between turns.
    """

    rules: RulesConfig
    packed: int
    ice: int
    reserves: tuple[int, ...]
    neutral_reserves: tuple[int, ...]
    taken: tuple[int, ...]
    melted: tuple[int, ...]
    out: int = 0
    forfeited: tuple[int, ...] = ()
    phase: str = "opening"
    round: int = 0
    to_move: int | None = 0
    owes: str | None = None

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.rules.players

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way."""
        return self.owes is None

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each seat if the match ended now: tiles, muglus taken, tiles melted."""
        controlled = self.packed >> CONTROL
        return tuple(
            (controlled >> CELLS * seat & ALL).bit_count() + taken + melted
            for seat, (taken, melted) in enumerate(zip(self.taken, self.melted, strict=True))
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it goes on."""
        if self.to_move is not None:
            return None
        points = self.points
        return Outcome(self._termination, ranking(points, self.forfeited), points)

    @property
    def _termination(self) -> Termination:
        if len(self.forfeited) == self.players - 1:
            return Termination.FORFEIT
        return Termination.FINISHED if self.out == self.rules.everyone else Termination.LIMIT

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted."""
        return legal_steps(self)

    def to_json(self) -> dict[str, Any]:
        """The document that the rules describe under "State"."""
        return write_state(self)

    def apply(self, step: object) -> ArktiaState:
        """The position after a step; its form and its legality are checked first."""
        return self.apply_legal(checked_step(self, step))

    def apply_legal(self, step: Step) -> ArktiaState:
        """The position after a step that is known to be legal."""
        seat = self.to_move
        if seat is None:
            raise refusal(IllegalStep, REFUSALS, "match_over")
        return _EFFECTS[step[0]](self, seat, step)

    def forfeit(self, seat: int) -> ArktiaState:
        """The position after a seat has forfeited: as if it had retired."""
        leaving = checked_forfeit(self, seat)
        forfeited, out = (*self.forfeited, leaving), self.out | 1 << leaving
        changed = msgspec.structs.replace(self, forfeited=forfeited, out=out)
        if len(forfeited) == self.players - 1 or out == self.rules.everyone:
            return msgspec.structs.replace(changed, phase="over", to_move=None)
        return changed._pass_on(leaving) if leaving == self.to_move else changed

    def _place_neutral(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, kind, cell = step
        packed = self.packed ^ PUT[cell][SINGLE[self.players][kind]]
        held = taken_from(self.neutral_reserves, seat, kind)
        changed = msgspec.structs.replace(self, packed=packed, neutral_reserves=held)
        return changed._pass_on(seat)

    def _place(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, kind, cell = step
        packed = self.packed ^ PUT[cell][SINGLE[seat][kind]]
        reserves = taken_from(self.reserves, seat, kind)
        if self.phase == "main":
            return self._ended(seat, packed, self.ice, reserves, self.taken, self.melted, self.out)
        return msgspec.structs.replace(self, packed=packed, reserves=reserves)._pass_on(seat)

    def _move(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, start, count, goal = step
        packed = self.packed
        code, below = packed >> CODE_AT[start] & CODE, packed >> CODE_AT[goal] & CODE
        merged = MERGED[below][LIFTED[code][count]]
        put_start, put_goal = PUT[start], PUT[goal]
        packed ^= put_start[code] ^ put_start[LEFT[code][count]]
        packed ^= put_goal[below] ^ put_goal[merged]
        if carried := CARRIED[code][count]:
            return self._settled(seat, packed, self.taken, carried)
        if not self.reserves[seat]:
            return self._before_melting(seat, packed, self.taken)
        return self._ended(seat, packed, self.ice, self.reserves, self.taken, self.melted, self.out)

    def _keep(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, colour, cell = step
        groups = self.rules.board.groups(self.packed >> CELLS * colour & ALL)
        group = next(group for group in groups if group >> cell & 1)
        packed, lost = keep(self.packed, colour, group)
        later = [other for other in self.rules.colours if other > colour and other != seat]
        return self._settled(seat, packed, added(self.taken, seat, lost), later)

    def _settled(
        self, seat: int, packed: int, taken: tuple[int, ...], colours: Sequence[int]
    ) -> ArktiaState:
        """After a move: remove what is cut off, then go on to what the turn still needs."""
        packed, lost, owed = settle(self.rules.board, packed, colours)
        taken = added(taken, seat, lost)
        if owed:
            return msgspec.structs.replace(self, packed=packed, taken=taken, owes="keep")
        if not self.reserves[seat]:
            return self._before_melting(seat, packed, taken)
        return self._ended(seat, packed, self.ice, self.reserves, taken, self.melted, self.out)

    def _before_melting(self, seat: int, packed: int, taken: tuple[int, ...]) -> ArktiaState:
        """After a move with an empty reserve: a tile must be melted; a seat that cannot is out."""
        rules, ice = self.rules, self.ice
        if rules.board.meltable(ice) & ~(packed >> OCCUPIED):
            return ArktiaState(
                rules,
                packed,
                ice,
                self.reserves,
                self.neutral_reserves,
                taken,
                self.melted,
                self.out,
                self.forfeited,
                "main",
                self.round,
                seat,
                "melt",
            )
        out = self.out | 1 << seat
        return self._ended(seat, packed, self.ice, self.reserves, taken, self.melted, out)

    def _melt(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        ice, melted = self.ice ^ 1 << step[1], added(self.melted, seat, 1)
        return self._ended(seat, self.packed, ice, self.reserves, self.taken, melted, self.out)

    def _retire(self, seat: int, _step: tuple[Any, ...]) -> ArktiaState:
        out = self.out | 1 << seat
        return self._ended(seat, self.packed, self.ice, self.reserves, self.taken, self.melted, out)

    def _ended(
        self,
        seat: int,
        packed: int,
        ice: int,
        reserves: tuple[int, ...],
        taken: tuple[int, ...],
        melted: tuple[int, ...],
        out: int,
    ) -> ArktiaState:
        """After a turn of the main phase: pass on to the next seat."""
        rules = self.rules
        following, number, out = next_turn(rules, packed, ice, reserves, out, seat, self.round)
        return ArktiaState(
            rules,
            packed,
            ice,
            reserves,
            self.neutral_reserves,
            taken,
            melted,
            out,
            self.forfeited,
            "over" if following is None else "main",
            number,
            following,
        )

    def _pass_on(self, seat: int) -> ArktiaState:
        """Pass the turn on to the seat that follows, in any phase."""
        if self.phase != "main":
            following = next_placement(
                self.rules, self.packed, self.reserves, self.neutral_reserves, self.out
            )
            if following is not None:
                phase, other = following
                return msgspec.structs.replace(self, phase=phase, to_move=other)
            return msgspec.structs.replace(self, round=1)._pass_on_main(-1)
        return self._pass_on_main(seat)

    def _pass_on_main(self, seat: int) -> ArktiaState:
        return self._ended(
            seat, self.packed, self.ice, self.reserves, self.taken, self.melted, self.out
        )


_EFFECTS: dict[int | str, Callable[[ArktiaState, int, Step], ArktiaState]] = {
    "neutral": ArktiaState._place_neutral,
    "place": ArktiaState._place,
    "move": ArktiaState._move,
    "keep": ArktiaState._keep,
    "melt": ArktiaState._melt,
    "retire": ArktiaState._retire,
}
