"""The pages that are written from the code: commands, Python, and all modules."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from polynya_app.command_tree import app, every_command

ROOT = Path(__file__).parents[2]
PUBLIC = (
    "polynya_client",
    "polynya_client.aio",
    "polynya_games",
    "polynya_protocol",
    "polynya_server",
)
"""Packages whose ``__all__`` is the reference; docs/stability.md says what may change."""
ROOMS = (
    *("common", "protocol", "games", "server", "contest", "store", "hosting", "conformance"),
    *("tournaments", "evidence", "web", "app"),
)
PACKAGES = (*(f"{room}/polynya_{room}" for room in ROOMS), "clients/python/polynya_client")


def reference() -> Mapping[str, str]:
    """The text of each page, by its path."""
    pages = {
        "reference/commands.md": commands(),
        "reference/python.md": python(),
        "reference/modules.md": modules(),
    }
    return pages | {f"reference/{name}.md": package(name) for name in PUBLIC}


def commands() -> str:
    """Every command with its arguments, as ``polynya COMMAND --help`` has them."""
    for _ in every_command():
        pass  # imported, with their whole texts
    text = app.generate_docs(output_format="markdown", recursive=True)
    _, _, text = text.partition("## Table of Contents")
    text = re.sub(r"^(##+) polynya (.+)$", r"\1 \2", text, flags=re.MULTILINE)
    text = text.replace("](#polynya-", "](#")
    return (
        "# Commands\n\nWhat `polynya COMMAND --help` says of each command. The exit codes are in "
        "[Operating](../docs/hosting/operating.md#exit-codes-output-logs).\n" + text
    )


def python() -> str:
    """The packages with public names."""
    text = (
        "# Python\n\nThe public names of each package, from their docstrings. "
        "[What you may rely on](../docs/stability.md) says which may change, and how.\n\n"
        "| package | |\n|---|---|\n"
    )
    for name in PUBLIC:
        sentence = _first_sentence(inspect.getdoc(import_module(name)) or "")
        text += f"| [{name}]({name}.md) | {sentence} |\n"
    return text


def package(name: str) -> str:
    """The public names of a package, without those that it has from the one above."""
    module, above = import_module(name), import_module(name.partition(".")[0])
    own = [
        each
        for each in module.__all__
        if module is above or getattr(module, each) is not getattr(above, each, None)
    ]
    return (
        f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members: {', '.join(own)}\n```\n"
    )


def modules() -> str:
    """Every module with the first sentence of its docstring."""
    text = "# Modules\n\nEvery module of the packages, with the first sentence of its docstring.\n"
    for package in PACKAGES:
        folder = ROOT / package
        text += f"\n## {folder.name}\n\n| module | |\n|---|---|\n"
        text += "".join(f"| `{name}` | {sentence} |\n" for name, sentence in _sentences(folder))
    return text


def _sentences(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        if docstring:
            yield name.removesuffix(".__init__"), _first_sentence(docstring)


def _first_sentence(docstring: str) -> str:
    """The first paragraph, for a cell of a table."""
    first = docstring.partition("\n\n")[0].replace("\n", " ")
    return re.sub(r":\w+:`([^`]*)`", r"`\1`", first).replace("``", "`").replace("|", "\\|")
