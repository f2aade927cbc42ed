"""TLS: the same contract inside, over real sockets, and what is refused at the door."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trustme
from tests.scripted import RawClient, connected, race_host
from tests.scripted.race_host import RaceHost, token
from trio.testing import MockClock

from polynya_client import run
from polynya_client.addresses import Address
from polynya_client.connection import connect
from polynya_client.errors import ConnectionLost
from polynya_client.turn import Turn
from polynya_server import TurnRecord
from polynya_server.transport.arrival import CHUNK
from polynya_server.transport.tls import TlsFilesError, TlsSocket, server_context

Files = dict[str, Any]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def files(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The settings of a server with a certificate for this machine."""
    folder = tmp_path_factory.mktemp("tls")
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificate.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    return {"tls_cert": str(folder / "cert.pem"), "tls_key": str(folder / "key.pem")}


@pytest.fixture
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """A client's context that trusts the authority, and verifies."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@asynccontextmanager
async def tls_bot(
    host: RaceHost, context: ssl.SSLContext, name: str, **hello: Any
) -> AsyncIterator[RawClient]:
    """A bot that is welcome, its bytes encrypted."""
    tcp = await trio.open_tcp_stream(host.server.host, host.server.port)
    stream = trio.SSLStream(tcp, context, server_hostname="127.0.0.1")
    client = RawClient(cast("trio.SocketStream", stream))
    try:
        answer = await client.hello(name=name, token=token(name), **hello)
        assert answer["type"] == "welcome"
        yield client
    finally:
        await tcp.aclose()


async def test_a_whole_match_is_played_over_tls(files: Files, trusting: ssl.SSLContext) -> None:
    async with (
        race_host("a", "b", **files) as host,
        tls_bot(host, trusting, "a", wants=["legal"]) as a,
        tls_bot(host, trusting, "b", wants=["legal"]) as b,
    ):
        match = host.match("m", "a", "b", goal=40)
        host.in_background(b.expect, "match_over")
        await a.expect("match_over")
        record = await match.record()
    assert record.reason == "finished"
    turns = [event for event in record.events if isinstance(event, TurnRecord)]
    assert {turn.kernel for turn in turns} == {sys.platform == "linux"}


async def test_after_a_fatal_error_the_error_arrives_and_then_the_end(
    files: Files, trusting: ssl.SSLContext
) -> None:
    async with race_host("a", **files) as host, tls_bot(host, trusting, "a") as bot:
        await bot.send_bytes(b"\0\0\0\0")
        ending = await bot.expect_end()
    assert [(error["code"], error["fatal"]) for error in ending] == [("malformed", True)]


async def test_a_frame_of_several_records_arrives_when_nothing_follows_it(
    files: Files, trusting: ssl.SSLContext
) -> None:
    async with race_host("a", **files) as host, tls_bot(host, trusting, "a") as bot:
        await bot.send(type="ping", nonce=1, ignored="x" * 3 * CHUNK)
        assert (await bot.receive())["type"] == "pong"


async def test_plain_bytes_at_a_tls_port_are_refused_without_harm(
    files: Files, trusting: ssl.SSLContext
) -> None:
    async with race_host("a", **files) as host, tls_bot(host, trusting, "a") as bot:
        plain = await host.client()
        await plain.send(type="hello", protocol=1, name="a", token=token("a"))
        with pytest.raises((EOFError, trio.BrokenResourceError, ValueError)):
            await plain.receive()
        assert plain.received == []
        await bot.send(type="ping", nonce=1)
        assert (await bot.receive())["type"] == "pong"


async def test_hosted_bot_connects_to_its_own_socket_without_tls(
    files: Files, trusting: ssl.SSLContext
) -> None:
    sock = socket.create_server(("127.0.0.1", 0))
    async with (
        race_host("a", "b", **files) as host,
        tls_bot(host, trusting, "a"),
    ):
        with host.server.hearing(sock, "b"):
            async with connected(*sock.getsockname()) as plain:
                answer = await plain.hello(name="b", token=token("b"))
                assert (answer["type"], sorted(host.server.connected)) == ("welcome", ["a", "b"])


async def test_an_old_version_of_tls_is_refused(files: Files, trusting: ssl.SSLContext) -> None:
    trusting.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSVersion"):
        trusting.maximum_version = ssl.TLSVersion.TLSv1_1
    trusting.set_ciphers("DEFAULT@SECLEVEL=0")
    async with race_host("a", **files) as host:
        with pytest.raises(trio.BrokenResourceError) as raised:
            async with tls_bot(host, trusting, "a"):
                pass
    assert isinstance(raised.value.__cause__, ssl.SSLError)


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01"], ids=["silent", "half a record"])
def test_a_handshake_that_is_not_done_in_time_is_dropped(files: Files, said: bytes) -> None:
    clock = MockClock()

    async def over() -> None:
        async with race_host("a", hello_ms=5_000, **files) as host:
            slow = await host.client()
            await slow.send_bytes(said)
            while not host.server.connections:
                await trio.testing.wait_all_tasks_blocked()
            clock.jump(4.999)
            await trio.testing.wait_all_tasks_blocked()
            assert host.server.connections == 1
            clock.jump(0.001)
            assert await slow.expect_end() == []
            while host.server.connections:
                await trio.testing.wait_all_tasks_blocked()

    trio.run(over, clock=clock)


def test_bytes_not_taken_by_a_slow_peer_count_as_unsent(
    files: Files, trusting: ssl.SSLContext
) -> None:
    near, far = socket.socketpair()
    data = bytes(range(256)) * 2048
    with near, far:
        near.settimeout(120)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        server = TlsSocket(near, server_context(**_arguments(files)))
        client = Reader(far, trusting, len(data))
        assert greeting(server) == b"hello"
        near.setblocking(False)
        sent = offer(server, data)
        assert sent < len(data)
        client.may_read.set()
        while sent < len(data):
            select.select([], [near], [], 120)
            sent += offer(server, memoryview(data)[sent:])
        assert (client.result(), sent) == (data, len(data))


def _arguments(files: Files) -> dict[str, str]:
    return {"certificate": files["tls_cert"], "key": files["tls_key"]}


def offer(server: TlsSocket, data: bytes | memoryview) -> int:
    """How much of it is taken now."""
    try:
        return server.send(data)
    except BlockingIOError:
        return 0


def greeting(server: TlsSocket) -> bytes:
    """The first bytes inside, after the handshake."""
    while True:
        with contextlib.suppress(BlockingIOError):
            return server.recv(65536)


class Reader:
    """A client in a thread of its own that says nothing, and reads when it may."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext, size: int) -> None:
        self.may_read = threading.Event()
        self._got = b""
        self._thread = threading.Thread(target=self._run, args=(sock, context, size))
        self._thread.start()

    def result(self) -> bytes:
        self._thread.join(120)
        return self._got

    def _run(self, sock: socket.socket, context: ssl.SSLContext, size: int) -> None:
        with context.wrap_socket(sock, server_hostname="localhost") as stream:
            stream.sendall(b"hello")
            self.may_read.wait(120)
            while len(self._got) < size:
                self._got += stream.recv(8192)


