"""A bot without an SDK that meets every requirement, or all but the one that is named as its fault.

It is a program of its own: ``faulty_bot.py [FAULT]``.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]

FAULT = sys.argv[1] if len(sys.argv) > 1 else None
LARGEST = 1024 * 1024
KNOWN = {
    "welcome": "protocol server bot session heartbeat_ms max_frame matches token",
    "turn": "match seq turn remaining_ms legal state",
    "match_start": "match seq game seat players options clock state",
}


class Lost(Exception):  # noqa: N818
    """The connection has ended."""


class Unwanted(Exception):  # noqa: N818
    """The server wants nobody now."""


class Bot:
    """A bot over as many connections as it takes."""

    def __init__(self) -> None:
        self.name: str = os.environ["POLYNYA_NAME"]
        self.servers = os.environ["POLYNYA_HOST"].split(",")
        self.token_file = Path(os.environ["POLYNYA_TOKEN_FILE"])
        kept = self.token_file.read_text() if self.token_file.exists() else None
        self.token = os.environ.get("POLYNYA_TOKEN", kept)
        self.matches: list[str] = []
        self.put_off: list[dict[str, Any]] = []
        self.buffer = b""
        self.last_move: dict[str, Any] = {}
        self.sock = socket.socket()

    def play(self) -> None:
        steady = FAULT == "steady pauses"
        pause = first_pause = 1.0 if steady else 0.1  # a busy machine does not make 1 s grow
        while True:
            try:
                self.connect()
                pause = first_pause
                return self.converse()
            except Unwanted:
                if FAULT != "faithful":
                    self.next_server()
                if FAULT == "with the crowd":
                    time.sleep(5)
                else:
                    time.sleep(2.5 * random.uniform(0.5, 1))
            except (Lost, OSError):
                time.sleep(pause)
                pause *= 1 if steady else 2

    def connect(self) -> None:
        self.buffer, self.put_off = b"", []
        try:
            self.sock = self.connection()
        except OSError as error:
            if FAULT == "waits for no server":
                sys.exit(str(error))
            raise
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if FAULT == "ping before hello":
            self.send("ping", nonce=1)
        hello = {
            "protocol": 2 if FAULT == "protocol 2" else 1,
            "name": self.name,
            "concurrency": 2,
            "wants": ["legal"],
            **({} if self.token is None or FAULT == "no token" else {"token": self.token}),
        }
        self.send("hello", **hello)
        if FAULT == "hello twice":
            self.send("hello", **hello)
        message = self.receive()
        if message["type"] != "welcome":
            self.refused(message)
            return
        if FAULT != "own name":
            self.name = message["bot"]
        if FAULT == "nil is a value" and "token" in message:
            self.token = message["token"].strip()
        elif FAULT != "forgets its token":
            self.token = message.get("token") or self.token
            if self.token and FAULT != "starts as a stranger":
                self.token_file.write_text(self.token)

    def connection(self) -> socket.socket:
        failed = OSError()
        for _ in self.servers:
            host, _, port = self.servers[0].partition(":")
            try:
                return socket.create_connection((host, int(port or os.environ["POLYNYA_PORT"])))
            except OSError as error:
                failed = error
                self.next_server()
        raise failed

    def next_server(self) -> None:
        if FAULT != "one address":
            self.servers.append(self.servers.pop(0))

    def refused(self, error: dict[str, Any]) -> None:
        if FAULT == "hurries back":
            raise Lost
        if error["code"] == "shutting_down" or (
            error["code"] == "server_full" and FAULT != "full is full"
        ):
            raise Unwanted
        sys.exit(1)

    def stopped(self) -> None:
        if FAULT != "dies silently":
            self.send("goodbye")
        sys.exit()

    def send(self, kind: str, **message: Any) -> None:
        payload = msgpack.packb({"type": kind, **message})
        self.sock.sendall(struct.pack(">I", len(payload)) + payload)

    def receive(self) -> dict[str, Any]:
        length = struct.unpack(">I", self.exactly(4))[0]
        if length > LARGEST and FAULT != "any length":
            sys.exit("a frame is too long")
        message: dict[str, Any] = msgpack.unpackb(self.exactly(length))
        known = KNOWN.get(message["type"], " ".join(message)).split()
        if FAULT == "strict keys" and not {*message} <= {"type", *known}:
            sys.exit("a key is unknown")
        return message

    def exactly(self, count: int) -> bytes:
        while len(self.buffer) < count:
            data = self.sock.recv(65_536)
            if not data or (FAULT == "whole reads" and len(data) < count):
                raise Lost
            self.buffer += data
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def converse(self) -> None:
        while True:
            message = self.put_off.pop(0) if self.put_off else self.receive()
            if message["type"] == "goodbye":
                reason = message.get("reason")
                if (FAULT, reason) in (
                    ("never replaced", "replaced"),
                    ("never finished", "finished"),
                ):
                    raise Lost
                if reason in ("replaced", "finished") or FAULT == "goodbye is goodbye":
                    return
                if (FAULT, reason) in (("silent is for good", "silent"), ("knows all words", None)):
                    return
                raise Unwanted
            self.handle(message)

    def handle(self, message: dict[str, Any]) -> None:  # noqa: C901 - one fault in each branch
        match message["type"]:
            case "match_start":
                self.matches.append(message["match"])
                if FAULT == "bin":
                    self.send("ready", match=message["match"].encode())
                elif FAULT != "not ready":
                    self.send("ready", match=message["match"])
            case "match_resume" if FAULT != "no memory, no match":
                self.matches.append(message["match"])
                if FAULT == "moves again" and self.last_move:
                    self.send("move", **self.last_move)
            case "turn" if message["match"] in self.matches:
                self.turn(message)
            case "ping" if FAULT != "no pong":
                nonce = message["nonce"]
                self.send("pong", nonce=str(nonce) if FAULT == "pong in words" else nonce)
            case "forfeited" if FAULT == "mourns":
                self.matches.remove(message["match"])
            case "match_over":
                if FAULT == "one match":
                    sys.exit()
                if FAULT == "counts ratings" and "ratings" in message:
                    len(message["ratings"])
            case "error":
                if message["fatal"]:
                    self.refused(message)
                elif (
                    FAULT == "sulks" and message["code"] == "too_large"
                ) or FAULT == "every error ends":
                    sys.exit(message["message"])
            case "notice" if FAULT == "alarmed":
                sys.exit(message["message"])
            case "weather" if FAULT == "strict types":
                sys.exit("what is weather?")

    def turn(self, turn: dict[str, Any]) -> None:  # noqa: C901
        if FAULT == "late":
            time.sleep(turn["remaining_ms"] / 1000 + 0.1)
        steps = [random.choice(turn["legal"])]
        while not (answer := self.legal_after(turn, steps)).get("turn_over"):
            if answer["type"] == "error":
                return
            steps.append(random.choice(answer["legal"]))
        move = {"match": turn["match"], "turn": turn["turn"], "steps": steps}
        match FAULT:
            case "illegal":
                move["steps"] = [["fly", 1]]
            case "fractions":
                move["turn"] = float(turn["turn"])
            case "another turn":
                move["turn"] = turn["turn"] + 1
            case "latest match":
                move["match"] = self.matches[-1]
            case "sulks":
                move["info"] = {"text": "hello"}
            case "talks":
                move["info"] = {"text": "x" * 1024}
            case "lists":
                move["info"] = ["a", "list"]
        self.last_move = move
        self.send("move", **move)
        if FAULT == "twice":
            self.send("move", **move)

    def legal_after(self, turn: dict[str, Any], steps: list[Any]) -> dict[str, Any]:
        about = {"match": turn["match"], "turn": turn["turn"]}
        self.send("steps", **about, steps=steps)
        while True:
            answer = self.receive()
            ours = {key: answer.get(key) for key in about} == about
            if answer["type"] in ("legal", "error") and (ours or answer.get("turn") is None):
                return answer
            if answer["type"] == "match_over" and answer["match"] == turn["match"]:
                self.put_off.append(answer)
                return {"type": "error"}
            self.put_off.append(answer)


if __name__ == "__main__":
    bot = Bot()
    signal.signal(signal.SIGTERM, lambda *_: bot.stopped())
    bot.play()
