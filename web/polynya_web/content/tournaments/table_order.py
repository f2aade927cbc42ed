"""The order of a tournament's table as readers see it, with the bots that are still in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polynya_contest.pairing.standings import Round, Standing, Standings
from polynya_web.content.texts import Texts

ELIMINATIONS = ("knockout", "double_elimination")
"""The formats whose rounds are a bracket."""

WITHOUT_WINNER = ("gauntlet", "sprt")
"""The formats that compare bots with challengers, or two versions: no bot wins them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a bot that is still in a bracket has come.

    Attributes:
        round: the name of the round that it plays, or plays next.
        number: of that round.
        losses: the meetings that it has lost.
    """

    round: str
    number: int
    losses: int


@dataclass(frozen=True, slots=True)
class FirstLine:
    """A line of a short table: a bot, and what decides its place.

    Attributes:
        name: the bot's.
        place: from 1; None where there is none, or none yet.
        points: the score or the points that decide; None if something else does.
        share: the share of the possible points, 0 to 1, where that decides; else None.
    """

    name: str
    place: int | None
    points: float | None = None
    share: float | None = None


def has_winner(table: Standings) -> bool:
    """Whether the first of the finished table has won."""
    return table.format not in WITHOUT_WINNER


def share(row: Standing, players: int) -> float | None:
    """The share of the possible points, 0 to 1; None before a match is decided."""
    possible = (row.games + row.walkovers + row.missed) * (players - 1)
    return row.points / possible if possible else None


def place_figure(row: Standing, t: Texts) -> str:
    """The figure that decides a place before all others, in words; empty in a bracket."""
    if "out" in row.figures:
        return ""
    score = row.figures.get("score")
    if isinstance(score, float):
        return t("tournament.with_score", score=t.number(score))
    return t.count(
        "tournament.with_points", 1 if row.points == 1 else 2, points=t.number(row.points)
    )


def first_lines(
    table: Standings, stages: Mapping[str, Stage], challengers: Sequence[str], most: int
) -> tuple[FirstLine, ...]:
    """The first lines of a table in its order, with the figure that decides in its format."""
    return tuple(_line(row, table, stages) for row in in_order(table, stages, challengers)[:most])


def _line(row: Standing, table: Standings, stages: Mapping[str, Stage]) -> FirstLine:
    if table.format == "gauntlet":
        return FirstLine(row.name, None, share=share(row, table.players))
    if table.format in ELIMINATIONS:
        return FirstLine(row.name, None if row.name in stages else row.place)
    score = row.figures.get("score")
    return FirstLine(row.name, row.place, score if isinstance(score, float) else row.points)


def in_order(
    table: Standings, stages: Mapping[str, Stage], challengers: Sequence[str]
) -> tuple[Standing, ...]:
    """The lines of a table in the order that its format gives them.

    In a bracket the bots that are still in come first, the best round first. In a gauntlet the
    challengers come first, then the others by their shares of the points.
    """
    if table.format in ELIMINATIONS:
        return tuple(sorted(table.rows, key=lambda row: _by_stage(row, stages.get(row.name))))
    if table.format == "gauntlet":
        return tuple(
            sorted(
                table.rows,
                key=lambda row: (row.name not in challengers, -(share(row, table.players) or 0)),
            )
        )
    return table.rows


def _by_stage(row: Standing, stage: Stage | None) -> tuple[int, ...]:
    if stage is None:
        return (row.place or 0, 0, 0)
    return (0, stage.losses, -stage.number)


def stages(
    rounds: Sequence[Round], names: Mapping[str, tuple[int, str]], table: Sequence[Standing]
) -> dict[str, Stage]:
    """The stages of the bots that are still in a bracket.

    Args:
        rounds: what has been drawn and played.
        names: of each meeting of the bracket by its id the number and the name of its round.
        table: its lines.
    """
    still_in = {row.name for row in table if row.figures.get("out") == ""}
    losses = dict.fromkeys(still_in, 0)
    found: dict[str, Stage] = {}
    for round_ in rounds:
        for meeting in round_.meetings:
            decided = bool(meeting.advancing)
            lost = [name for name in meeting.players if name not in meeting.advancing]
            for place, name in enumerate((*meeting.advancing, *lost)):
                if name not in still_in:
                    continue
                losses[name] += decided and name in lost
                here = (round_.number, round_.name)
                number, of = names.get(meeting.goes_to[place], here) if decided else here
                found[name] = Stage(of, number, losses[name])
    return found
