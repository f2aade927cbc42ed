"""Events of a match, as immutable values read from the server's messages.

Keys that this version does not know are ignored, keys whose value is absent may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, NamedTuple, TypeVar

from polynya_client.errors import BadMessage

Step = list[Any]
"""A verb and its arguments: ``["move", 12, 40]``."""
Steps = Sequence[Sequence[Any]]
"""The steps of a turn as a bot gives them: lists or tuples."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Player:
    """The player at a seat; ``rating`` is None for a bot without one."""

    seat: int
    name: str
    rating: float | None


@dataclass(frozen=True, slots=True)
class Clock:
    """The time limits of a match in ms, None where there is no such limit.

    Attributes:
        initial_ms: a player's budget for the whole match.
        increment_ms: what is added to it after each of their turns.
        move_ms: the cap of every single turn.
    """

    initial_ms: int | None
    increment_ms: int | None
    move_ms: int | None


class Legal(NamedTuple):
    """After the first steps of a turn: the legal steps, and whether the turn is over."""

    steps: list[Step]
    turn_over: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A turn that was played.

    Attributes:
        turn: its number in the match, from 1.
        seat: who played it.
        steps: the whole turn; None if its steps are concealed from us.
        elapsed_ms: the time it was charged.
        remaining_ms: each seat's budget after it, None without one.
        acting: the seats that are asked next, in matches with joint turns or hidden parts; None
            elsewhere, and before the last event of a turn.
        seen: what we learnt by the turn beyond the steps that we were told.
        message: the server's message, with keys that this version does not know.
    """

    turn: int
    seat: int
    steps: list[Step] | None
    elapsed_ms: int
    remaining_ms: list[int | None]
    acting: list[int] | None = None
    seen: Sequence[Mapping[str, Any]] = ()
    message: Mapping[str, Any] = attribute(default_factory=dict, repr=False, compare=False)

    @property
    def concealed(self) -> bool:
        """Whether the steps are kept from us, in a match with hidden parts."""
        return self.steps is None


@dataclass(frozen=True, slots=True)
class Forfeited:
    """A seat has forfeited.

    Attributes:
        seat: who.
        reason: the protocol's word.
        detail: a sentence.
        turn: the number of the turn, in matches with joint turns or hidden parts; None elsewhere.
        acting: as in :class:`Moved`.
        seen: as in :class:`Moved`.
        message: the server's message.
    """

    seat: int
    reason: str
    detail: str
    turn: int | None = None
    acting: list[int] | None = None
    seen: Sequence[Mapping[str, Any]] = ()
    message: Mapping[str, Any] = attribute(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The result.

    Attributes:
        reason: ``finished``, ``forfeit``, ``aborted`` or ``annulled``.
        ranking: the rank of each seat, 1 the best; None without a result.
        scores: the score of each seat; None without a result.
        detail: a sentence where more is to be said.
        replay: the id under which the server keeps the replay.
        ratings: ``name -> (before, after)`` for the ratings that changed; None for a bot that has
            no rating then.
        deal: what the match's chance followed from, in hexadecimal; None without hidden chance.
        message: the server's message.
    """

    reason: str
    ranking: list[int] | None
    scores: list[int] | None
    detail: str | None
    replay: str | None
    ratings: dict[str, tuple[float | None, float | None]]
    deal: str | None = None
    message: Mapping[str, Any] = attribute(default_factory=dict, repr=False, compare=False)


def field(message: Mapping[str, Any], key: str, kind: type[T]) -> T:
    """The value under ``key``.

    Raises:
        BadMessage: it is absent, or of another type.
    """
    value = message.get(key)
    if type(value) is not kind:
        raise BadMessage(
            f"the server's {message.get('type', 'map')!r} has no {kind.__name__} under {key!r}"
        )
    return value


def optional(message: Mapping[str, Any], key: str, kind: type[T]) -> T | None:
    """The value under ``key``, None if it is absent or nil."""
    return None if message.get(key) is None else field(message, key, kind)


def read_players(message: Mapping[str, Any]) -> tuple[Player, ...]:
    """The players of ``match_start`` and ``match_resume``, by seat."""
    return tuple(
        Player(field(player, "seat", int), field(player, "name", str), player.get("rating"))
        for player in field(message, "players", list)
    )


def read_clock(message: Mapping[str, Any]) -> Clock:
    """The clock of ``match_start`` and ``match_resume``."""
    clock = field(message, "clock", dict)
    return Clock(
        optional(clock, "initial_ms", int),
        optional(clock, "increment_ms", int),
        optional(clock, "move_ms", int),
    )


def read_moved(message: Mapping[str, Any]) -> Moved:
    """The event of ``moved``."""
    return Moved(
        turn=field(message, "turn", int),
        seat=field(message, "seat", int),
        steps=optional(message, "steps", list),
        elapsed_ms=field(message, "elapsed_ms", int),
        remaining_ms=field(message, "remaining_ms", list),
        acting=optional(message, "acting", list),
        seen=optional(message, "seen", list) or (),
        message=message,
    )


def read_forfeited(message: Mapping[str, Any]) -> Forfeited:
    """The event of ``forfeited``."""
    return Forfeited(
        seat=field(message, "seat", int),
        reason=field(message, "reason", str),
        detail=field(message, "detail", str),
        turn=optional(message, "turn", int),
        acting=optional(message, "acting", list),
        seen=optional(message, "seen", list) or (),
        message=message,
    )


def read_match_over(message: Mapping[str, Any]) -> MatchOver:
    """The event of ``match_over``."""
    return MatchOver(
        reason=field(message, "reason", str),
        ranking=optional(message, "ranking", list),
        scores=optional(message, "scores", list),
        detail=optional(message, "detail", str),
        replay=optional(message, "replay", str),
        ratings={
            field(change, "name", str): (change.get("before"), change.get("after"))
            for change in optional(message, "ratings", list) or []
        },
        deal=optional(message, "deal", str),
        message=message,
    )


def read_legal(message: Mapping[str, Any]) -> Legal:
    """The answer of ``legal``."""
    return Legal(field(message, "legal", list), field(message, "turn_over", bool))
