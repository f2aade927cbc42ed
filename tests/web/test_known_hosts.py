"""The pages answer under known names only, so that a stranger's name cannot point to them."""

from __future__ import annotations

import socket

import httpx2
import pytest
import trio
from tests.web.conftest import OpenPages

from polynya_web.settings import WebSettings


async def asked_as(client: httpx2.AsyncClient, host: str, path: str = "/health") -> httpx2.Response:
    return await client.get(path, headers={"host": host})


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "192.168.1.5:8080",
        "[::1]:8080",
        "[2001:db8::1]",
        "localhost",
        "LocalHost:8080",
        "pages.localhost",
        "contest.example",
        "Contest.Example.:443",
        "xn--bcher-kva.example",
        socket.gethostname(),
    ],
)
async def test_pages_answer_under_addresses_and_known_names(pages: OpenPages, host: str) -> None:
    async with pages(hosts=("contest.example", "Bücher.example")) as client:
        assert (await asked_as(client, host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evillocalhost",
        "www.contest.example",
        "contest.example.evil.example",
        "evil.example:80@127.0.0.1",
    ],
)
async def test_pages_refuse_other_names(pages: OpenPages, host: str) -> None:
    async with pages(hosts=("contest.example",)) as client:
        answer = await asked_as(client, host)
    assert answer.status_code == 421
    assert "hosts = [...]" in answer.text


async def test_api_refuses_other_names_as_json(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await asked_as(client, "evil.example", "/api/v1/bots")
    assert (answer.status_code, list(answer.json())) == (421, ["error"])


async def test_request_without_host_is_answered(pages: OpenPages) -> None:
    """Probes of proxies that speak HTTP/1.0 send none; every browser does."""
    async with pages() as client:
        address = client.base_url
        async with await trio.open_tcp_stream(address.host, address.port or 80) as stream:
            await stream.send_all(b"GET /health HTTP/1.0\r\n\r\n")
            answered = b"".join([data async for data in stream])
    assert answered.split(b"\r\n")[0] == b"HTTP/1.1 200 "


@pytest.mark.parametrize("name", ["https://contest.example", "contest.example:443", "a b", "", "."])
def test_settings_refuse_what_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="is not a name; write it without"):
        WebSettings(hosts=(name,))
