"""The build backend: hatchling, with the requirements of compiling for wheels alone.

hatchling itself asks for a hook's requirements before it knows what is built. An editable install
compiles nothing, and downloads none of them; nor does a wheel where nothing can be compiled.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import hatchling.build
from hatchling.build import *  # noqa: F403 - the whole backend, but for the function below

from c_compiler import hindrance, is_wanted


def get_requires_for_build_wheel(  # type: ignore[no-redef] # takes the place of hatchling's
    config_settings: dict[str, Any] | None = None,
) -> list[str]:
    """The packages that building a wheel needs (PEP 517)."""
    requirements = hatchling.build.get_requires_for_build_wheel(config_settings)
    if is_wanted() and hindrance() is None:
        project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
        hooks = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]
        requirements += hooks["custom"]["compiling-requires"]
    return requirements
