"""Draws a report's plots as SVG with matplotlib: the same report gives the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from polynya_common.extras import require_packages
from polynya_evidence.analysis import BotEstimate
from polynya_evidence.reports.contents import ScheduledMatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 20
"""The most bots whose ratings are drawn over time: more lines cannot be told apart."""

_WIDTH = 9.0
_INK, _RULE, _BAR = "#75818d", "#75818d40", "#2a86cc"
"""Greys and a blue that can be read on white as well as on black."""

_STYLE: Any = {
    "svg.hashsalt": "polynya",
    "font.size": 10,
    "text.color": _INK,
    "axes.edgecolor": _RULE,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _RULE,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def ratings_plot(bots: Sequence[BotEstimate]) -> bytes:
    """A line for each bot, the strongest on top: a dot for its rating, a bar for its interval.

    An end that results do not bound is dotted.

    Raises:
        TournamentError: matplotlib is not installed.
    """

    def draw(axes: Axes) -> None:
        lines = range(len(bots))
        values = [bot.rating.value for bot in bots]
        low = [bot.rating.value if bot.rating.low is None else bot.rating.low for bot in bots]
        high = [bot.rating.value if bot.rating.high is None else bot.rating.high for bot in bots]
        below = [value - end for value, end in zip(values, low, strict=True)]
        above = [end - value for value, end in zip(values, high, strict=True)]
        axes.errorbar(values, lines, xerr=(below, above), fmt="o", color=_BAR, elinewidth=2.5)
        for line, bot in enumerate(bots):
            for end, edge in ((bot.rating.low, min(low) - 50), (bot.rating.high, max(high) + 50)):
                if end is None:  # dotted, as there is no bound
                    axes.plot((bot.rating.value, edge), (line, line), ":", color=_BAR)
        axes.set_yticks(lines, [bot.name for bot in bots])
        axes.set_ylim(len(bots) - 0.5, -0.5)
        axes.set_xlabel("rating in Elo, with 95 % interval")
        axes.grid(visible=False, axis="y")

    return _svg(0.9 + 0.28 * len(bots), draw)


def history_plot(names: Sequence[str], pairings: Sequence[ScheduledMatch]) -> bytes:
    """The online ratings after each match, of the first ``MOST_LINES`` bots of ``names``.

    Raises:
        TournamentError: matplotlib is not installed.
    """
    courses = _courses(pairings)
    shown = [name for name in names if name in courses][:MOST_LINES]

    def draw(axes: Axes) -> None:
        for number, name in enumerate(shown):
            numbers, ratings = courses[name]
            line = axes.step(numbers, ratings, where="post", linewidth=1.3, color=f"C{number % 10}")
            # A label that begins with an underscore would not be shown.
            line[0].set(label=f" {name}", linestyle=("-", "--")[number // 10])
        axes.set_xlabel("number of the match")
        axes.set_ylabel("online rating")
        axes.margins(x=0.01)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), labelcolor=_INK)

    return _svg(4.2, draw)


def _courses(pairings: Sequence[ScheduledMatch]) -> dict[str, tuple[list[int], list[float]]]:
    """For each bot the numbers of its rated matches, and its rating at the start and after each."""
    courses: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    last = max((pairing.number for pairing in pairings if pairing.online), default=0)
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


def _svg(height: float, draw: Callable[[Axes], None]) -> bytes:
    """The drawing by ``draw``, on a page of this height in inches, without anything behind it."""
    require_packages("matplotlib")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height))
        draw(figure.add_subplot())
        file = BytesIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()
