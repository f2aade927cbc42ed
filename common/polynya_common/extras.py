"""Finds packages of extras, or names the extra to install; finds files of the wheel or checkout."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

from polynya_common.errors import TournamentError

_REPORT = ("a report needs", "report")
_WEB = ("web pages and metrics need", "web")
_NEEDED_BY: Mapping[str, tuple[str, str]] = {
    "PIL": _WEB,
    "cryptography": ("a signed bundle needs", "proof"),
    "distributed": ("matches on workers need", "dask"),
    "hypercorn": _WEB,
    "jinja2": _WEB,
    "numpy": _REPORT,
    "prometheus_client": _WEB,
    "psycopg": ("a database on a PostgreSQL server needs", "postgresql"),
    "py4swiss": ("a Swiss tournament needs", "swiss"),
    "pyspiel": ("OpenSpiel's games need", "openspiel"),
    "segno": _WEB,
    "starlette": _WEB,
}
"""By package: the beginning of the sentence, and the extra that brings the package."""


def require_packages(*packages: str) -> None:
    """Import packages of extras.

    Raises:
        TournamentError: one is not installed; the message says what to do.
    """
    for package in packages:
        try:
            importlib.import_module(package)
        except ImportError as error:
            raise TournamentError(_sentence(package)) from error


def missing_package(error: ModuleNotFoundError) -> str | None:
    """A sentence that says what to install; None if the module belongs to no extra."""
    package = (error.name or "").partition(".")[0]
    return _sentence(package) if package in _NEEDED_BY else None


def _sentence(package: str) -> str:
    needed_by, extra = _NEEDED_BY[package]
    return f"{needed_by} {package}, which is not installed: {how_to_install(extra)}"


_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[1]


def how_to_install(extra: str) -> str:
    """The command that adds an extra to this installation.

    In a checkout it keeps the installation editable. Web pages show this, too: no path of the
    machine is in it.
    """
    if (_CHECKOUT / "pyproject.toml").is_file():
        return f"python -m pip install --editable '.[{extra}]' in your checkout, by its Python"
    return f"python -m pip install 'polynya[{extra}]', by the Python that runs polynya"


def shipped(name: str, in_checkout: str) -> Path:
    """The file or folder ``name`` of the wheel; without it ``in_checkout``, from the root."""
    installed = _PACKAGE / name
    return installed if installed.exists() else _CHECKOUT / in_checkout