@pytest.mark.parametrize("broken", ["tls_cert", "tls_key"])
def test_files_that_are_not_there_or_no_pair_are_named(
    files: Files, broken: str, tmp_path: Path
) -> None:
    missing = str(tmp_path / "none.pem")
    with pytest.raises(TlsFilesError, match=r"none\.pem cannot be read: No such file"):
        server_context(**_arguments(files | {broken: missing}))
    other = tmp_path / "other.pem"
    other.write_text("no certificate")
    with pytest.raises(TlsFilesError, match=r"other\.pem.* PEM form"):
        server_context(**_arguments(files | {broken: str(other)}))


def first_legal(turn: Turn) -> list[Any]:
    return [turn.legal[0]]


async def test_the_sdk_plays_over_tls_when_it_trusts_the_authority(
    files: Files, trusting: ssl.SSLContext
) -> None:
    async with race_host("a", "b", **files) as host, trio.open_nursery() as nursery:

        def bot(name: str) -> None:
            run(first_legal, port=host.server.port, token=token(name), tls=trusting)

        for name in ("a", "b"):
            nursery.start_soon(trio.to_thread.run_sync, bot, name)
        assert (await host.match("m", "a", "b").record()).reason == "finished"
        await host.server.stop(1_000, "finished")


async def test_the_sdk_refuses_a_server_whose_authority_it_does_not_know(files: Files) -> None:
    async with race_host("a", **files) as host:

        def bot() -> None:
            port = host.server.port
            run(first_legal, port=port, token=token("a"), tls=True, reconnect_seconds=0.1)

        with pytest.raises(ConnectionLost, match="CERTIFICATE_VERIFY_FAILED"):
            await trio.to_thread.run_sync(bot)


async def test_the_sdk_refuses_a_server_of_another_name(
    files: Files, trusting: ssl.SSLContext
) -> None:
    async with race_host("a", host="127.0.0.2", **files) as host:

        def reach() -> None:
            connect(Address("127.0.0.2", host.server.port), 60, trusting)

        with pytest.raises(ConnectionLost, match="IP address mismatch"):
            await trio.to_thread.run_sync(reach)
