"""Cases about frames: fragmentation, size limits, and frames that a server must refuse.

The refused frames are the shared vectors, from a checkout or from the wheel.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import trio

from polynya_common.extras import shipped
from polynya_conformance.alternative_encodings import framed, padded, plain, roundabout
from polynya_conformance.peer import cut
from polynya_conformance.server.probe import (
    Client,
    Site,
    Unmet,
    expect_pong,
    spectator_hello,
    still_answers,
)


class RefusedFrame(msgspec.Struct, frozen=True):
    """A frame that a server must refuse.

    Attributes:
        name: in a few words.
        state: the session's state on arrival: ``awaiting hello``, ``player`` or ``spectator``.
        hex: the frame.
        code, fatal: fields of the expected error.
        why: the reason, for people.
    """

    name: str
    state: str
    hex: str
    code: str
    fatal: bool
    why: str


class _Vectors(msgspec.Struct, frozen=True):
    from_client: list[RefusedFrame]


@functools.cache
def refused_frames() -> tuple[RefusedFrame, ...]:
    """All frames from clients that must be refused (protocol/vectors/refused.json)."""
    file = shipped("vectors/refused.json", "protocol/vectors/refused.json")
    return tuple(msgspec.json.decode(file.read_bytes(), type=_Vectors).from_client)


DEEPEST, MOST_ENTRIES = 16, 4096
_PLAYER_ONLY = {"a player watches"}


async def hello_in_other_forms(site: Site) -> None:
    """Keys in another order and the longest forms of all values."""
    await (await site.connect()).hello(spectator_hello(name=None, games=None), roundabout)


async def hello_in_pieces(site: Site) -> None:
    """A frame may be fragmented in any way."""
    client = await site.connect()
    client.begin()
    for piece in cut(framed(plain(spectator_hello()))):
        await client.send_bytes(piece)
        await trio.sleep(0.01)
    await client.receive()


async def longest_frame(site: Site) -> None:
    """A frame of exactly the limit is accepted."""
    client = await site.connect()
    limit = (await client.hello(spectator_hello())).max_frame
    await client.send({"type": "ping", "nonce": 1}, writing=lambda ping: padded(ping, limit))
    await expect_pong(client, 1)


async def too_long_frame(site: Site) -> None:
    """A length over the limit is refused before its bytes have arrived."""
    client = await site.connect()
    limit = (await client.hello(spectator_hello())).max_frame
    await client.send_bytes((limit + 1).to_bytes(4))
    await client.expect_error("too_large", fatal=True)


async def empty_frame(site: Site) -> None:
    """A frame has at least one byte."""
    client = await site.spectator()
    await client.send_bytes(bytes(4))
    await client.expect_error("malformed", fatal=True)


async def deepest(site: Site) -> None:
    """Sixteen levels pass, under an unknown key."""
    value: Any = 1
    for _ in range(DEEPEST - 1):
        value = [value]
    await still_answers(await site.spectator(), {"x": value})


async def most_entries(site: Site) -> None:
    """4,096 entries of an array pass, one more does not."""
    client = await site.spectator()
    await still_answers(client, {"x": [0] * MOST_ENTRIES})
    await client.send({"type": "ping", "nonce": 1, "x": [0] * (MOST_ENTRIES + 1)})
    await client.expect_error("malformed", fatal=True)


async def refused_first_frames(site: Site) -> None:
    """The vectors for a session that awaits its hello."""
    await _refuse_all(site, "awaiting hello", site.connect)


async def refused_from_players(site: Site) -> None:
    """The vectors for a player; without a player, a spectator serves for most."""
    await _refuse_all(site, "player", site.player if site.identity else site.spectator)


async def refused_from_spectators(site: Site) -> None:
    """The vectors for a spectator."""
    await _refuse_all(site, "spectator", site.spectator)


async def error_before_the_end(site: Site) -> None:
    """The error arrives even if the client goes on sending."""
    client = await site.spectator()
    await client.send_bytes(framed(b"\xc1") + bytes(200_000))
    await client.expect_error("malformed", fatal=True)


async def half_closed(site: Site) -> None:
    """A client that half-closes still gets the error that it has caused."""
    client = await site.spectator()
    await client.send_bytes(framed(b"\xc1"))
    await client.stream.send_eof()
    await client.expect_error("malformed", fatal=True)


async def _refuse_all(site: Site, state: str, peer: Callable[[], Awaitable[Client]]) -> None:
    """Send each vector of a state on a separate connection."""
    wrong: list[str] = []
    for frame in refused_frames():
        if frame.state == state and not (site.identity is None and frame.name in _PLAYER_ONLY):
            try:
                await _refuse(await peer(), frame)
            except Unmet as unmet:
                wrong.append(f"{frame.name} ({frame.why}): {unmet}")
            await site.hang_up()
    if wrong:
        more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise Unmet(wrong[0] + more)


async def _refuse(client: Client, frame: RefusedFrame) -> None:
    if frame.state == "awaiting hello":
        client.begin()
    await client.send_bytes(bytes.fromhex(frame.hex))
    await client.expect_error(frame.code, fatal=frame.fatal)
    if not frame.fatal:
        await still_answers(client, {})
