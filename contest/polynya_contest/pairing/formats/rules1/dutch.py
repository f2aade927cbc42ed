"""Swiss pairing by the FIDE Dutch system (FIDE Handbook C.04.3), as py4swiss implements it.

A meeting is made of blocks, in which both bots have both seats, so there are no colours to balance.
Everybody is entered with the same colours by turns: then no rule about colours prefers one pair to
another, and none forbids one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from py4swiss.trf.results import RoundResult
    from py4swiss.trf.sections import PlayerSection


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's entry for one round.

    Attributes:
        kind: ``played``, ``bye`` (no opponent was left for it), ``walkover`` (one of the two has
            withdrawn) or ``absent``; the latter three are unplayed.
        opponent: the other one, None where there is none.
        score: 1, 1/2 or 0.
    """

    kind: Literal["played", "bye", "walkover", "absent"]
    opponent: str | None
    score: float


class NoPairingError(Exception):
    """No round is possible in which no bot meets the same bot again, or has a second bye."""


def next_pairs(
    histories: Sequence[tuple[str, Sequence[Entry]]], absent: Iterable[str], rounds: int
) -> list[tuple[str, ...]]:
    """The pairs of the next round, and alone the bot that has a bye.

    Args:
        histories: each bot with its rounds so far, in the order of the seeding.
        absent: those who do not play any more.
        rounds: of the whole tournament.

    Raises:
        NoPairingError: none is possible (a tournament of half as many rounds as bots has always
            one, as long as no bot withdraws: Dirac's theorem gives the pairs).
    """
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.sections import XSection

    names = [name for name, _ in histories]
    numbers = {name: number for number, name in enumerate(names, start=1)}
    present = len(names) - len(set(absent))
    if present < 2:
        raise NoPairingError
    table = ParsedTrf(
        player_sections=[_section(numbers, name, entries) for name, entries in histories],
        x_section=XSection(number_of_rounds=rounds, zeroed_ids={numbers[name] for name in absent}),
    )
    try:
        pairs = DutchEngine.generate_pairings(table)
    except PairingError as error:
        raise NoPairingError from error
    return [
        tuple(names[number - 1] for number in (pair.white, pair.black) if number) for pair in pairs
    ]


def _section(numbers: dict[str, int], name: str, entries: Sequence[Entry]) -> PlayerSection:
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.sections import PlayerSection

    played = 0
    results = []
    for entry in entries:
        played += entry.kind == "played"
        results.append(_result(numbers, entry, first=played % 2 == 1))
    return PlayerSection(
        code=PlayerCode.PLAYER,
        starting_number=numbers[name],
        points_times_ten=round(10 * sum(entry.score for entry in entries)),
        rank=numbers[name],
        results=results,
    )


def _result(numbers: dict[str, int], entry: Entry, *, first: bool) -> RoundResult:
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    if entry.opponent is None or entry.kind == "absent":
        token = (
            ResultToken.PAIRING_ALLOCATED_BYE if entry.kind == "bye" else ResultToken.ZERO_POINT_BYE
        )
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token)
    played = {1.0: ResultToken.WIN, 0.5: ResultToken.DRAW, 0.0: ResultToken.LOSS}
    unplayed = {1.0: ResultToken.FORFEIT_WIN, 0.0: ResultToken.FORFEIT_LOSS}
    return RoundResult(
        id=numbers[entry.opponent],
        color=ColorToken.WHITE if first else ColorToken.BLACK,
        result=(played if entry.kind == "played" else unplayed)[entry.score],
    )
