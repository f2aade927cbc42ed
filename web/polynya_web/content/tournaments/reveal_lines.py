"""The lines of a reveal: each bot with the criteria that decide its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from polynya_contest.pairing.standings import Standing, Standings
from polynya_contest.pairing.tabulation import figures_after_points
from polynya_web.content.contest_names import round_name
from polynya_web.content.texts import Texts
from polynya_web.content.tournaments.table_order import has_winner, in_order, share

_Criterion = tuple[str, float | str | None]


def criteria(row: Standing, table: Standings) -> tuple[_Criterion, ...]:
    """The figures that decide a bot's place, the weightiest first, by name."""
    if not has_winner(table):
        return (("share", share(row, table.players)),)
    if not figures_after_points([row]):
        return tuple(row.figures.items())
    if row.figures:
        return (("points", row.points), *row.figures.items())
    wins: _Criterion = ("firsts", row.places[0]) if row.places else ("wins", row.wins)
    return (("points", row.points), wins, ("forfeits", row.forfeits))


def telling(rows: Sequence[Standing], table: Standings) -> dict[str, tuple[_Criterion, ...]]:
    """For each bot its criteria, up to the first that differs on the places beside its own."""
    listed = [criteria(row, table) for row in rows]
    depths = [1] * len(rows)
    for index, (one, other) in enumerate(pairwise(listed)):
        if rows[index].place == rows[index + 1].place:
            continue
        pairs = zip(one, other, strict=True)
        level = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        for beside in (index, index + 1):
            depths[beside] = max(depths[beside], level + 1)
    return {
        row.name: tuple(one for one in found[:depth] if one[1] is not None)
        for row, found, depth in zip(rows, listed, depths, strict=True)
    }


def reveal_data(
    frozen: Standings, final: Standings, challengers: Sequence[str], t: Texts
) -> dict[str, Any]:
    """The data of a reveal's page.

    It has ``columns``, the headings of the figures that decide a place; ``frozen`` and ``final``,
    the lines of the two tables; and ``winner``, whether the first one has won.
    """
    rows = in_order(final, {}, challengers)
    told = telling(rows, final)
    names = list(dict.fromkeys(name for row in rows for name, _ in criteria(row, final)))
    shown = {name for found in told.values() for name, _ in found}
    columns = [name for name in names if name in shown]
    return {
        "columns": [_heading(name, t) for name in columns],
        "frozen": [_line(row, frozen, columns, {}, t) for row in in_order(frozen, {}, challengers)],
        "final": [_line(row, final, columns, told, t) for row in rows],
        "winner": has_winner(final),
    }


def _line(
    row: Standing,
    table: Standings,
    columns: Sequence[str],
    told: Mapping[str, tuple[_Criterion, ...]],
    t: Texts,
) -> dict[str, Any]:
    values = dict(criteria(row, table))
    said = (_said(name, value, t) for name, value in told.get(row.name, ()))
    first = values.get(columns[0]) if columns else None
    return {
        "name": row.name,
        "place": row.place if has_winner(table) else None,
        "games": row.games,
        "values": [_value(name, values.get(name), t) for name in columns],
        "first": first if isinstance(first, float) else None,
        "said": ", ".join(filter(None, said)),
    }


def _heading(name: str, t: Texts) -> str:
    own = {"points": "table.points", "firsts": "tournament.firsts", "forfeits": "table.forfeits"}
    return t(own[name]) if name in own else t.word("figure", name)


def _value(name: str, value: float | str | None, t: Texts) -> str:
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, str):
        return round_name(value, t) if value else t("tournament.still_in")
    return f"{t.number(100 * value, '.1f')} %" if name == "share" else t.number(value)


def _said(name: str, value: float | str | None, t: Texts) -> str:
    """A figure in a sentence; empty for that of a bracket's winner."""
    if value == "winner":
        return ""
    if name == "points" and isinstance(value, float):
        form = "one" if value == 1 else "other"
        return t(f"reveal.points.{form}", number=t.number(value))
    if name == "share":
        return _value(name, value, t)
    return t("reveal.figure", name=_heading(name, t), value=_value(name, value, t))
