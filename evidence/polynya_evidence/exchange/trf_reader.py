"""The games of a TRF file as matches; of all that it says, names, dates and results are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn

from polynya_common.errors import TournamentError
from polynya_evidence.exchange.trf import FIRST_ROUND, PLAYER, POINTS, ROUND_WIDTH
from polynya_games import GameError, load
from polynya_protocol.errors import printable
from polynya_protocol.names import replace_invalid
from polynya_store.imports.foreign_match import ForeignMatch, ForeignSeat

_RANKS = {
    ("1", "0"): (1, 2),
    ("0", "1"): (2, 1),
    ("=", "="): (1, 1),
    ("0", "0"): (1, 1),
    ("W", "L"): (1, 2),
    ("L", "W"): (2, 1),
    ("D", "D"): (1, 1),
}
"""The ranks of white and black, by their results."""
_BOTH_LOST = ("0", "0")
"""By a decision of the arbiter: there is nothing to rate."""

_NOT_PLAYED = "+-HFUZ"
_NOT_RATED = "WDL"
_LONGEST_ROUNDS = 1_000
_DATE = re.compile(r"(?:(\d{4})|(\d{2}))[/.-](\d{1,2})[/.-](\d{1,2})")
_SECOND_MS = 1_000


@dataclass(slots=True)
class _Entry:
    """One round in a line: the opponent's number, the colour and the result."""

    opponent: int
    colour: str
    result: str


@dataclass(slots=True)
class _Player:
    """A line of a player: where it stands, the name, and the rounds."""

    line: int
    name: str
    entries: list[_Entry]


@dataclass(slots=True)
class TrfGames:
    """The contents of a file.

    Attributes:
        matches: the games, in the order of the rounds.
        forfeits, byes: how many rounds of players had no game because of these.
    """

    matches: list[ForeignMatch] = field(default_factory=list)
    forfeits: int = 0
    byes: int = 0

    @property
    def left_out(self) -> list[str]:
        """The entries that are no match, in sentences."""
        found = [
            (self.forfeits, "forfeits without a game (+ and -)"),
            (self.byes, "byes and absences (H, F, U and Z)"),
        ]
        return [f"{number} {what}" for number, what in found if number]


def read_trf(text: str, source: str, game: str, day: str | None = None) -> TrfGames:
    """The games of a file, each at its time: the day of its round, and one second later a round.

    Args:
        text: the file.
        source: what it is called in errors.
        game: what was played; the file does not say it.
        day: the day of those rounds whose day the file does not say.

    Raises:
        TournamentError: the message names the line.
    """
    return _Reader(text, source, day).games(game)


