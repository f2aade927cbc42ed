"""A mirror: a real HTTPS server on this machine, for tests of what builds reach."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import trustme

from polynya_tournaments.uploads.building.mirrors import Mirror

NAME = "mirror.example"


class _Packages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """As many bytes as the path says."""
        content = b"x" * int(self.path.strip("/"))
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@dataclass(frozen=True)
class MirrorServer:
    """One that runs.

    Attributes:
        port: on which it listens, on loopback.
        authority: the file with the certificate to trust.
    """

    port: int
    authority: Path

    @property
    def mirror(self) -> Mirror:
        """As a host names it who knows that its address is private."""
        return Mirror(NAME, self.port, "127.0.0.1")


@contextmanager
def mirror_server(folder: Path) -> Iterator[MirrorServer]:
    """A mirror; ``folder`` gets the certificate to trust."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(NAME).configure_cert(context)
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    with ThreadingHTTPServer(("127.0.0.1", 0), _Packages) as server:
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield MirrorServer(server.server_address[1], folder / "authority.pem")
        finally:
            server.shutdown()
            thread.join()
