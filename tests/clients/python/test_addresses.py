"""Several servers of one contest: how the list is read, and which of them is tried next."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import pytest
import trio
from tests.folders import ROOT

from polynya_client import BadSettings, aio
from polynya_client.addresses import Address, read_addresses
from polynya_client.turn import Turn

LISTS = json.loads((ROOT / "clients" / "addresses.json").read_text("utf-8"))
SECRET: Mapping[str, Any] = {"token": "secret"}
STEP = ["move", 12, 40]
SECONDS = 120

Run = Callable[..., Future[None]]


def play_step(_turn: Turn) -> list[list[Any]]:
    return [STEP]


async def play_step_on_trio(_turn: aio.Turn) -> list[list[Any]]:
    return [STEP]


def test_lists_are_read_as_in_every_language() -> None:
    for case in LISTS["read"]:
        expected = tuple(Address(*address) for address in case["addresses"])
        assert expected == read_addresses(case["text"], case["port"]), case


@pytest.mark.parametrize("case", LISTS["refused"], ids=lambda case: repr(case["text"]))
def test_what_is_no_list_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(BadSettings):
        read_addresses(case["text"], case["port"])


@pytest.fixture(params=["threads", "trio"])
def start(scripted_server: Any, request: pytest.FixtureRequest) -> Run:
    """Runs a bot of either kind in a thread."""
    if request.param == "threads":
        return lambda **given: scripted_server.run(play_step, **SECRET, **given)

    def run(**given: Any) -> Future[None]:
        async def main() -> None:
            with trio.fail_after(SECONDS):
                await aio.run(play_step_on_trio, name="ada", **SECRET, **given)

        future: Future[None] = scripted_server._threads.submit(trio.run, main)
        return future

    return run


@pytest.fixture
def closed() -> Iterator[int]:
    """A port where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.fixture
def first() -> Iterator[socket.socket]:
    """Another server's listening socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(SECONDS)
        yield listener


def test_server_that_is_not_there_is_passed_over(
    scripted_server: Any, start: Run, closed: int
) -> None:
    bot = start(host=f"127.0.0.1:{closed}, 127.0.0.1", port=scripted_server.port)
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({"type": "goodbye", "reason": "finished"})
    assert bot.result(SECONDS) is None


@pytest.mark.parametrize(
    "last",
    [
        {"type": "goodbye", "reason": "shutting_down"},
        {"type": "error", "code": "server_full", "message": "no room", "fatal": True},
    ],
    ids=lambda last: str(last["type"]),
)
def test_bot_tries_the_next_address_after_a_server_that_takes_none(
    scripted_server: Any, start: Run, first: socket.socket, last: dict[str, Any]
) -> None:
    before = type(scripted_server)(first, scripted_server._threads)
    bot = start(host=f"127.0.0.1:{before.port},127.0.0.1:{scripted_server.port}")
    peer = before.accept()
    if last["type"] == "goodbye":
        peer.welcome()
    else:
        peer.receive()
    peer.send(last)
    peer.socket.close()
    peer = scripted_server.accept()
    assert peer.welcome().items() >= SECRET.items()
    peer.send({"type": "goodbye", "reason": "finished"})
    assert bot.result(SECONDS) is None


def test_server_that_stands_still_is_left_for_the_next_one(
    scripted_server: Any, start: Run, first: socket.socket
) -> None:
    began = time.monotonic()
    bot = start(host=f"127.0.0.1:{first.getsockname()[1]},127.0.0.1:{scripted_server.port}")
    peer = scripted_server.accept()
    assert time.monotonic() - began < 30  # three, where nothing else runs
    peer.welcome()
    peer.send({"type": "goodbye", "reason": "finished"})
    assert bot.result(SECONDS) is None


def test_lost_session_is_taken_up_where_it_was(
    scripted_server: Any, start: Run, first: socket.socket
) -> None:
    other = first.getsockname()[1]
    bot = start(host=f"127.0.0.1:{scripted_server.port},127.0.0.1:{other}")
    peer = scripted_server.accept()
    peer.welcome()
    peer.socket.close()
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({"type": "goodbye", "reason": "finished"})
    assert bot.result(SECONDS) is None
