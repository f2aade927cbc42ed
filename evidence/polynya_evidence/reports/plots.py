"""The drawings of a report, each for wide pages and for telephones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from polynya_evidence.analysis import BotEstimate
from polynya_evidence.reports.contents import ScheduledMatch
from polynya_evidence.reports.svg import COLOURS, Drawing, text_width

MOST_LINES = 20
"""The most bots whose ratings are drawn over time: more lines cannot be told apart."""

WIDE, NARROW = 900.0, 360.0
"""Widths of the drawings, in pixels."""

_ROW = 24.0
_LABEL_ROW = 18.0
_AXIS = 46.0
_EDGE = 6.0
_TICK_EDGE = 14.0
_TICK_SPACE = 60.0
_HISTORY = 400.0
_MOST_NAME = 0.35
"""Heights of a bot's line, a label's, and the axis with its name; what stays free at an edge,
beside the last tick, and between two ticks at least; the height of the ratings over time; a name's
largest share of the width."""

RATINGS_TITLE = "Ratings with 95 % intervals"
HISTORY_TITLE = "Online ratings, match by match"


def ratings_plot(bots: Sequence[BotEstimate], width: float = WIDE) -> bytes:
    """A line for each bot, the strongest on top: a dot for its rating, a bar for its interval.

    An end that results do not bound is dotted.
    """
    names = _label_width([bot.name for bot in bots], width)
    numbers = text_width("0000") + 4
    scale = _Scale.over(_bounds(bots), names + 2 * _EDGE + 4, width - numbers - _EDGE)
    bottom = _EDGE + _ROW * len(bots)
    drawing = Drawing(width, bottom + _AXIS, RATINGS_TITLE)
    _ticks_below(drawing, scale, _EDGE, bottom, "rating in Elo, with 95 % interval")
    for number, bot in enumerate(bots):
        height = _EDGE + _ROW * (number + 0.5)
        drawing.text((names + _EDGE, height), bot.name, anchor="end", most=names)
        _interval(drawing, scale, bot, height)
        rating = f"{bot.rating.value:.0f}"
        drawing.text((width - _EDGE, height), rating, anchor="end", kind="number")
    return drawing.encoded()


def _interval(drawing: Drawing, scale: _Scale, bot: BotEstimate, height: float) -> None:
    here = scale.at(bot.rating.value)
    for end, edge in ((bot.rating.low, scale.start), (bot.rating.high, scale.end)):
        if end is None:
            drawing.line((here, height), (edge, height), "value", stroke_dasharray="2 4")
            continue
        there = scale.at(end)
        drawing.line((here, height), (there, height), "value", stroke_width="2.5")
        drawing.line((there, height - 4), (there, height + 4), "value", stroke_width="1.5")
    drawing.dot((here, height), 4.5, "value")


def _bounds(bots: Sequence[BotEstimate]) -> list[float]:
    ends = [
        end
        for bot in bots
        for end in (bot.rating.low, bot.rating.value, bot.rating.high)
        if end is not None
    ]
    open_below = any(bot.rating.low is None for bot in bots)
    open_above = any(bot.rating.high is None for bot in bots)
    return [min(ends) - 50 * open_below, max(ends) + 50 * open_above]


def history_plot(
    names: Sequence[str], pairings: Sequence[ScheduledMatch], width: float = WIDE
) -> bytes:
    """The online ratings after each match, of the first ``MOST_LINES`` bots of ``names``.

    The names stand at the ends of the lines on a wide page, and below the drawing on a narrow one.
    """
    courses = _courses(pairings)
    shown = [name for name in names if name in courses][:MOST_LINES]
    ratings = [rating for name in shown for rating in courses[name][1]]
    beside = width >= WIDE
    labels = _label_width(shown, width) + 28 if beside else 0.0
    bottom = max(_HISTORY, 2 * _EDGE + _LABEL_ROW * len(shown)) if beside else _HISTORY * 0.7
    left = max(text_width(f"{rating:.0f}") for rating in ratings) + 2 * _EDGE
    across = _Scale(0, _last(pairings), left, width - max(labels, _TICK_EDGE) - _EDGE)
    upwards = _Scale.over(ratings, bottom, 22)
    height = bottom + _AXIS + (0 if beside else _LABEL_ROW * len(shown))
    drawing = Drawing(width, height, HISTORY_TITLE)
    _ticks_left(drawing, upwards, across, "online rating in Elo")
    _ticks_below(drawing, across, upwards.end, bottom, "number of the match")
    for number, name in enumerate(shown):
        drawing.path(
            _steps(across, upwards, *courses[name]), _colour(number), **_stroke(number, "1.6")
        )
    if beside:
        last = [upwards.at(courses[name][1][-1]) for name in shown]
        _labels_beside(drawing, shown, last, across.end, (_EDGE, bottom))
    else:
        _labels_below(drawing, shown, left, bottom + _AXIS)
    return drawing.encoded()


def _labels_beside(
    drawing: Drawing,
    names: Sequence[str],
    last: Sequence[float],
    edge: float,
    between: tuple[float, float],
) -> None:
    """The names at the right of the lines' ends, as near to these as their number lets them be."""
    order = sorted(range(len(names)), key=lambda number: (last[number], number))
    heights = _apart([last[number] for number in order], *between)
    for number, height in zip(order, heights, strict=True):
        line = [(edge, last[number]), (edge + 16, height), (edge + 24, height)]
        drawing.path(line, _colour(number), **_stroke(number, "1.2"))
        drawing.text((edge + 28, height), names[number], most=WIDE * _MOST_NAME)


