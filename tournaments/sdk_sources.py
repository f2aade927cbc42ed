"""Puts the SDKs' sources that starter kits copy into the wheel: a build hook of hatchling."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SdkSources(BuildHookInterface[Any]):
    """Maps ``clients/<sdk>/...`` to ``polynya_tournaments/sdks/<sdk>/...``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; an editable install finds them in the checkout."""
        if version == "editable":
            return
        root = Path(self.root)
        kits = tomllib.loads(
            (root / "tournaments/polynya_tournaments/starters/kits.toml").read_text("utf-8")
        )
        for kit in kits.values():
            home = root / "clients" / kit["sdk"]
            for path in (path for pattern in kit["sources"] for path in home.glob(pattern)):
                target = Path("polynya_tournaments/sdks", kit["sdk"], path.relative_to(home))
                build_data["force_include"][str(path)] = str(target)
