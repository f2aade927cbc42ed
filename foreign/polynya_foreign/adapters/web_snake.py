"""Snakes that are web servers of the public Battlesnake API."""

from __future__ import annotations

import http.client
import io
import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from polynya_client import Bot, Match, Turn
from polynya_client.events import MatchOver, Steps
from polynya_foreign.adapters.look_up import LookUp
from polynya_foreign.adapters.program import EngineFailed, note

MOST_BYTES: Final = 64 * 1024
"""The most bytes of an answer that are read."""
_UP_SECONDS: Final = 20
_AGAIN_SECONDS: Final = 0.05
_ANSWER_SECONDS: Final = 1.0
"""How long a server may take to answer anything but ``/move``."""
_MARGIN: Final = 0.1
_OK: Final = 200
_NO_ANSWER: Final = (
    OSError,
    ValueError,
    OverflowError,  # a length that no file can have
    RecursionError,  # JSON that is nested too deeply
    http.client.HTTPException,
)
"""The errors of a server without a good answer."""
DIRECTIONS: Final = {(0, 1): "up", (0, -1): "down", (1, 0): "right", (-1, 0): "left"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a snake listens; nothing else is ever asked.

    Attributes:
        host: its name or number.
        port: its port.
        path: what stands before ``/move``.
        look_up: the host's numbers.
    """

    host: str
    port: int
    path: str
    look_up: LookUp


def address_of(url: str) -> Address:
    """The address of ``http://HOST:PORT/PATH``.

    Raises:
        EngineFailed: it is no such address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 80
    except ValueError as error:
        raise EngineFailed(f"{url!r} is no address: {error}") from error
    if parts.scheme != "http" or not parts.hostname or parts.query or not url.isprintable():
        raise EngineFailed(f"{url!r} is no address of the form http://HOST:PORT/PATH")
    return Address(parts.hostname, port, parts.path.rstrip("/"), LookUp(parts.hostname))


class WebSnake(Bot):
    """A bot whose directions a web server says; without a good answer it goes straight on.

    Args:
        address: the server's.
        check: raises EngineFailed if the server's program has ended.
    """

    def __init__(self, address: Address, check: Callable[[], None] = lambda: None) -> None:
        self._address = address
        self._check = check
        self._started = ""

    def wait_until_up(self) -> None:
        """Wait until the server listens; its answer to ``GET /`` is asked for, but not needed.

        Raises:
            EngineFailed: it does not listen, or has ended.
        """
        deadline = time.monotonic() + _UP_SECONDS
        while True:
            self._check()
            now = time.monotonic()
            if now >= deadline:
                raise EngineFailed(f"no server listens on its port after {_UP_SECONDS} seconds")
            try:
                ask(self._address, "GET", "/", b"", min(deadline, now + _ANSWER_SECONDS))
            except ConnectionError:
                time.sleep(_AGAIN_SECONDS)
            except _NO_ANSWER as error:
                note(f"/: {str(error) or 'it is late'}")
                return
            else:
                return

    def match_start(self, match: Match) -> None:
        """Tell it of the match: before the first turn, whose clock does not wait for it."""
        if _is_of_snakes(match.state) and self._started != match.id:
            self._started = match.id
            document = told(match, match.state, match.clock.move_ms or match.clock.initial_ms or 0)
            self._event("/start", document, time.monotonic() + _ANSWER_SECONDS)

    def turn(self, turn: Turn) -> Steps:
        """The server's direction, or the last one again."""
        state = turn.state
        if not _is_of_snakes(state):
            raise EngineFailed(f"the adapter http plays snakes, not {turn.game}")
        self._check()
        deadline = min(turn.think_until(), turn.deadline - min(_MARGIN, turn.remaining_ms / 5000))
        document = told(turn.match, state, int((deadline - time.monotonic()) * 1000))
        direction = last_direction(state["snakes"][turn.seat]["body"])
        try:
            body = json.dumps(document).encode()
            said = read_move(ask(self._address, "POST", "/move", body, deadline))
        except _NO_ANSWER as error:
            what = "it is late" if isinstance(error, TimeoutError) else str(error)
            note(f"turn {turn.number}: {direction} again, without a good answer: {what}")
            turn.info = {"text": f"no good answer: {direction} again"}
        else:
            direction = said
        return [["move", direction]]

    def match_over(self, match: Match, over: MatchOver) -> None:
        """Tell it of the end, if it was told of the beginning."""
        if self._started == match.id:
            final = over.message.get("state") or match.state
            self._event("/end", told(match, final, 0), time.monotonic() + _ANSWER_SECONDS)

    def _event(self, path: str, document: Mapping[str, Any], deadline: float) -> None:
        try:
            ask(self._address, "POST", path, json.dumps(document).encode(), deadline)
        except _NO_ANSWER as error:
            note(f"{path}: {str(error) or 'it is late'}")


def _is_of_snakes(state: Mapping[str, Any]) -> bool:
    return isinstance(state.get("snakes"), list) and "food" in state


def read_move(answer: bytes) -> str:
    """The direction in an answer to ``/move``.

    Raises:
        ValueError: it has none.
    """
    document = json.loads(answer)
    move = document.get("move") if isinstance(document, dict) else None
    if not isinstance(move, str) or move not in DIRECTIONS.values():
        raise ValueError("its answer has no 'move' that is up, down, left or right")
    return move


def ask(address: Address, method: str, path: str, body: bytes, deadline: float) -> bytes:
    """One request, and the body of the answer, which has a bound and a deadline; no redirects.

    Raises:
        TimeoutError: it is late.
        OSError: no server answers.
        ValueError: the answer is too long, or its status is not 200.
        OverflowError: it says a length that nothing can have.
        http.client.HTTPException: it is no HTTP.
    """
    head = (
        f"{method} {address.path}{path} HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    with _connection(address, deadline) as peer:
        peer.settimeout(_left(deadline))
        peer.sendall(head.encode() + body)
        received = b""
        while not _is_whole(received):
            peer.settimeout(_left(deadline))
            got = peer.recv(MOST_BYTES)
            if not got:
                break
            received += got
            if len(received) > MOST_BYTES:
                raise ValueError(f"its answer is longer than {MOST_BYTES} bytes")
    return _body(received)


def _connection(address: Address, deadline: float) -> socket.socket:
    """A connection to the first of the host's numbers that takes one.

    Raises:
        TimeoutError: it is late.
        OSError: no server listens.
    """
    failed = OSError(f"{address.host} has no number")
    for number in address.look_up.numbers(_left(deadline)):
        try:
            return socket.create_connection((number, address.port), timeout=_left(deadline))
        except OSError as error:
            failed = error
    raise failed


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Received(socket.socket):
    """A received answer, as ``http.client`` reads it."""

    def __init__(self, received: bytes) -> None:
        super().__init__()
        self.close()
        self._received = received

    def makefile(self, *_: Any, **__: Any) -> Any:
        """The bytes as a file."""
        return io.BytesIO(self._received)


def _response(received: bytes) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(_Received(received))
    response.begin()
    return response


def _is_whole(received: bytes) -> bool:
    """Whether an answer needs no more bytes, though the server does not close the connection."""
    head, between, body = received.partition(b"\r\n\r\n")
    if not between:
        return False
    lower = head.lower()
    if b"transfer-encoding:" in lower:
        return body.endswith(b"0\r\n\r\n")
    if b"content-length:" not in lower:
        return False
    length = _response(received).length
    return length is None or len(body) >= length


def _body(received: bytes) -> bytes:
    response = _response(received)
    if response.status != _OK:
        raise ValueError(f"its status is {response.status}, not {_OK}")
    return response.read()


def last_direction(body: list[list[int]]) -> str:
    """The direction that a snake went in last; up if it has not moved."""
    if len(body) < 2:
        return "up"
    (x, y), (from_x, from_y) = body[0], body[1]
    return DIRECTIONS.get((x - from_x, y - from_y), "up")


def told(match: Match, state: Mapping[str, Any], timeout_ms: int) -> dict[str, Any]:
    """A position as the public API has it."""
    snakes = [_snake(match, seat, each) for seat, each in enumerate(state["snakes"])]
    options = state["options"]
    settings = {
        "foodSpawnChance": options["food_chance"],
        "minimumFood": options["minimum_food"],
        "hazardDamagePerTurn": 0,
    }
    return {
        "game": {
            "id": match.id,
            "ruleset": {"name": "standard", "version": "v1", "settings": settings},
            "map": "standard",
            "timeout": max(timeout_ms, 0),
            "source": "custom",
        },
        "turn": state["turn"],
        "board": {
            "height": state["size"],
            "width": state["size"],
            "food": [_point(field) for field in state["food"]],
            "hazards": [],
            "snakes": [snake for snake in snakes if snake["body"]],
        },
        "you": snakes[match.seat],
    }


def _snake(match: Match, seat: int, snake: Mapping[str, Any]) -> dict[str, Any]:
    body = [_point(field) for field in snake["body"]]
    return {
        "id": f"{match.id}-{seat}",
        "name": match.players[seat].name,
        "health": snake["health"],
        "body": body,
        "latency": "0",
        "head": body[0] if body else None,
        "length": len(body),
        "shout": "",
        "squad": "",
        "customizations": {"color": "#888888", "head": "default", "tail": "default"},
    }


def _point(field: list[int]) -> dict[str, int]:
    return {"x": field[0], "y": field[1]}
