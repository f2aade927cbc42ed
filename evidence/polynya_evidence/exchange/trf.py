"""The Tournament Report File (TRF) of FIDE: its values, and the columns of its records.

Source: FIDE Handbook C.04, "Agreed general data exchange format for tournament results", in the
versions of 2016 (TRF16) and 2026 (TRF26). The records of players are the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PLAYER = "001"
MOST_PLAYERS = 9_999
MOST_POINTS = 99.5
MOST_RATING = 9_999
FIRST_ROUND = 91
"""The first column (from 0) of the first round's entry."""

POINTS = {
    "1": 1.0,
    "=": 0.5,
    "0": 0.0,
    "+": 1.0,
    "-": 0.0,
    "W": 1.0,
    "D": 0.5,
    "L": 0.0,
    "H": 0.5,
    "F": 1.0,
    "U": 1.0,
    "Z": 0.0,
}
"""The points of each result: played (1 = 0); forfeits (+ -); played, but not rated (W D L); byes of
half a point, a full one, allocated by the pairing, and of no point (H F U Z)."""


@dataclass(frozen=True, slots=True)
class TrfEntry:
    """A player's entry for one round: the opponent and the result.

    Attributes:
        opponent: its number, 0 without one.
        colour: ``w``, ``b``, or ``-`` without an opponent.
        result: one of :data:`POINTS`.
    """

    opponent: int
    colour: str
    result: str

    def __str__(self) -> str:
        """The eight columns of the entry."""
        return (
            f"{self.opponent:4d} {self.colour} {self.result}"
            if self.opponent
            else (f"0000 {self.colour} {self.result}")
        )


NOT_PAIRED = TrfEntry(0, "-", "Z")


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A player.

    Attributes:
        number: its starting rank, from 1.
        name: at most 33 characters.
        rating: None if it does not fit the format.
        rank: its place.
        entries: by round.
    """

    number: int
    name: str
    rating: int | None
    rank: int
    entries: tuple[TrfEntry, ...]

    @property
    def points(self) -> float:
        """The sum of the points that its results give."""
        return sum(POINTS[entry.result] for entry in self.entries)


@dataclass(frozen=True, slots=True)
class TrfTournament:
    """A tournament as the format describes it.

    Attributes:
        name: its name.
        kind: its type, in words.
        code: the coded type of TRF26; None if there is none for it.
        rounds: the planned number of rounds.
        players: by number.
        started, ended: the days of its first and last match, ``YYYY/MM/DD``; None before it.
        dates: the days of the rounds so far; empty if they are not known.
        times: the time control, in words.
        coded_times: the same as TRF26 codes it; None if it has no code for it.
        tie_breaks: their codes, the weightiest first.
        forbidden: pairs of players' numbers that must not meet.
        byes: of future rounds: the kind (``H`` or ``Z``), the round, and the player's number.
        program: the pairing program.
    """

    name: str
    kind: str
    code: str | None
    rounds: int
    players: tuple[TrfPlayer, ...]
    started: str | None
    ended: str | None
    dates: tuple[str, ...]
    times: str
    coded_times: str | None
    tie_breaks: tuple[str, ...]
    forbidden: tuple[tuple[int, int], ...]
    byes: tuple[tuple[str, int, int], ...]
    program: str


def trf16(found: TrfTournament) -> str:
    """Write the file in the form of 2016, with the usual extensions XXR and XXP."""
    lines = [
        *_tournament_lines(found),
        *map(_player_line, found.players),
        f"XXR {found.rounds}",
        *(f"XXP {one} {other}" for one, other in found.forbidden),
    ]
    return _joined(lines)


def trf26(found: TrfTournament) -> str:
    """Write the file in the form of 2026."""
    order = ",".join(found.tie_breaks)
    coded = [
        ("142", str(found.rounds)),
        ("182", found.program),
        ("192", found.code),
        ("202", order),
        ("212", ",".join(["PTS", *found.tie_breaks])),
        ("222", found.coded_times),
    ]
    lines = [
        *_tournament_lines(found),
        *(f"{tag} {value}" for tag, value in coded if value),
        *map(_player_line, found.players),
        *(f"240 {kind} {number:03d} {player:4d}" for kind, number, player in found.byes),
        *(f"260 001 {found.rounds:03d} {one:4d} {other:4d}" for one, other in found.forbidden),
    ]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line.rstrip()}\r\n" for line in lines)


def _tournament_lines(found: TrfTournament) -> list[str]:
    rated = sum(player.rating is not None for player in found.players)
    lines = [
        f"012 {found.name}",
        *([f"042 {found.started}"] if found.started else []),
        *([f"052 {found.ended}"] if found.ended else []),
        f"062 {len(found.players)}",
        f"072 {rated}",
        "082 0",
        f"092 {found.kind}",
        f"122 {found.times}",
    ]
    if found.dates:
        short = "  ".join(date[2:] for date in found.dates)
        lines.append(f"{'132':<{FIRST_ROUND}}{short}")
    return lines


def _player_line(player: TrfPlayer) -> str:
    rating = "" if player.rating is None else str(player.rating)
    rounds = "".join(f"  {entry}" for entry in player.entries)
    return (
        f"{PLAYER} {player.number:4d} {'':1}{'':3} {player.name:<33} {rating:>4} {'':3} {'':11} "
        f"{'':10} {player.points:4.1f} {player.rank:4d}{rounds}"
    )
