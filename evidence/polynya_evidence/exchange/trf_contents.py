"""Converts a tournament to the contents of a TRF file, or says why the format cannot hold it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from polynya_common.errors import TournamentError
from polynya_contest.pairing.formats import Entrant, PlayedBlock, format_of
from polynya_contest.pairing.formats.interface import by_players, by_round
from polynya_contest.pairing.tie_breaks.opponents import Entry
from polynya_contest.ratings.elo import pair_score
from polynya_evidence.exchange.trf import (
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_RATING,
    NOT_PAIRED,
    TrfEntry,
    TrfPlayer,
    TrfTournament,
)
from polynya_evidence.reports.evidence import evidence_of
from polynya_server.version import version
from polynya_store import Store
from polynya_store.tournaments.recorded_rounds import Recorded

_CODES = {
    "buchholz": "BH",
    "buchholz_cut_1": "BH/C1",
    "buchholz_cut_2": "BH/C2",
    "buchholz_median": "BH/M1",
    "sonneborn_berger": "SB",
    "sonneborn_berger_cut_1": "SB/C1",
    "direct_encounter": "DE",
    "wins": "WIN",
    "second_seat_wins": "BWG",
    "progressive": "PS",
    "koya": "KS",
    "average_rating": "ARO",
    "performance": "TPR",
    "perfect_performance": "PTP",
}
"""Tie-breaks by their acronyms in FIDE's C.07."""

_PLAYED = {1.0: "1", 0.5: "=", 0.0: "0"}
_GIVEN = {1.0: "F", 0.5: "H", 0.0: "Z"}
_INSTEAD = "'polynya results export --format csv' writes every match"


@dataclass(frozen=True, slots=True)
class TrfContents:
    """A tournament, with sentences on the parts that the format cannot hold."""

    tournament: TrfTournament
    notes: tuple[str, ...]


def trf_contents(store: Store, name: str) -> TrfContents:
    """Convert the present state of a Swiss or a round robin with matches of two players.

    Raises:
        StoreError: there is no such tournament.
        TournamentError: the format cannot hold it; the message says why.
    """
    recorded = evidence_of(store, name).recorded()
    description = recorded.description
    _check_kind(name, description)
    swiss = description["format"] == "swiss"
    entries = _swiss(recorded) if swiss else _round_robin(recorded)
    table = store.tournaments.standings(name)
    scores = {row.name: row.figures["score"] if swiss else row.points for row in table.rows}
    ranks = {row.name: row.place or place for place, row in enumerate(table.rows, start=1)}
    players = tuple(
        TrfPlayer(number, one.name, _rating(one.rating), ranks[one.name], tuple(entries[one.name]))
        for number, one in enumerate(recorded.entrants, start=1)
    )
    _check_points(name, players, scores)
    rounds = _rounds(description, players, swiss=swiss)
    settings = description.get(description["format"], {})
    numbers = {player.name: player.number for player in players}
    clock = description["clock"]
    matches = store.matches.find(tournament=name)
    return TrfContents(
        TrfTournament(
            name=name,
            kind=_kind(description, swiss=swiss),
            code=_code(recorded, swiss=swiss),
            rounds=rounds,
            players=players,
            started=_day(min(row.started_ms for row in matches)) if matches else None,
            ended=_day(max(row.finished_ms or 0 for row in matches)) if matches else None,
            dates=_dates((row.block or "", row.started_ms) for row in matches if swiss),
            times=_times(clock),
            coded_times=_coded_times(clock),
            tie_breaks=tuple(_CODES[one] for one in settings.get("tie_breaks", ())),
            forbidden=tuple(
                (numbers[one], numbers[other]) for one, other in settings.get("forbidden", ())
            ),
            byes=tuple(_byes(recorded, numbers, rounds)) if swiss else (),
            program=f"Polynya {version()}",
        ),
        tuple(_notes(recorded, players, swiss=swiss)),
    )


