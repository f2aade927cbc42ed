"""Style, scripts and pictures under an address that names their contents: browsers keep them.

The scripts are ES modules in the form of this project: imports by name from relative addresses at
the beginning, exports where things are declared. An import without braces, such as that of a
foreign library, stays as it is.

``/static/HASH/…`` is answered from memory, compressed, and never changes; scripts come with all
that they import, scripts and styles without comments. A new version of the pages has another hash.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from polynya_common.reasons import Reason
from polynya_web.http.comments import script_without_comments, style_without_comments
from polynya_web.http.compression import MIN_BYTES, accepts_gzip, is_compressible
from polynya_web.http.requests import Refused
from polynya_web.http.security_headers import FOR_ANY_SITE

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\{[^}]*\}|\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:export|import \{).*|import\.meta", re.MULTILINE)
_NAME = re.compile(r"\w+")


class BundleError(ValueError):
    """A script that cannot be bundled; the message says which and why."""


def bundle(entry: str, scripts: Mapping[str, str]) -> str:
    """Bundle a script with its imports, each module once and in its own scope.

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
    """Append a module after its imports."""
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


FOR_EVER = "public, max-age=31536000, immutable"
_HASH_CHARACTERS = 12
_GZIP = ".gz"
"""The end of the path of a file that is kept compressed: large ones would delay each start."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file ready to send.

    Attributes:
        media_type: its type.
        content: its bytes.
        compressed: the same with gzip; None where that is not worth it.
    """

    media_type: str
    content: bytes
    compressed: bytes | None


class StaticAssets:
    """All files of a folder.

    Args:
        contents: the files by path; a compressed file has a path that ends in .gz.

    Attributes:
        digest: names the contents of all files.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        compressed = {
            path.removesuffix(_GZIP): content
            for path, content in contents.items()
            if path.endswith(_GZIP)
        }
        files = {path: content for path, content in contents.items() if not path.endswith(_GZIP)}
        files |= {path: gzip.decompress(content) for path, content in compressed.items()}
        digest = hashlib.sha256()
        for path, content in sorted(files.items()):
            digest.update(f"{path} {len(content)}\n".encode() + content)
        self.digest = digest.hexdigest()[:_HASH_CHARACTERS]
        scripts = {
            path: script_without_comments(content.decode())
            for path, content in files.items()
            if _is_script(path)
        }
        self._assets = {
            path: _asset(path, _sent(path, content, scripts), compressed.get(path))
            for path, content in files.items()
        }

    def __contains__(self, path: str) -> bool:
        return path in self._assets

    def text(self, path: str) -> str:
        """The text of a file as it is sent."""
        return self._assets[path].content.decode()

    async def answer(self, request: Request) -> Response:
        """The file that the request names."""
        found = self._assets.get(request.path_params["path"])
        if found is None:
            raise Refused(404, Reason.of("no_such_file"))
        headers = {"cache-control": FOR_EVER, "vary": "Accept-Encoding", **FOR_ANY_SITE}
        content = found.content
        if found.compressed is not None and accepts_gzip(request.headers):
            headers["content-encoding"], content = "gzip", found.compressed
        return Response(content, media_type=found.media_type, headers=headers)


@cache
def read_assets() -> StaticAssets:
    """The files of the folder ``static``."""
    return StaticAssets(source_files())


@cache
def source_files() -> Mapping[str, bytes]:
    """The unbundled files of the folder, by path."""
    return dict(_files(files("polynya_web").joinpath("static"), ""))


def _files(folder: Traversable, above: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for one in folder.iterdir():
        if one.is_dir():
            found += _files(one, f"{above}{one.name}/")
        else:
            found.append((above + one.name, one.read_bytes()))
    return found


def _is_script(path: str) -> bool:
    return path.endswith(".js") and not path.startswith("vendor/")


def _sent(path: str, content: bytes, scripts: Mapping[str, str]) -> bytes:
    if _is_script(path):
        return bundle(path, scripts).encode()
    if path.endswith(".css") and not path.startswith("vendor/"):
        return style_without_comments(content.decode()).encode()
    return content


def _asset(path: str, content: bytes, compressed: bytes | None) -> Asset:
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    if path.endswith(".js"):
        media_type = "text/javascript"
    worth = is_compressible(media_type) and len(content) >= MIN_BYTES
    if compressed is None and worth:
        compressed = gzip.compress(content, 9, mtime=0)
    return Asset(media_type, content, compressed)
