"""Formats a report as tables, the same for a terminal and for the page."""

from __future__ import annotations

from dataclasses import dataclass

from polynya_common.text import figure_words, join_words
from polynya_contest.pairing.duplicate_gain import narrowing_words
from polynya_contest.pairing.standings import Standing, Standings
from polynya_contest.pairing.tabulation import (
    figures_after_points,
    ratings_contradict,
    tally,
    tally_note,
)
from polynya_evidence.analysis import Analysis, Interval
from polynya_evidence.analysis.estimates import BY_CHANCE, conspicuous
from polynya_evidence.reports.contents import Report, ScheduledMatch

Cell = str | int | None

INTERVAL = (">95 % from", ">to")
"""The headings of a 95 % interval: two columns, so that each cell is a number."""

_COMPANIONS_NOTE = (
    "Points in each comparison, over what the ratings expect, in blocks with the other bot minus "
    "those in blocks without it. {conspicuous} of {rows} rows differ by two standard errors or "
    "more; where no bot helps another, about {by_chance:.0f} do by chance. A difference has other "
    "causes, too: two styles of play that suit each other, the style of a third bot, a bot that "
    "loses on purpose. It does not show that a bot helps another."
)


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: a word.
        title: above it.
        columns: the headings; a heading that begins with ``>`` has its cells aligned on the right.
        rows: cells by column, None an empty one.
        long: whether it has a line for each match or pair: too long for a terminal.
        note: below it; empty for none.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    long: bool = False
    note: str = ""


def tables(report: Report) -> list[Table]:
    """All tables of a report, in the order in which they are shown."""
    return [
        _standings(report),
        _crosstable(report),
        _superiority(report),
        _seats(report.analysis),
        _forfeits(report),
        _pairs(report.analysis),
        *([_companions(report)] if report.analysis.companions else []),
        _matches(report),
    ]


def headline(report: Report) -> str:
    """The game and the format, and how much of it was played."""
    standings = report.standings
    return (
        f"{standings.game}, {standings.players} players, {standings.format.replace('_', ' ')}: "
        f"{standings.played} of {standings.scheduled} matches played"
    )


_WITHOUT_WINNER = ("gauntlet", "sprt")
_MOST_WINNERS = 3


def winner_sentence(standings: Standings) -> str:
    """The winner of a finished tournament, and what decided; empty if there is none."""
    first = [row for row in standings.rows if row.place == 1]
    has_one = standings.complete and standings.format not in _WITHOUT_WINNER
    if not has_one or not 0 < len(first) <= _MOST_WINNERS:
        return ""
    names = f"Winner{'s' if len(first) > 1 else ''}: {join_words([row.name for row in first])}"
    figures = first[0].figures
    if "out" in figures:
        return names
    score = figures.get("score")
    if isinstance(score, float):
        return f"{names} with a score of {score:g}"
    points = first[0].points
    return f"{names} with {points:g} point{'' if points == 1 else 's'}"


def sandbox_sentence(report: Report) -> str:
    """The sandboxes of the bots that the host has started, in a sentence; empty for no bots."""
    titles = sorted({title for known in report.sandboxes.values() for title in known})
    if not titles:
        return ""
    words = [f"in {title}" if title != "none" else "without a sandbox" for title in titles]
    if len(titles) == 1:
        return f"Bots that the host started ran {words[0]}."
    by_bot = [f"{bot} {join_words(known)}" for bot, known in report.sandboxes.items()]
    return f"Bots that the host started ran {join_words(words)}: {'; '.join(by_bot)}."


def draws(analysis: Analysis) -> str:
    """How often two seats ended level, in a sentence."""
    rate = analysis.draw_rate
    if rate is None:
        return "No match has a result yet."
    return f"Draws: {100 * rate:.1f} % of the comparisons of two seats ended level."


def narrowing_sentence(report: Report) -> str:
    """How much narrower duplicate deals made the intervals, in a sentence; empty if unknown."""
    words = narrowing_words(report.narrowing)
    return f"{words}." if words else ""