def _check_kind(name: str, description: Mapping[str, Any]) -> None:
    kind, players = description["format"], description["players"]
    if players != 2:
        why = f"its matches have {players} players, and TRF knows games of two"
    elif kind == "double_swiss":
        why = "two matches of a meeting count in it, and TRF has one game of a player in a round"
    elif kind not in ("swiss", "round_robin"):
        why = f"it is a {kind.replace('_', ' ')}, and TRF is for Swiss and round robin tournaments"
    else:
        return
    raise TournamentError(f"{name} cannot be written as TRF: {why}; {_INSTEAD}")


def _swiss(recorded: Recorded) -> dict[str, list[TrfEntry]]:
    """The rounds of each bot: a meeting counts as one game, with the meeting's result."""
    histories = format_of(recorded.description, recorded.entrants).histories(recorded.blocks)
    numbers = {one.name: number for number, one in enumerate(recorded.entrants, start=1)}
    firsts = [
        {met[0].players[0] for met in by_players(blocks).values()}
        for blocks in by_round(recorded.blocks)
    ]

    def entry(bot: str, place: int, found: Entry) -> TrfEntry:
        if found.opponent is None:
            result = "U" if found.kind == "bye" else _GIVEN[found.score]
            return TrfEntry(0, "-", result)
        colour = "w" if bot in firsts[place] else "b"
        if found.kind == "played":
            result = _PLAYED[found.score]
        elif found.score == 0.5:  # each of the two missed as many matches of the meeting
            result = "D"
        else:
            result = "+" if found.score else "-"
        return TrfEntry(numbers[found.opponent], colour, result)

    return {
        bot: [entry(bot, place, found) for place, found in enumerate(entries)]
        for bot, entries in histories.items()
    }


def _round_robin(recorded: Recorded) -> dict[str, list[TrfEntry]]:
    """The rounds of each bot: each match is a game, in the first round that both have free.

    In the order of the schedule these are the rounds of the Berger tables.
    """
    numbers = {one.name: number for number, one in enumerate(recorded.entrants, start=1)}
    entries: dict[str, list[TrfEntry]] = {name: [] for name in numbers}

    def add(names: Sequence[str], results: Sequence[str]) -> None:
        begun = max(len(entries[bot]) for bot in names)
        for bot, other, colour, result in zip(names, names[::-1], "wb", results, strict=True):
            entries[bot] += [NOT_PAIRED] * (begun - len(entries[bot]))
            entries[bot].append(TrfEntry(numbers[other], colour, result))

    for block in recorded.blocks:
        for result in block.results:
            score = pair_score(*result.ranking)
            add(result.names, (_PLAYED[score], _PLAYED[1 - score]))
        for walkover in block.walkovers:
            add(walkover.names, ["-" if n in walkover.missing else "+" for n in walkover.names])
    longest = max(map(len, entries.values()), default=0)
    return {
        bot: [*of_bot, *[NOT_PAIRED] * (longest - len(of_bot))] for bot, of_bot in entries.items()
    }


def _check_points(
    name: str, players: Sequence[TrfPlayer], scores: Mapping[str, float | str | None]
) -> None:
    """Refuse a file whose results do not add up to the table's points."""
    for player in players:
        if player.points != scores[player.name]:
            raise TournamentError(
                f"{name} cannot be written as TRF: the results of {player.name} give "
                f"{player.points:g} points there, and it has {scores[player.name]}; {_INSTEAD}"
            )
        if player.points > MOST_POINTS:
            raise TournamentError(
                f"{name} cannot be written as TRF: {player.name} has {player.points:g} points, "
                f"and TRF holds {MOST_POINTS} at most; {_INSTEAD}"
            )
    if len(players) > MOST_PLAYERS:
        raise TournamentError(
            f"{name} cannot be written as TRF: it has {len(players)} bots, and TRF holds "
            f"{MOST_PLAYERS} at most; {_INSTEAD}"
        )


