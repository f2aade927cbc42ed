"""Hostile answers of snakes that are web servers: the last direction again, in time."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from polynya_foreign.adapters.web_snake import WebSnake, address_of

SHORT_S = 0.6
"""The time for a server that does not answer in it."""
PATIENT_S = 60.0


def http(body: bytes, head: bytes = b"", status: bytes = b"200 OK") -> bytes:
    length = b"" if head else b"Content-Length: %d\r\n" % len(body)
    return b"HTTP/1.1 " + status + b"\r\n" + head + length + b"\r\n" + body


GOOD = b'{"move": "left"}'
HOSTILE = {
    "nothing": b"",
    "no HTTP": b"left\n",
    "half a head": b"HTTP/1.1 200",
    "another status": http(GOOD, status=b"500 No"),
    "a redirect": http(GOOD, b"Location: http://127.0.0.1:1/move\r\n", b"302 Found"),
    "no JSON": http(b"left"),
    "no object": http(b'["left"]'),
    "no direction": http(b'{"move": "north"}'),
    "a number": http(b'{"move": 1}'),
    "deep JSON": http(b"[" * 30_000),
    "binary": http(bytes(range(256))),
    "a length beyond all": http(GOOD, b"Content-Length: " + b"9" * 30 + b"\r\n"),
    "a chunk beyond all": http(b"f" * 30 + b"\r\n" + GOOD, b"Transfer-Encoding: chunked\r\n"),
    "a long answer": http(b" " * 100_000 + GOOD),
    "endless heads": b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 20_000,
}


@contextlib.contextmanager
def server(
    answer: bytes,
    *,
    closes: bool = True,
    hangs_at: bytes | None = None,
    asked: list[bytes] | None = None,
) -> Iterator[int]:
    """A server that gives this answer to every request but one, and keeps paths; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:

        def serve() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with contextlib.suppress(OSError):
                    path = peer.recv(65_536).split(b" ")[1]
                    is_silent = path == hangs_at
                    if asked is not None:
                        asked.append(path)
                    peer.sendall(b"" if is_silent else answer)
                    if closes and not is_silent:
                        peer.close()
                    else:
                        stack.callback(peer.close)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port: int = listener.getsockname()[1]
        yield port
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENT_S)


def turn(seconds: float) -> Any:
    """A turn of a snake that went right last."""
    snake = {"health": 90, "body": [[3, 2], [2, 2], [1, 2]]}
    state = {
        "game": "snakes", "size": 7, "turn": 3, "food": [[1, 1]], "snakes": [snake, snake],
        "options": {"food_chance": 15, "minimum_food": 1},
    }  # fmt: skip
    players = [SimpleNamespace(name=name) for name in ("ada", "bob")]
    deadline = time.monotonic() + seconds
    return SimpleNamespace(
        state=state, game="snakes", seat=0, number=4, info={}, deadline=deadline,
        remaining=seconds, remaining_ms=seconds * 1000, think_until=lambda: deadline,
        match=SimpleNamespace(
            id="m1", seat=0, players=players, state=state, clock=SimpleNamespace(move_ms=500)
        ),
    )  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_bad_answer_is_the_last_direction_again(what: str) -> None:
    begin = time.monotonic()
    with server(HOSTILE[what]) as port:
        steps = WebSnake(address_of(f"http://127.0.0.1:{port}")).turn(turn(PATIENT_S))

    assert steps == [["move", "right"]]
    assert time.monotonic() - begin < PATIENT_S


def test_server_that_never_ends_its_answer_is_not_waited_for() -> None:
    asked = turn(SHORT_S)
    with server(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", closes=False) as port:
        steps = WebSnake(address_of(f"http://127.0.0.1:{port}")).turn(asked)

    assert steps == [["move", "right"]]
    assert "no good answer" in asked.info["text"]


def test_good_answer_is_the_direction() -> None:
    with server(http(GOOD)) as port:
        steps = WebSnake(address_of(f"http://127.0.0.1:{port}")).turn(turn(PATIENT_S))

    assert steps == [["move", "left"]]


def test_server_that_never_answers_start_has_its_whole_first_turn() -> None:
    asked: list[bytes] = []
    with server(http(GOOD), hangs_at=b"/start", asked=asked) as port:
        snake = WebSnake(address_of(f"http://127.0.0.1:{port}"))
        snake.match_start(turn(PATIENT_S).match)
        steps = snake.turn(turn(PATIENT_S))

    assert steps == [["move", "left"]]
    assert asked == [b"/start", b"/move"]


def test_server_that_never_answers_its_page_plays_all_the_same() -> None:
    begin = time.monotonic()
    with server(http(GOOD), hangs_at=b"/") as port:
        snake = WebSnake(address_of(f"http://127.0.0.1:{port}"))
        snake.wait_until_up()
        waited = time.monotonic() - begin
        assert snake.turn(turn(PATIENT_S)) == [["move", "left"]]

    assert waited < 10


def test_name_that_is_never_resolved_is_the_last_direction_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released = threading.Event()
    looked_up: list[str] = []

    def hang(host: str, *_: Any, **__: Any) -> Any:
        looked_up.append(host)
        released.wait(PATIENT_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    snake = WebSnake(address_of("http://snake.invalid:8000"))
    try:
        steps = [snake.turn(turn(SHORT_S)) for _ in range(2)]
    finally:
        released.set()

    assert steps == [[["move", "right"]]] * 2
    assert looked_up == ["snake.invalid"]


def test_name_of_a_host_is_resolved() -> None:
    with server(http(GOOD)) as port:
        steps = WebSnake(address_of(f"http://localhost:{port}")).turn(turn(PATIENT_S))

    assert steps == [["move", "left"]]
