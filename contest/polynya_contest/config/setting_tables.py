"""Tables of settings in a file, and the flat names of these settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_contest.config.toml_files import refuse_unknown
from polynya_contest.ratings.model import RatingSettings


@dataclass(frozen=True, slots=True)
class SettingTable:
    """A table of settings.

    The flat name of a setting is that of its flag; until 0.2.0 it was its key, above the tables.

    Attributes:
        name: its key in the file.
        kind: the settings in it.
        prefix: what flat names begin with, before the key.
        flat_names: by key, where they are others.
    """

    name: str
    kind: type[msgspec.Struct]
    prefix: str = ""
    flat_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The keys of its settings."""
        return list(self.kind.__struct_fields__)

    def flat_name(self, key: str) -> str:
        """The flat name of a setting."""
        return self.flat_names.get(key, f"{self.prefix}{key}")


RATING = SettingTable(
    "rating", RatingSettings, flat_names={"system": "rating", "start": "start_rating"}
)
SANDBOX = SettingTable("sandbox", SandboxSettings, "sandbox_", {"driver": "sandbox"})


def nested(document: Mapping[str, Any], table: SettingTable) -> dict[str, Any]:
    """Move a recorded document's flat settings into their tables."""
    flat_names = {table.flat_name(key): key for key in table.keys}
    rest = {key: value for key, value in document.items() if key not in flat_names}
    inner = {flat_names[key]: value for key, value in document.items() if key in flat_names}
    return {**rest, table.name: inner}


def refuse_flat(document: Mapping[str, Any], tables: Iterable[SettingTable]) -> None:
    """Refuse the flat keys of 0.2.0 and older; to be deleted in 0.4.

    Raises:
        ConfigurationError: the message says where the key stands now.
    """
    for table in tables:
        for key in table.keys:
            flat = table.flat_name(key)
            is_table = flat == table.name and isinstance(document.get(flat), dict)
            if flat in document and not is_table:
                raise ConfigurationError(
                    f"`{flat}` is `{key}` in the table [{table.name}] since 0.3.0"
                )


def refuse_unknown_settings(document: Mapping[str, Any], tables: Iterable[SettingTable]) -> None:
    """Refuse unknown keys in tables.

    Raises:
        ConfigurationError: the message names the nearest key that there is.
    """
    for table in tables:
        refuse_unknown(document.get(table.name), table.keys, f"{table.name}.")
        if table is SANDBOX and isinstance(given := document.get(table.name), dict):
            limits = SandboxLimits.__struct_fields__
            refuse_unknown(given.get("limits"), limits, f"{table.name}.limits.")