def _ends(interval: Interval) -> tuple[str | None, str | None]:
    """Of an interval, in whole Elo; empty where there is none."""
    low, high = interval.low, interval.high
    return None if low is None else _fixed(low), None if high is None else _fixed(high)


def _fixed(value: float, digits: int = 0) -> str:
    """Rounded; what is rounded to 0 has no sign."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _signed_fixed(value: float, digits: int) -> str:
    """Rounded, with its sign; what is rounded to 0 has none."""
    return f"{value:+.{digits}f}" if round(value, digits) else _fixed(0.0, digits)


_OPEN_NOTE = (
    "An interval without an end: the bot won, or lost, nearly all against the bots that are rated "
    "around 1500, so its rating is at least, or at most, the other end."
)


def _standings(report: Report) -> Table:
    estimates = {bot.name: bot for bot in report.analysis.bots}
    rows = report.standings.rows
    figures = [f">{figure.replace('_', ' ')}" for figure in (rows[0].figures if rows else ())]
    counts, after = tally(rows), figures_after_points(rows)
    return Table(
        "standings",
        "Standings",
        (
            *(">place", "bot", *([] if after else figures), ">points"),
            *(figures if after else []),
            *(">rating", *INTERVAL, ">games"),
            *(f">{heading}" for heading in (counts[0] if counts else ())),
            ">online",
        ),
        tuple(
            _standing(row, tuple(count.values()), estimates[row.name].rating, after=after)
            for row, count in zip(rows, counts, strict=True)
        ),
        note=" ".join(
            filter(None, (tally_note(rows), _open_note(report.analysis), _order_note(report)))
        ),
    )


def _open_note(analysis: Analysis) -> str:
    ratings = [bot.rating for bot in analysis.bots]
    return _OPEN_NOTE if any(None in (each.low, each.high) for each in ratings) else ""


_ORDER_NOTE = (
    "Places follow points and tie-breaks; ratings are in another order here: a rating takes into "
    "account how strong the opponents were, in which seats, and only matches that were played."
)


def _order_note(report: Report) -> str:
    """Why a bot has a higher rating than one with a better place; empty if none has."""
    ratings = {bot.name: bot.rating.value for bot in report.analysis.bots}
    return _ORDER_NOTE if ratings_contradict(report.standings.rows, ratings) else ""


def _standing(
    row: Standing, counts: tuple[Cell, ...], rating: Interval, *, after: bool
) -> tuple[Cell, ...]:
    """The line of a bot; ``after`` says whether its figures stand behind the points."""
    figures = [figure_words(value) for value in row.figures.values()]
    points = f"{row.points:g}"
    by = [points, *figures] if after else [*figures, points]
    estimate = (_fixed(rating.value), *_ends(rating))
    place = figure_words(row.place)
    return place, row.name, *by, *estimate, row.games, *counts, _online(row.rating)


def _online(rating: float) -> str:
    """In whole points where these are Elo's; OpenSkill's are fewer."""
    return _fixed(rating, 0 if abs(rating) >= 100 else 1)


def _crosstable(report: Report) -> Table:
    names = [row.name for row in report.standings.rows]
    scores = {
        (pair.bot, pair.opponent): f"{pair.points:g} of {pair.comparisons}"
        for pair in report.analysis.pairs
    }
    return Table(
        "crosstable",
        "Crosstable: points of possible points",
        (">", "bot", *(f">{number}" for number in range(1, len(names) + 1))),
        tuple(
            (number, name, *(scores.get((name, other)) for other in names))
            for number, name in enumerate(names, start=1)
        ),
    )


def analysis_tables(analysis: Analysis) -> list[Table]:
    """The tables of an analysis alone, without a tournament's standings."""
    return [_ratings(analysis), _seats(analysis), _pairs(analysis)]


