"""How to reach the game server of this process: by TCP on this machine, with TLS if that is on."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from polynya_server import Server
from polynya_tournaments.bots.supervisor import Address

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104
_PIECE = 65_536
_OPEN_S = 10


async def dial(server: Server) -> trio.abc.Stream:
    """A connection to the server.

    Raises:
        OSError: it does not listen any more; an ``ssl.SSLError`` is one.
        trio.BrokenResourceError: the handshake failed.
    """
    host = _WILDCARDS.get(server.host, server.host)
    stream = await trio.open_tcp_stream(host, server.port)
    certificate = server.settings.tls_cert
    if certificate is None:
        return stream
    secured = trio.SSLStream(stream, _context(certificate), https_compatible=True)
    await secured.do_handshake()
    return secured


def _context(certificate: str) -> ssl.SSLContext:
    """Trusts this one certificate, whatever name is in it: we know whom we have called."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(certificate)
    return context


@asynccontextmanager
async def address_for_programs(server: Server) -> AsyncIterator[Address]:
    """Where programs that we start can connect to the server without its certificate.

    With TLS, that is a port of this machine from which everything is passed on.
    """
    if server.settings.tls_cert is None:
        yield Address(server.host, server.port)
        return
    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_tcp, partial(_pass_on, server), 0, host="127.0.0.1")
        [listener] = await nursery.start(serve)
        yield Address("127.0.0.1", listener.socket.getsockname()[1])
        nursery.cancel_scope.cancel()


async def _pass_on(server: Server, program: trio.SocketStream) -> None:
    """All bytes of a program to the server, and back, until one of them has ended."""
    try:
        with trio.fail_after(_OPEN_S):
            stream = await dial(server)
        async with stream, trio.open_nursery() as nursery:
            nursery.start_soon(_copy, program, stream, nursery.cancel_scope)
            nursery.start_soon(_copy, stream, program, nursery.cancel_scope)
    except (OSError, trio.BrokenResourceError, trio.TooSlowError):
        return


async def _copy(
    source: trio.abc.ReceiveStream, target: trio.abc.SendStream, scope: trio.CancelScope
) -> None:
    try:
        while data := await source.receive_some(_PIECE):
            await target.send_all(data)
    except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        scope.cancel()
