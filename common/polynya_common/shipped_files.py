"""Files that a wheel carries inside this package, and a checkout has in other folders."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str, in_checkout: str) -> Path:
    """The file or folder ``name`` of the wheel; without it ``in_checkout``, from the root."""
    installed = _PACKAGE / name
    return installed if installed.exists() else _PACKAGE.parents[1] / in_checkout