def _ratings(analysis: Analysis) -> Table:
    return Table(
        "ratings",
        "Ratings",
        (">", "bot", ">rating", *INTERVAL, ">points", ">expected", ">of"),
        tuple(
            (
                *(number, bot.name, _fixed(bot.rating.value), *_ends(bot.rating)),
                *(f"{bot.points:g}", _fixed(bot.expected, 1), bot.comparisons),
            )
            for number, bot in enumerate(analysis.bots, start=1)
        ),
        note=_open_note(analysis),
    )


def _superiority(report: Report) -> Table:
    names = [row.name for row in report.standings.rows]
    index = {bot.name: number for number, bot in enumerate(report.analysis.bots)}
    found = report.analysis.superiority
    return Table(
        "superiority",
        "Probability that the bot of the line is stronger than that of the column, in per cent",
        (">", "bot", *(f">{number}" for number in range(1, len(names) + 1))),
        tuple(
            (
                number,
                name,
                *(
                    None if name == other else _percent(found[index[name]][index[other]])
                    for other in names
                ),
            )
            for number, name in enumerate(names, start=1)
        ),
    )


def _percent(probability: float) -> str:
    """Never 0 or 100: nothing is that sure."""
    return f"{min(max(100 * probability, 0.1), 99.9):.1f}"


def _seats(analysis: Analysis) -> Table:
    return Table(
        "seats",
        "Seats: the value of each, over the mean of all",
        (">seat", ">Elo", *INTERVAL, ">points won"),
        tuple(
            (
                seat.seat,
                _signed_fixed(seat.advantage.value, 0),
                *_signed_ends(seat.advantage),
                None if seat.score is None else f"{100 * seat.score:.1f} %",
            )
            for seat in analysis.seats
        ),
    )


def _signed_ends(interval: Interval) -> tuple[str | None, ...]:
    return tuple(
        None if end is None else _signed_fixed(end, 0) for end in (interval.low, interval.high)
    )


def _forfeits(report: Report) -> Table:
    return Table(
        "forfeits",
        "Forfeits",
        ("match", "bot", ">seat", "reason", "what happened"),
        tuple((f.match, f.bot, f.seat, f.reason, str(f.detail)) for f in report.forfeits),
    )


def _pairs(analysis: Analysis) -> Table:
    return Table(
        "pairs",
        "Scored against expected, by pairs",
        ("bot", "opponent", ">points", ">expected", ">difference", ">possible"),
        tuple(
            (
                *(pair.bot, pair.opponent, f"{pair.points:g}", _fixed(pair.expected, 1)),
                *(_signed_fixed(pair.points - pair.expected, 1), pair.comparisons),
            )
            for pair in analysis.pairs
        ),
        long=True,
    )


def _companions(report: Report) -> Table:
    found = report.analysis.companions
    return Table(
        "companions",
        "Companions: points more against third parties when both sit in the match",
        ("bot", "with", ">points more", ">standard error", ">blocks"),
        tuple(
            (
                one.bot,
                one.companion,
                _signed_fixed(one.surplus, 3),
                _fixed(one.error, 3),
                one.blocks,
            )
            for one in found
        ),
        long=True,
        note=_COMPANIONS_NOTE.format(
            conspicuous=conspicuous(found), rows=len(found), by_chance=BY_CHANCE * len(found)
        ),
    )


def _matches(report: Report) -> Table:
    return Table(
        "matches",
        "All matches",
        (
            *(">number", "match", "bots by seat", "ranks", "scores"),
            *("online after it", ">seed", "state"),
        ),
        tuple(_match(pairing) for pairing in report.pairings),
        long=True,
    )


def _match(pairing: ScheduledMatch) -> tuple[Cell, ...]:
    state = f"{pairing.state}: {pairing.detail}" if pairing.detail else pairing.state
    return (
        *(pairing.number, pairing.match, " - ".join(pairing.players)),
        *(_joined(pairing.ranking), _joined(pairing.scores)),
        " - ".join(_online(step.after.rating) for step in pairing.online),
        *(pairing.seed or "secret until all with it are played", state),
    )


def _joined(numbers: tuple[int, ...] | None) -> str:
    return " - ".join(str(number) for number in numbers or ())
