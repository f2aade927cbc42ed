"""The server's certificate, read again when its files change: a renewal needs no restart."""

from __future__ import annotations

import ssl
from pathlib import Path

from polynya_server.log import log
from polynya_server.transport.tls import TlsFilesError, server_context

Stamp = tuple[int, int, int]


class Certificate:
    """The context for the next handshake.

    Looking at both files takes a few microseconds, so it is done for each new connection, and
    nothing has to be told that they have changed.

    Args:
        certificate, key: see :func:`~polynya_server.transport.tls.server_context`.

    Raises:
        TlsFilesError: they cannot be used.
    """

    def __init__(self, certificate: str, key: str) -> None:
        self._files = certificate, key
        self._seen = self._stamps()
        self._context = server_context(certificate, key)

    def context(self) -> ssl.SSLContext:
        """The context of the present files, or of the last ones that could be used.

        New ones that cannot be used are warned of once: they may be half written, and are tried
        again when they change again.
        """
        found = self._stamps()
        if found != self._seen:
            self._seen = found
            self._read_again()
        return self._context

    def _read_again(self) -> None:
        try:
            self._context = server_context(*self._files)
        except TlsFilesError as error:
            log.warning("the new TLS files cannot be used; the old ones stay", error=str(error))
        else:
            log.info("the new TLS files are in use", certificate=self._files[0])

    def _stamps(self) -> tuple[Stamp | None, ...]:
        return tuple(_stamp(Path(path)) for path in self._files)


def _stamp(path: Path) -> Stamp | None:
    """What changes with a file: when it was written, its size, and which one it is."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
