"""Style, scripts and pictures under an address that names their contents: browsers keep them.

``/static/HASH/…`` is answered from memory, compressed, and never changes; scripts come with all
that they import. A new version of the pages has another hash.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from polynya_common.reasons import Reason
from polynya_web.http.compression import MIN_BYTES, accepts_gzip, is_compressible
from polynya_web.http.refused import Refused
from polynya_web.http.script_bundle import bundle

FOR_EVER = "public, max-age=31536000, immutable"
_HASH_CHARACTERS = 12
_GZIP = ".gz"
"""The end of the path of a file that is kept compressed: large ones would delay each start."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent.

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
        scripts = {path: content.decode() for path, content in files.items() if _is_script(path)}
        self._assets = {
            path: _asset(
                path,
                bundle(path, scripts).encode() if _is_script(path) else content,
                compressed.get(path),
            )
            for path, content in files.items()
        }

    def __contains__(self, path: str) -> bool:
        return path in self._assets

    async def answer(self, request: Request) -> Response:
        """The file that the request names."""
        found = self._assets.get(request.path_params["path"])
        if found is None:
            raise Refused(404, Reason.of("no_such_file"))
        headers = {"cache-control": FOR_EVER, "vary": "Accept-Encoding"}
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
    """The same as they lie in the folder, by path."""
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


def _asset(path: str, content: bytes, compressed: bytes | None) -> Asset:
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    if path.endswith(".js"):
        media_type = "text/javascript"
    worth = is_compressible(media_type) and len(content) >= MIN_BYTES
    if compressed is None and worth:
        compressed = gzip.compress(content, 9, mtime=0)
    return Asset(media_type, content, compressed)
