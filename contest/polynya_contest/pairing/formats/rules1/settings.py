"""The formats of rules 1 by name, from the records of a tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_contest.pairing.formats.rules1.drawn_once import (
    DrawnOnce,
    gauntlet_blocks,
    round_robin_blocks,
)
from polynya_contest.pairing.formats.rules1.knockout import DoubleElimination, Knockout
from polynya_contest.pairing.formats.rules1.series import Series
from polynya_contest.pairing.formats.rules1.sprt import Sprt
from polynya_contest.pairing.formats.rules1.swiss import Swiss


def format_of(description: Mapping[str, Any], entrants: Sequence[Entrant]) -> Format:
    """The format of a tournament, from the part that determines its matches (as it is recorded)."""
    name, players = description["format"], description["players"]
    table = description.get(name, {})
    names = [one.name for one in entrants]
    if name == "round_robin":
        return DrawnOnce(round_robin_blocks(names, players, description["cycles"]))
    if name == "gauntlet":
        challengers = table["challengers"]
        field = [one for one in names if one not in challengers]
        return DrawnOnce(gauntlet_blocks(challengers, field, players, description["cycles"]))
    if name == "swiss":
        return Swiss(entrants, table["rounds"], table["blocks"], table["tie_breaks"])
    if name == "sprt":
        hypotheses, errors = (table["elo0"], table["elo1"]), (table["alpha"], table["beta"])
        return Sprt(names, hypotheses, errors, table["most"])
    series = Series(name, table["best_of"], table["tie_breaks"])
    kind = Knockout if name == "knockout" else DoubleElimination
    return kind(entrants, players, series)
