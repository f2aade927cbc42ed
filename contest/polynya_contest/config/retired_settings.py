"""Settings of mechanisms that have gone: a file that still has them is accepted, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

RETIRED: Mapping[str, Mapping[str, str]] = {
    "server": {"private_epoll": "the server watches its connections in the best way there is"},
}
"""By table and key: why the setting is not needed any more."""


class RetiredSettingWarning(DeprecationWarning):
    """A setting does nothing any more."""


def without_retired(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without settings that have gone; each of them is warned of."""
    kept = dict(document)
    for table, reasons in RETIRED.items():
        given = document.get(table)
        if isinstance(given, Mapping):
            kept[table] = {key: value for key, value in given.items() if key not in reasons}
            for key in given.keys() & reasons.keys():
                sentence = f"the setting {table}.{key} does nothing any more: {reasons[key]}"
                warnings.warn(sentence, RetiredSettingWarning, stacklevel=2)
    return kept
