"""The proxy of a build, over real sockets: what it passes on, what it refuses, and its bounds."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require_sandboxes
from tests.tournaments.uploads.building.mirror_server import NAME, MirrorServer, mirror_server

from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.building.build import Build, Built
from polynya_tournaments.uploads.building.build_tools import NETWORK
from polynya_tournaments.uploads.building.mirror_proxy import DownloadLimits, MirrorProxy
from polynya_tournaments.uploads.building.mirrors import Mirror

PATIENCE_S = 60
FETCH = """
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile="authority.pem")
print(len(urllib.request.urlopen(sys.argv[1], context=context, timeout=30).read()))
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MirrorServer]:
    with mirror_server(tmp_path) as running:
        yield running


@dataclass
class Asking:
    """Connections to a proxy that listens here."""

    proxy: MirrorProxy
    port: int

    async def request(self, head: bytes) -> tuple[trio.SocketStream, bytes]:
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        await stream.send_all(head)
        return stream, bytes(await stream.receive_some(10_000))

    async def status(self, head: bytes) -> str:
        """The line that it answers a request with."""
        stream, answer = await self.request(head)
        await stream.aclose()
        return answer.partition(b"\r\n")[0].decode()

    async def connect(self, host: str, port: int) -> str:
        return await self.status(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


@asynccontextmanager
async def asking(*mirrors: Mirror, **limits: float) -> AsyncIterator[Asking]:
    proxy = MirrorProxy(mirrors, DownloadLimits(**limits))  # type: ignore[arg-type]
    sock = socket.create_server(("127.0.0.1", 0))
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            with proxy.listening(nursery, sock):
                yield Asking(proxy, sock.getsockname()[1])


async def test_it_passes_tls_on_to_a_mirror(server: MirrorServer) -> None:
    context = ssl.create_default_context(cafile=str(server.authority))
    async with asking(server.mirror) as ask:
        stream, answer = await ask.request(
            f"CONNECT {NAME}:{server.port} HTTP/1.1\r\n\r\n".encode()
        )
        assert answer.startswith(b"HTTP/1.1 200 ")
        secure = trio.SSLStream(stream, context, server_hostname=NAME, https_compatible=True)
        async with stream:
            await secure.send_all(b"GET /5 HTTP/1.0\r\n\r\n")

            assert b"".join([bytes(part) async for part in secure]).endswith(b"\r\n\r\nxxxxx")


async def test_names_and_ports_are_those_of_a_mirror_to_the_letter(server: MirrorServer) -> None:
    port = server.port
    async with asking(server.mirror) as ask:
        assert await ask.connect(NAME.upper(), port) == "HTTP/1.1 200 Connection established"
        for host, other in [
            ("evil.example", port),
            (f"{NAME}.", port),
            (f"evil.{NAME}", port),
            (f"{NAME}.evil.example", port),
            ("127.0.0.1", port),
            ("[::ffff:127.0.0.1]", port),
            (NAME, 443),
            (NAME, port + 1),
        ]:
            assert await ask.connect(host, other) == "HTTP/1.1 403 Forbidden", (host, other)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET http://mirror.example/5 HTTP/1.1\r\n\r\n", "403 Forbidden"),
        (b"GET / HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"\x16\x03\x01\r\n\r\n", "405 Method Not Allowed"),
        (b"CONNECT mirror.example HTTP/1.1\r\n\r\n", "403 Forbidden"),
        (b"CONNECT \xff:1 HTTP/1.1\r\n\r\n", "403 Forbidden"),
        (b"x" * 9_000, "400 Bad Request"),
        (b"CONNECT mirror.example:443 HTTP/1.1\r\n", "400 Bad Request"),
    ],
)
async def test_other_requests_are_answered_with_what_is_wrong(
    head: bytes, status: str, server: MirrorServer
) -> None:
    async with asking(server.mirror, head_s=0.2) as ask:
        assert await ask.status(head) == f"HTTP/1.1 {status}"


async def test_a_name_that_leads_to_this_machine_is_refused(server: MirrorServer) -> None:
    async with asking(Mirror("localhost", server.port)) as ask:
        assert await ask.connect("localhost", server.port) == "HTTP/1.1 502 Bad Gateway"

    assert ask.proxy.report == [
        f"the mirror localhost:{server.port} is not reached: its address is private, and the "
        "setting does not name it"
    ]


