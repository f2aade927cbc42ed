"""A network between a process and a server of databases, which can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

_BYTES = 65_536


class NetworkLink:
    """Hands TCP connections on to a socket in a folder until it is cut.

    Args:
        listener: where it is connected to.
        target: the server's socket.

    Attributes:
        port: of the listener.
    """

    def __init__(self, listener: socket.socket, target: Path) -> None:
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._target = target
        self._whole = threading.Event()
        self._whole.set()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self) -> None:
        """Let nothing pass: neither side hears anything, as when packets are lost."""
        self._whole.clear()

    def restore(self) -> None:
        """Let all pass again, late bytes too."""
        self._whole.set()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        for sock in (self._listener, *list(self._sockets)):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._whole.wait()
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(self._target))
                self._sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_BYTES):
                self._whole.wait()
                sink.sendall(data)
            self._whole.wait()
            sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def network_link(target: Path) -> Iterator[NetworkLink]:
    """A link to a socket in a folder until the context exits."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        link = NetworkLink(listener, target)
        try:
            yield link
        finally:
            link.restore()
            link.cut()
