"""Says in a sentence where a tournament stands, and which bot leads or has won."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from polynya_store import Progress
from polynya_web.content.texts import Texts
from polynya_web.content.tournaments.table_order import (
    ELIMINATIONS,
    has_winner,
    in_order,
    place_figure,
    share,
)
from polynya_web.content.tournaments.tournament_cache import TournamentSnapshot

MOST_LEADERS = 3
"""More bots that share the first place are no leaders."""

_MINUTE_MS = 60_000
_IN_MINUTES = 90


@dataclass(frozen=True, slots=True)
class Final:
    """The meeting that decided a bracket.

    Attributes:
        round: the name of its round.
        points: of each bot, in the order of the meeting.
        match: the id of its last match; empty if it had none.
    """

    round: str
    points: tuple[tuple[str, float], ...]
    match: str


@dataclass(frozen=True, slots=True)
class Lead:
    """The bots that a tournament's page names before its table.

    Attributes:
        key: of the text before their names: ``champion``, ``leads``, ``finalists``, ``challenger``.
        names: the bots'.
        figure: what they have, in words; empty for nothing.
        final: in a bracket, the meeting that they have won.
    """

    key: str
    names: tuple[str, ...]
    figure: str = ""
    final: Final | None = None


def state_sentence(
    progress: Progress, pace_ms: float | None, t: Texts, *, complete: bool = False
) -> str:
    """The round, the matches in play and the time left; empty before and after a tournament.

    Args:
        progress: how far it has come.
        pace_ms: the mean time between the ends of its matches; None if that is unknown.
        t: the texts of the reader's language.
        complete: whether everything is decided.
    """
    if complete or not (progress.played or progress.in_play):
        return ""
    parts = []
    if progress.rounds:
        number = max(progress.round, 1)
        parts.append(t("tournament.round_of", number=number, rounds=progress.rounds))
    parts.append(
        t.count("tournament.matches_in_play", progress.in_play)
        if progress.in_play
        else t("tournament.none_in_play")
    )
    if pace_ms is not None and progress.in_play:
        parts.append(_left(pace_ms * (progress.to_play - progress.played), t))
    sentence = ", ".join(parts)
    return sentence[:1].upper() + sentence[1:]


def _left(milliseconds: float, t: Texts) -> str:
    minutes = ceil(milliseconds / _MINUTE_MS)
    if minutes <= 1:
        return t("tournament.minute_left")
    if minutes <= _IN_MINUTES:
        return t("tournament.minutes_left", number=minutes)
    return t("tournament.hours_left", number=round(minutes / 60))


def lead_of(found: TournamentSnapshot, t: Texts) -> Lead | None:
    """The bots that lead, or have won; None if there are none, or none may be told."""
    table = found.standings
    if found.hidden_until_ms is not None or not is_placed(found):
        return None
    if table.format in ELIMINATIONS and not table.complete:
        return _finalists(found)
    if table.format == "gauntlet":
        return _challenger(found, t)
    if not has_winner(table):
        return None
    first = tuple(row for row in table.rows if row.place == 1)
    if not 0 < len(first) <= MOST_LEADERS:
        return None
    names = tuple(row.name for row in first)
    if table.complete:
        return Lead("champion", names, place_figure(first[0], t), final_of(found, names))
    return Lead("leads", names, place_figure(first[0], t))


def is_placed(found: TournamentSnapshot) -> bool:
    """Whether the table has places: a match that it shows is decided."""
    return any(row.games or row.walkovers or row.missed for row in found.standings.rows)


def final_of(found: TournamentSnapshot, winners: tuple[str, ...]) -> Final | None:
    """The last meeting that the winners of a bracket played; None in other formats."""
    if found.standings.format not in ELIMINATIONS:
        return None
    for round_ in reversed(found.standings.rounds):
        for meeting in round_.meetings:
            if meeting.note != "bye" and winners and set(winners) <= set(meeting.players):
                boards = found.boards_of(round_.number, meeting.players)
                points = tuple(zip(meeting.players, meeting.points, strict=True))
                return Final(round_.name, points, boards.matches[-1] if boards.matches else "")
    return None


def _finalists(found: TournamentSnapshot) -> Lead | None:
    final = [name for name, stage in found.stages.items() if stage.round.endswith("final")]
    return Lead("finalists", tuple(final)) if len(final) == found.standings.players else None


def _challenger(found: TournamentSnapshot, t: Texts) -> Lead | None:
    rows = in_order(found.standings, found.stages, found.challengers)
    challengers = [row for row in rows if row.name in found.challengers]
    if len(challengers) != 1:
        return None
    part = share(challengers[0], found.standings.players)
    figure = "" if part is None else t("tournament.of_points", share=t.number(100 * part, ".1f"))
    return Lead("challenger", (challengers[0].name,), figure)
