"""The formats by name: their settings, and the format of a recorded tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polynya_contest.pairing.formats.brackets.knockout import (
    DoubleEliminationSettings,
    KnockoutSettings,
)
from polynya_contest.pairing.formats.format_settings import (
    FormatSettings,
)
from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_contest.pairing.formats.schedule_settings import (
    GauntletSettings,
    RoundRobinSettings,
    SprtSettings,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import (
    DoubleSwissSettings,
    SwissSettings,
)

SETTINGS: Mapping[str, type[FormatSettings]] = {
    "round_robin": RoundRobinSettings,
    "gauntlet": GauntletSettings,
    "swiss": SwissSettings,
    "double_swiss": DoubleSwissSettings,
    "knockout": KnockoutSettings,
    "double_elimination": DoubleEliminationSettings,
    "sprt": SprtSettings,
}

DRAWN_AHEAD = frozenset({"round_robin", "gauntlet", "sprt"})
"""Formats that draw no match from results."""


def format_of(description: Mapping[str, Any], entrants: Sequence[Entrant]) -> Format:
    """Make a tournament's format from its recorded settings."""
    name = description["format"]
    settings = msgspec.convert(description.get(name, {}), SETTINGS[name])
    return settings.drawn(entrants, description["players"], description["cycles"])