class _Reader:
    """One reading."""

    def __init__(self, text: str, source: str, day: str | None) -> None:
        self._source = source
        self._name = ""
        self._days: list[str] = []
        self._day = day
        self._players: dict[int, _Player] = {}
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
            self._line(number, line.rstrip())

    def games(self, game: str) -> TrfGames:
        """See :func:`read_trf`."""
        try:
            least = load(game).min_players
        except GameError as error:
            raise TournamentError(f"--game: {error}") from error
        if least > 2:
            raise TournamentError(f"--game: {game} is for {least} players or more, TRF for two")
        if not self._players:
            raise TournamentError(
                f"{self._source} has no players: a line of TRF that begins with 001 is one"
            )
        found = TrfGames()
        rounds = max(len(player.entries) for player in self._players.values())
        for place in range(rounds):
            for number in sorted(self._players):
                self._add(found, game, number, place)
        return found

    def _line(self, number: int, line: str) -> None:
        tag, value = line[:3], line[4:].strip()
        if tag == "012":
            self._name = value
        elif tag == "042" and not self._day:
            self._day = value
        elif tag == "132":
            self._days = line[FIRST_ROUND:].split() or value.split()
        elif tag == PLAYER:
            self._player(number, line)

    def _player(self, line: int, text: str) -> None:
        start = text[4:8].strip()
        if not start.isascii() or not start.isdecimal() or int(start) == 0:
            self._refuse(line, f"columns 5-8 hold the starting rank, not {start!r}")
        number = int(start)
        if number in self._players:
            self._refuse(line, f"the starting rank {number} occurs twice")
        name = text[14:47].strip()
        if not name:
            self._refuse(line, "columns 15-47 hold the name, and are empty")
        if len(text) > FIRST_ROUND + ROUND_WIDTH * _LONGEST_ROUNDS:
            self._refuse(line, f"it has more than {_LONGEST_ROUNDS} rounds")
        entries = [
            self._entry(line, text[begin : begin + 8], begin + 1)
            for begin in range(FIRST_ROUND, len(text), ROUND_WIDTH)
        ]
        self._players[number] = _Player(line, name, entries)

    def _entry(self, line: int, text: str, column: int) -> _Entry:
        opponent, colour, result = text[:4].strip(), text[5:6].strip(), text[7:8].strip().upper()
        where = f"columns {column}-{column + 7}"
        if opponent and not (opponent.isascii() and opponent.isdecimal()):
            self._refuse(line, f"{where}: {opponent!r} is no starting rank of an opponent")
        if result and result not in POINTS:
            self._refuse(line, f"{where}: {result!r} is no result; there are {' '.join(POINTS)}")
        return _Entry(int(opponent or 0), colour.lower(), result or "Z")

    def _add(self, found: TrfGames, game: str, number: int, place: int) -> None:
        """The game of a player in a round, told by white's line."""
        player = self._players[number]
        entry = player.entries[place] if place < len(player.entries) else _Entry(0, "", "Z")
        if not entry.opponent or entry.result in _NOT_PLAYED:
            found.forfeits += entry.result in "+-"
            found.byes += entry.result not in "+-"
            return
        other = self._opponent(player, number, entry, place)
        if entry.colour == "b":
            return
        said = (entry.result, other.result)
        ranks = _RANKS.get(said)
        if ranks is None:
            self._refuse(
                player.line,
                f"round {place + 1}: the results {entry.result} and {other.result} of the two "
                "players do not go together",
            )
        opponent = self._players[entry.opponent]
        at_ms = self._time(player.line, place)
        there = f"{replace_invalid(self._name)[:32]}-{place + 1}-{number}-{entry.opponent}"
        found.matches.append(
            ForeignMatch(
                there=there,
                game=game,
                seats=(ForeignSeat(player.name, ranks[0]), ForeignSeat(opponent.name, ranks[1])),
                finished_ms=at_ms,
                started_ms=at_ms,
                place=f"{self._source}, line {player.line}",
                rated=entry.result not in _NOT_RATED and said != _BOTH_LOST,
            )
        )

    def _opponent(self, player: _Player, number: int, entry: _Entry, place: int) -> _Entry:
        """The other one's entry of the same game; refused if the two say different things."""
        other = self._players.get(entry.opponent)
        said = other.entries[place] if other and place < len(other.entries) else None
        if said is None or said.opponent != number or entry.opponent == number:
            self._refuse(
                player.line,
                f"round {place + 1}: the line of player {entry.opponent} does not say that it met "
                f"player {number}",
            )
        if {entry.colour, said.colour} != {"w", "b"}:
            self._refuse(
                player.line, f"round {place + 1}: one of the two players has w, the other one b"
            )
        return said

    def _time(self, line: int, place: int) -> int:
        day = self._days[place] if place < len(self._days) else self._day
        if day is None:
            self._refuse(
                line,
                f"round {place + 1} has no day: the file has neither a line 132 nor a line 042; "
                "--date gives it",
            )
        found = _DATE.fullmatch(day)
        try:
            year, short, month, day_of_month = found.groups() if found else ("", "", "", "")
            at = datetime(int(year or f"20{short}"), int(month), int(day_of_month), tzinfo=UTC)
        except ValueError:
            self._refuse(line, f"round {place + 1}: {day!r} is no day such as 2026/11/25")
        return int(at.timestamp()) * 1000 + place * _SECOND_MS

    def _refuse(self, line: int, why: str) -> NoReturn:
        raise TournamentError(printable(f"{self._source}, line {line}: {why}", limit=1_000))
