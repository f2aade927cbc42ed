"""One script for each page out of the modules that it imports, so that a page is few requests.

The scripts are ES modules in the form of this project: imports by name from relative addresses at
the beginning, exports where things are declared. An import without braces, such as that of a
foreign library, stays as it is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\{[^}]*\}|\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:export|import \{).*|import\.meta", re.MULTILINE)
_NAME = re.compile(r"\w+")


class BundleError(ValueError):
    """A script that cannot be put into one with its imports; the message says which and why."""


def bundle(entry: str, scripts: Mapping[str, str]) -> str:
    """A script with all that it imports by name, each module once and in a scope of its own.

    Args:
        entry: the path of the script.
        scripts: the texts of all scripts by path.

    Raises:
        BundleError: an import is missing or runs in a circle, or a module is of another form.
    """
    order: list[str] = []
    _collect(entry, scripts, (), order)
    names = {path: f"module{number}" for number, path in enumerate(order)}
    parts = [_module(path, scripts[path], names) for path in order]
    exported = _exports(scripts[entry])
    if exported:
        parts.append(f"export const {{ {', '.join(exported)} }} = {names[entry]};\n")
    return "".join(parts)


def _collect(
    path: str, scripts: Mapping[str, str], above: tuple[str, ...], order: list[str]
) -> None:
    """Put a module behind those that it imports."""
    if path in order:
        return
    if path in above:
        raise BundleError(f"{path}: the imports run in a circle: {' → '.join((*above, path))}")
    if path not in scripts:
        raise BundleError(f"{above[-1] if above else 'a page'} imports {path}, which is not there")
    for found in _IMPORT.finditer(scripts[path]):
        _collect(_resolved(path, found[2]), scripts, (*above, path), order)
    order.append(path)


def _resolved(path: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), address))


def _exports(text: str) -> list[str]:
    return [name for found in _EXPORT.finditer(text) for name in _NAME.findall(found[2])]


def _module(path: str, text: str, names: Mapping[str, str]) -> str:
    def imported(found: re.Match[str]) -> str:
        wanted = found[1].replace(" as ", ": ").strip().rstrip(",")
        return f"const {{ {wanted} }} = {names[_resolved(path, found[2])]};\n"

    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(imported, text))
    other = _OTHER.search(body)
    if other is not None:
        raise BundleError(f"{path}: this cannot be put into a bundle: {other[0]}")
    outside = re.findall(r'^import \w+ from "[^"]+";\n', body, re.MULTILINE)
    for line in outside:
        body = body.replace(line, "")
    given = ", ".join(_exports(text))
    return (
        f"{''.join(outside)}const {names[path]} = (() => {{\n{body}return {{ {given} }};\n}})();\n"
    )
