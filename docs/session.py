"""Writes the frames of a whole session into protocol.md, from a session that was played.

``python docs/session.py`` starts the real server on a socket of this machine, plays the first turns
of a match of Packeis am Pol between two bots, and puts every frame that the first one sent and got
between the marks in the document, short ones with their bytes. The bots are a socket and the
msgpack package: what the document shows is what a stranger's program would have seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import msgpack  # type: ignore[import-untyped]
import trio

from polynya_protocol.messages import Clock
from polynya_server import MatchSetup, MemoryJournal, ServerSettings, hash_token, open_server

DOCUMENT = Path(__file__).with_name("protocol.md")
BEGIN, END = "<!-- session begin -->\n", "<!-- session end -->"
TOKENS = {"alice": "alice-secret", "bob": "bob-secret"}
TURNS_BEFORE_RESIGNING = 1
BYTES_SHOWN = 75
"""The bytes of longer frames are left out."""
CELLS = {"alice": [1], "bob": [4]}
"""The cells that a bot places its penguins on: free floes with one fish."""
SETUP = MatchSetup(
    match="m1",
    game="packeis",
    players=("alice", "bob"),
    ratings=(1500.0, None),
    clock=Clock(initial_ms=60_000, increment_ms=500, move_ms=10_000),
    seed=1,
)

Sender = Literal["alice", "server"]
Frame = tuple[Sender, bytes]
"""The sender, and the bytes with the length."""


class Bot:
    """A bot as its author would write it with a socket: the frames that it sees are kept."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.frames: list[Frame] = []
        self._stream = stream
        self._received = b""

    async def send(self, **message: Any) -> None:
        """One message to the server."""
        payload = msgpack.packb(message)
        frame = len(payload).to_bytes(4, "big") + payload
        self.frames.append(("alice", frame))
        await self._stream.send_all(frame)

    async def receive(self) -> dict[str, Any]:
        """The next message of the server."""
        header = await self._take(4)
        payload = await self._take(int.from_bytes(header, "big"))
        self.frames.append(("server", header + payload))
        message: dict[str, Any] = msgpack.unpackb(payload)
        return message

    async def close(self) -> None:
        """The end of the connection."""
        await self._stream.aclose()

    async def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            self._received += await self._stream.receive_some()
        taken, self._received = self._received[:count], self._received[count:]
        return taken


async def _play(bot: Bot, name: str, resigns: bool) -> None:
    """A bot from ``hello`` to ``goodbye``."""
    await bot.send(type="hello", protocol=1, name=name, token=TOKENS[name], games=["packeis"])
    turns = 0
    while (message := await bot.receive())["type"] != "match_over":
        if message["type"] == "ping":
            await bot.send(type="pong", nonce=message["nonce"])
        elif message["type"] == "match_start":
            await bot.send(type="ready", match=message["match"])
        elif message["type"] == "turn":
            turns += 1
            match, turn = message["match"], message["turn"]
            if resigns and turns > TURNS_BEFORE_RESIGNING:
                await bot.send(type="resign", match=match)
            else:
                step = ["place", CELLS[name][turns - 1]]
                await bot.send(type="move", match=match, turn=turn, steps=[step])
    await bot.send(type="goodbye")
    await bot.close()


async def record() -> list[Frame]:
    """Every frame of one session of the bot ``alice``, in the order in which she saw them."""
    journal = MemoryJournal({name: hash_token(token) for name, token in TOKENS.items()})
    async with open_server(ServerSettings(), journal) as server, trio.open_nursery() as nursery:
        bots = [Bot(await trio.open_tcp_stream(server.host, server.port)) for _ in TOKENS]
        for bot, name in zip(bots, TOKENS, strict=True):
            nursery.start_soon(_play, bot, name, name == "alice")
        while len(server.connected) < len(TOKENS):
            await server.changed()
        await server.play(SETUP)
    return bots[0].frames


def text(frames: list[Frame]) -> str:
    """The frames as Markdown: what each says, and the bytes of short ones."""
    return "\n".join(_shown(*frame) for frame in frames)


def _shown(sender: Sender, frame: bytes) -> str:
    message = msgpack.unpackb(frame[4:])
    words = json.dumps(message, ensure_ascii=False)
    direction = "alice → server" if sender == "alice" else "server → alice"
    shown = f"**{direction}** `{message['type']}`\n\n```json\n{words}\n```\n"
    if len(frame) > BYTES_SHOWN:
        return shown
    rows = (frame[start : start + 16].hex(" ") for start in range(0, len(frame), 16))
    return f"{shown}\n```\n" + "\n".join(rows) + "\n```\n"


def main() -> None:
    """Play the session and write it into the document."""
    document = DOCUMENT.read_text(encoding="utf-8")
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    session = text(trio.run(record))
    DOCUMENT.write_text(f"{before}{BEGIN}\n{session}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