def _labels_below(drawing: Drawing, names: Sequence[str], left: float, top: float) -> None:
    for number, name in enumerate(names):
        height = top + _LABEL_ROW * (number + 0.5)
        drawing.line((left, height), (left + 26, height), _colour(number), **_stroke(number, "2"))
        drawing.text((left + 34, height), name, most=NARROW - left - 34 - _EDGE)


def _apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights for labels in order, a line apart, each as near to its wish as the others let it."""
    heights: list[float] = []
    for number, height in enumerate(wanted):
        least = heights[-1] + _LABEL_ROW if heights else top + _LABEL_ROW / 2
        most = bottom - _LABEL_ROW * (len(wanted) - number - 0.5)
        heights.append(min(max(height, least), most))
    return heights


def _steps(
    across: _Scale, upwards: _Scale, numbers: Sequence[int], ratings: Sequence[float]
) -> list[tuple[float, float]]:
    """A rating stays until the bot's next match."""
    points = [(across.at(numbers[0]), upwards.at(ratings[0]))]
    for number, rating in zip(numbers[1:], ratings[1:], strict=True):
        x, y = across.at(number), upwards.at(rating)
        points += [(x, points[-1][1]), (x, y)]
    return points


def _colour(number: int) -> str:
    return f"c{number % COLOURS}"


def _stroke(number: int, width: str) -> dict[str, str]:
    dashes = {"stroke_dasharray": "5 3"} if number >= COLOURS else {}
    return {"stroke_width": width, **dashes}


def _last(pairings: Sequence[ScheduledMatch]) -> int:
    return max((pairing.number for pairing in pairings if pairing.online), default=1)


def _courses(pairings: Sequence[ScheduledMatch]) -> dict[str, tuple[list[int], list[float]]]:
    """For each bot the numbers of its rated matches, and its rating at the start and after each."""
    courses: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    last = _last(pairings)
    for pairing in pairings:
        for name, step in zip(pairing.players, pairing.online, strict=False):
            numbers, ratings = courses[name]
            if not numbers:
                numbers.append(0)
                ratings.append(step.before.rating)
            numbers.append(pairing.number)
            ratings.append(step.after.rating)
    for numbers, ratings in courses.values():
        numbers.append(last)
        ratings.append(ratings[-1])
    return courses


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values ``low`` to ``high`` on an axis from pixel ``start`` to pixel ``end``."""

    low: float
    high: float
    start: float
    end: float

    @staticmethod
    def over(values: Sequence[float], start: float, end: float) -> _Scale:
        """A scale with all values and some space round them."""
        low, high = min(values), max(values)
        space = max((high - low) * 0.04, 5.0)
        return _Scale(low - space, high + space, start, end)

    def at(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, space: float) -> list[int]:
        """Whole numbers that are round, at least ``space`` pixels apart."""
        least = max((self.high - self.low) * space / abs(self.end - self.start), 1)
        power = 10 ** math.floor(math.log10(least))
        step = next(round(times * power) for times in (1, 2, 5, 10) if times * power >= least)
        first = math.ceil(self.low / step)
        return [step * number for number in range(first, math.floor(self.high / step) + 1)]


def _ticks_below(drawing: Drawing, scale: _Scale, top: float, bottom: float, name: str) -> None:
    for tick in scale.ticks(_TICK_SPACE):
        here = scale.at(tick)
        drawing.line((here, top), (here, bottom), "grid")
        drawing.text((here, bottom + 14), str(tick), anchor="middle", kind="number soft")
    drawing.line((scale.start, bottom), (scale.end, bottom), "axis")
    middle = (scale.start + scale.end) / 2
    drawing.text((middle, bottom + 34), name, anchor="middle", kind="soft")


def _ticks_left(drawing: Drawing, upwards: _Scale, across: _Scale, name: str) -> None:
    for tick in upwards.ticks(_TICK_SPACE * 0.6):
        here = upwards.at(tick)
        drawing.line((across.start, here), (across.end, here), "grid")
        drawing.text((across.start - 6, here), str(tick), anchor="end", kind="number soft")
    drawing.text((_EDGE, 8), name, kind="soft")


def _label_width(names: Sequence[str], width: float) -> float:
    return min(max(map(text_width, names), default=0.0), width * _MOST_NAME)
