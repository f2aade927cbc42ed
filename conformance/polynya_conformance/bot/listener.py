"""A listening socket whose server can be away: then connections to its address are refused."""

from __future__ import annotations

import trio

HOST = "127.0.0.1"


class Listener:
    """An address that is ours; connections to it are refused while it is closed."""

    def __init__(self, sock: trio.socket.SocketType) -> None:
        self._sock = sock
        self.port: int = sock.getsockname()[1]
        self.is_open = False

    @classmethod
    async def bind(cls, port: int = 0) -> Listener:
        """Take a port, or any free one; it is closed at first."""
        return cls(await _bound(port))

    def open(self) -> None:
        """Take connections from now on."""
        self._sock.listen()
        self.is_open = True

    async def close(self) -> None:
        """Refuse connections from now on; those that were taken stay."""
        self._sock.close()
        self._sock = await _bound(self.port)
        self.is_open = False

    async def accept(self) -> trio.SocketStream:
        """The next connection."""
        return await trio.SocketListener(self._sock).accept()

    def release(self) -> None:
        """Give the port back."""
        self._sock.close()


async def _bound(port: int) -> trio.socket.SocketType:
    sock = trio.socket.socket()
    try:
        if port:
            _share(sock)
        await sock.bind((HOST, port))
    except BaseException:
        sock.close()
        raise
    _share(sock)  # after binding: before it, the system could give us the port of a closed listener
    return sock


def _share(sock: trio.socket.SocketType) -> None:
    """Let the port be taken again while connections that were taken there go on."""
    sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_REUSEADDR, 1)
