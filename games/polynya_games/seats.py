"""The choices and the knowledge of each seat, with the defaults of games that hide nothing.

The server, the tools and the tests ask a position through these functions, so that a game may
leave out each optional member of :class:`~polynya_games.game.State`. In each of them ``seat`` is
a seat's number; in those about knowledge None stands for the spectators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polynya_games.game import State, Step

Audience = int | None
"""A seat, or None for the spectators."""


def acting(state: State) -> tuple[int, ...]:
    """The seats that choose now, in ascending order; none exactly when the match is over."""
    seats: tuple[int, ...] | None = getattr(state, "acting", None)
    if seats is not None:
        return seats
    return () if state.to_move is None else (state.to_move,)


def staying(state: State) -> tuple[int, ...]:
    """The seats that can still forfeit, in ascending order.

    These are all that have not forfeited. In a game whose rules put seats out of the match, such
    as snakes that die, the state has an attribute ``staying`` without those seats.
    """
    seats: tuple[int, ...] | None = getattr(state, "staying", None)
    if seats is not None:
        return seats
    gone = state.forfeited
    return tuple([seat for seat in range(state.players) if seat not in gone])


def has_joint_turns(state: State) -> bool:
    """Whether positions of this kind can have joint turns."""
    return hasattr(state, "apply_joint")


def shows_everything(state: State) -> bool:
    """Whether nothing is hidden in positions of this kind, and one seat chooses at a time."""
    return not hasattr(state, "view") and not has_joint_turns(state)


def legal_steps(state: State, seat: int) -> list[Step]:
    """The legal steps of one seat, sorted; none if it does not act."""
    if seat not in acting(state):
        return []
    if has_joint_turns(state):
        of_seat: Any = state
        steps: list[Step] = of_seat.legal_steps(seat)
        return steps
    return state.legal_steps()


def view(state: State, seat: Audience) -> dict[str, Any]:
    """The document that a seat may know, or the spectators while the match runs."""
    own = getattr(state, "view", None)
    document: dict[str, Any] = state.to_json() if own is None else own(seat)
    return document


def seen(state: State, seat: Audience) -> list[dict[str, Any]]:
    """The facts that a seat learnt by the last turn, beyond the steps it was told."""
    own = getattr(state, "seen", None)
    return [] if own is None else list(own(seat))


def concealed(state: State, seat: Audience) -> tuple[int, ...]:
    """The seats whose steps of the last turn are not told to a seat; never its own."""
    own = getattr(state, "concealed", None)
    return () if own is None else tuple(own(seat))


def guess(state: State, seat: Audience, seed: int) -> State | None:
    """A random whole position that agrees with all that a seat knows; None if there is none.

    A game that hides nothing has one guess, the position itself.
    """
    own = getattr(state, "guess", None)
    if own is not None:
        guessed: State | None = own(seat, seed)
        return guessed
    return None if hasattr(state, "view") else state


@dataclass(frozen=True, slots=True)
class SeatState:
    """The knowledge that one seat has of a position, as the wire tells it.

    It is no position: nothing here asks what is legal or plays a step, because ``view`` may lack
    what the rules need. Bots, pages and tests that stand for one seat hold this and nothing else.

    Attributes:
        seat: the seat, None for the spectators.
        view: the document that the seat may know.
        acting: the seats that choose now, ascending; none when the match is over.
        seen: what the seat learnt by the last turn beyond the steps it was told.
        concealed: the seats whose steps of the last turn it was not told.
    """

    seat: Audience
    view: Mapping[str, Any]
    acting: tuple[int, ...] = ()
    seen: tuple[Mapping[str, Any], ...] = ()
    concealed: tuple[int, ...] = ()

    @classmethod
    def of(cls, state: State, seat: Audience) -> SeatState:
        """The knowledge of a seat, taken from a position that is known completely."""
        return cls(
            seat,
            view(state, seat),
            acting(state),
            tuple(seen(state, seat)),
            concealed(state, seat),
        )

    @classmethod
    def from_wire(
        cls,
        seat: Audience,
        state: Mapping[str, Any],
        acting: Sequence[int] = (),
        seen: Sequence[Mapping[str, Any]] = (),
    ) -> SeatState:
        """From the values of the keys ``state``, ``acting`` and ``seen`` of the protocol."""
        return cls(seat, state, tuple(acting), tuple(seen))

    @property
    def acts(self) -> bool:
        """Whether the seat itself chooses now."""
        return self.seat in self.acting
