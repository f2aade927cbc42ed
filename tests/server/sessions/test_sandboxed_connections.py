"""A socket in a bot's sandbox: only that bot comes in over it, and nothing else."""

from __future__ import annotations

import socket
from typing import Any

import pytest
import trio
from tests.scripted import race_host
from tests.scripted.race_host import RaceHost, token
from tests.scripted.raw_client import connected


async def answer(host: RaceHost, **hello: Any) -> dict[str, Any]:
    """What is said to a hello over a socket for the bot ann."""
    sock = socket.create_server(("127.0.0.1", 0))
    with host.server.hearing(sock, "ann"):
        async with connected("127.0.0.1", sock.getsockname()[1]) as client:
            return await client.hello(**hello)


async def test_bot_whose_socket_it_is_comes_in() -> None:
    async with race_host("ann", "bob") as host:
        said = await answer(host, token=token("ann"))
    assert (said["type"], said["bot"]) == ("welcome", "ann")


@pytest.mark.parametrize(
    "hello",
    [
        {"name": "bob", "token": token("bob")},
        {"token": token("bob")},
        {"name": "ann"},
        {"name": "new"},
        {"name": "ann", "token": "guessed"},
        {"role": "spectator"},
    ],
)
async def test_socket_of_a_sandbox_accepts_no_other_bot(hello: dict[str, Any]) -> None:
    async with race_host("ann", "bob", open_registration=True) as host:
        said = await answer(host, **hello)
    assert (said["type"], said["code"]) == ("error", "unauthorized")
    assert said["message"] == "only ann may connect here, with its token and to play"


async def test_connection_outlives_its_socket() -> None:
    async with race_host("ann", "bob") as host:
        sock = socket.create_server(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        with host.server.hearing(sock, "ann"):
            client = await host.client_at(port)
            await client.hello(token=token("ann"))
        await client.send(type="goodbye")
        assert await client.expect_end() == []
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream("127.0.0.1", port)