def _rating(rating: float) -> int | None:
    return round(rating) if 1 <= round(rating) <= MOST_RATING else None


def _rounds(description: Mapping[str, Any], players: Sequence[TrfPlayer], *, swiss: bool) -> int:
    drawn = max((len(player.entries) for player in players), default=0)
    if swiss:
        return int(description["swiss"]["rounds"])
    berger = len(players) - 1 + len(players) % 2
    return max(drawn, 2 * int(description["cycles"]) * berger)


def _kind(description: Mapping[str, Any], *, swiss: bool) -> str:
    game = description["game"]
    if swiss:
        return f"{game}: Swiss system {description['swiss']['system']}, without colours"
    return f"{game}: round robin, {2 * int(description['cycles'])} games of each pair"


def _code(recorded: Recorded, *, swiss: bool) -> str | None:
    """Without colours the Dutch system is one of our own; late entrants leave the Berger tables."""
    if swiss:
        return "CUSTOM_SWISS"
    if any(one.entered_after for one in recorded.entrants):
        return None
    return f"BERGER_ROUNDROBIN_G{2 * int(recorded.description['cycles'])}"


def _times(clock: Mapping[str, int | None]) -> str:
    parts = [
        ("{} ms for the game", clock.get("initial_ms")),
        ("{} ms more after each turn", clock.get("increment_ms")),
        ("at most {} ms a turn", clock.get("move_ms")),
    ]
    return ", ".join(form.format(ms) for form, ms in parts if ms)


def _coded_times(clock: Mapping[str, int | None]) -> str | None:
    """Whole seconds, and the increment; a limit of single turns has no code."""
    initial, increment = clock.get("initial_ms"), clock.get("increment_ms") or 0
    if not initial or clock.get("move_ms") or initial % 1000 or increment % 1000:
        return None
    return f"{initial // 1000}+{increment // 1000}" if increment else str(initial // 1000)


def _dates(started: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """The day on which the first match of each round of a Swiss began, from the keys of blocks."""
    found: dict[int, int] = {}
    for block, at_ms in started:
        number = PlayedBlock(block, ()).round
        found[number] = min(at_ms, found.get(number, at_ms))
    return tuple(_day(at_ms) for _, at_ms in sorted(found.items()))


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y/%m/%d")


def _byes(
    recorded: Recorded, numbers: Mapping[str, int], rounds: int
) -> Iterable[tuple[str, int, int]]:
    """Bots with a requested half-point bye, or absent, in future rounds."""
    wanted = recorded.description["swiss"].get("half_point_byes", {})
    for number in range(max((b.round for b in recorded.blocks), default=0) + 1, rounds + 1):
        for one in recorded.entrants:
            if not one.plays_in(number):
                yield "Z", number, numbers[one.name]
            elif number in wanted.get(one.name, ()):
                yield "H", number, numbers[one.name]


def _notes(recorded: Recorded, players: Sequence[TrfPlayer], *, swiss: bool) -> Iterable[str]:
    if swiss:
        matches = 2 * int(recorded.description["swiss"].get("blocks", 1))
        yield (
            f"each meeting of {matches} matches is written as one game, won by the bot with more "
            "points in it; w is the bot that had the first seat first"
        )
    if recorded.undecided:
        yield f"{recorded.undecided} matches are not decided yet, and are left out"
    results: dict[str, int] = defaultdict(int)
    for player in players:
        for entry in player.entries:
            results[entry.result] += 1
    if results["D"]:
        yield "D is a meeting in which each of the two missed as many matches as the other"
    unrated = _unrated(recorded.entrants)
    if unrated:
        yield f"the ratings of {unrated} bots are none that the format can hold, and are left out"


def _unrated(entrants: Iterable[Entrant]) -> int:
    return sum(_rating(one.rating) is None for one in entrants)