async def test_a_mirror_that_is_away_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with asking(Mirror(NAME, port, "127.0.0.1")) as ask:
            assert await ask.connect(NAME, port) == "HTTP/1.1 502 Bad Gateway"

    assert ask.proxy.report == [
        f"the mirror {NAME}:{port} is not reached: no connection is accepted"
    ]


async def test_a_mirror_that_says_nothing_is_left(listening_port: int) -> None:
    async with asking(Mirror(NAME, listening_port, "127.0.0.1"), idle_s=0.2) as ask:
        head = f"CONNECT {NAME}:{listening_port} HTTP/1.1\r\n\r\n".encode()
        stream, _ = await ask.request(head)

        async with stream:
            assert await stream.receive_some(1) == b""


async def test_more_connections_than_it_has_wait_for_their_turn(server: MirrorServer) -> None:
    async with asking(server.mirror, connections=1) as ask:
        first, _ = await ask.request(f"CONNECT {NAME}:{server.port} HTTP/1.1\r\n\r\n".encode())
        async with trio.open_nursery() as nursery:
            answers: list[str] = []

            async def second() -> None:
                answers.append(await ask.connect(NAME, server.port))

            nursery.start_soon(second)
            await trio.testing.wait_all_tasks_blocked(0.05)
            assert answers == []
            await first.aclose()
        assert answers == ["HTTP/1.1 200 Connection established"]


@pytest.fixture
def built(tmp_path: Path, server: MirrorServer) -> _Builder:
    require_sandboxes()
    return _Builder(tmp_path, server)


class _Builder:
    """Builds a program that fetches from the network, in a real sandbox."""

    def __init__(self, home: Path, server: MirrorServer) -> None:
        self._folder = home / "program"
        self._folder.mkdir()
        (self._folder / "fetch.py").write_text(FETCH)
        (self._folder / "authority.pem").write_bytes(server.authority.read_bytes())

    async def __call__(self, proxy: MirrorProxy, *commands: str) -> Built:
        limits = SandboxLimits(memory_mb=256, processes=32, cpu_s=10, file_mb=16, space_mb=16)
        manifest = Manifest(
            name="fish", version="1", language="sh", build=commands, run="x", games=("packeis",)
        )
        sandbox = sandbox_of(SandboxSettings(driver="bubblewrap", limits=limits))
        return await Build(self._folder, manifest, sandbox, environment=NETWORK, proxy=proxy).run()


async def test_a_build_downloads_from_a_mirror(built: _Builder, server: MirrorServer) -> None:
    proxy = MirrorProxy([server.mirror])

    done = await built(proxy, f"python3 fetch.py https://{NAME}:{server.port}/70000")

    assert done.failure is None
    assert "\n70000\n" in done.log
    assert f"--- from the mirror {NAME}:{server.port}: 7" in done.log


async def test_a_build_that_asks_for_another_host_is_told_its_mirrors(
    built: _Builder, server: MirrorServer
) -> None:
    done = await built(MirrorProxy([server.mirror]), "python3 fetch.py https://evil.example/5")

    assert done.failure is not None
    assert str(done.failure).endswith(
        f"; it asked for evil.example, and builds here reach {NAME}:{server.port} only"
    )
    assert "--- not reached: evil.example ---" in done.log


async def test_a_build_without_mirrors_is_told_that_there_is_no_network(built: _Builder) -> None:
    done = await built(MirrorProxy(), "python3 fetch.py https://evil.example/5")

    assert done.failure is not None
    assert str(done.failure).endswith(
        "; it asked for evil.example, and builds here have no network: "
        "the archive must have all it needs"
    )


async def test_a_build_that_downloads_too_much_is_ended(
    built: _Builder, server: MirrorServer
) -> None:
    proxy = MirrorProxy([server.mirror], DownloadLimits(megabytes=1))

    done = await built(proxy, f"python3 fetch.py https://{NAME}:{server.port}/2000000")

    assert done.failure is not None
    assert str(done.failure).startswith("build[0] downloaded more than 1 MiB")
