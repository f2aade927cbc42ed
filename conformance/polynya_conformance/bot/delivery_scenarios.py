"""Scenarios about bytes: fragmented and joined frames, unusual encodings, unknown keys."""

from __future__ import annotations

from polynya_conformance.alternative_encodings import (
    Writing,
    padded,
    plain,
    roundabout,
    with_unknown_keys,
)
from polynya_conformance.bot.checked_bot import NAME
from polynya_conformance.bot.scenario import Scenario, Stage, control
from polynya_conformance.peer import Broken, cut, single_bytes, welcome
from polynya_protocol.framing import MAX_FRAME_FROM_SERVER
from polynya_protocol.messages import Ping

NONCES: tuple[int | str, ...] = (0, -1, 2**64 - 1, -(2**63), "", "x" * 64, "žluťoučký kůň 馬")
IMPOSSIBLE_LENGTH = b"\xff\xff\xff\xff"
NOTICES_S = 3.0

UNKNOWN = {
    "type": "weather",
    "match": "m1",
    "seq": 0,
    "turn": 1,
    "forecast": [{"place": "Mawson", "wind": -1.5, "snow": None}],
}


async def frames_in_pieces(stage: Stage) -> None:
    """Every frame comes in pieces that end within its length and within its map."""
    peer, hello = await stage.joined()
    peer.pieces = cut
    await peer.welcome(NAME)
    table = stage.table(peer, hello)
    await table.start()
    await table.play(2)
    await table.play_others()
    peer.pieces = single_bytes
    await table.ask()
    peer.pieces = cut  # the answers to its questions cost it time
    await table.answer()


async def frames_together(stage: Stage) -> None:
    """Several frames come in one segment."""
    peer, hello = await stage.joined()
    table = stage.table(peer, hello)
    async with peer.one_segment():
        await peer.send(welcome(NAME))
        await table.announce()
    await table.expect_ready()
    for _ in range(2):
        async with peer.one_segment():
            await table.play_others()
            await table.ask()
        await table.answer()


async def a_large_frame(stage: Stage) -> None:
    """A turn as long as the largest frame that the bot says it takes, or else must take."""
    peer, hello = await stage.welcomed()
    table = stage.table(peer, hello)
    limit = min(hello.max_frame or MAX_FRAME_FROM_SERVER, MAX_FRAME_FROM_SERVER)
    with control():
        await table.start()
        await table.play_others()
        peer.writing = lambda document: plain({**document, "padding": "a short one"})
        await table.play(1)
        await table.play_others()
    peer.writing = lambda document: padded(document, limit)
    await table.ask()
    peer.writing = plain
    await table.answer()


async def unknown_keys(stage: Stage) -> None:
    """Every message has keys that the bot cannot know, also in nested maps."""
    await _written(stage, with_unknown_keys)


async def unknown_keys_at_the_end(stage: Stage) -> None:
    """The messages that end a match have such keys."""
    await _ended(stage, with_unknown_keys)


async def _written(stage: Stage, writing: Writing) -> None:
    """Play some turns of a match, all encoded in an unusual way."""
    peer, hello = await stage.joined()
    peer.writing = writing
    await peer.welcome(NAME)
    table = stage.table(peer, hello)
    await table.start()
    await table.play(2)


async def _ended(stage: Stage, writing: Writing) -> None:
    """Play matches in which only the end of one is encoded in an unusual way."""
    peer, hello = await stage.welcomed()
    with control():
        await stage.table(peer, hello).short_match()
        second = stage.table(peer, hello, "m2")
        await second.start()
    peer.writing = writing
    await second.finish()
    peer.writing = plain
    await stage.table(peer, hello, "m3").start()


async def unknown_messages(stage: Stage) -> None:
    """Messages of no known type: before a match, within it, and where an answer is awaited."""
    peer, hello = await stage.welcomed()
    table = stage.table(peer, hello)
    await peer.send(UNKNOWN)
    await table.start()
    await peer.send(UNKNOWN)
    for _ in range(2):
        await table.play_others()
        await table.ask(UNKNOWN, {"type": ""})
        await table.answer()


async def other_forms(stage: Stage) -> None:
    """Nil for absent keys, keys in reverse order, each value in its longest form."""
    await _written(stage, roundabout)


async def other_forms_at_the_end(stage: Stage) -> None:
    """The same for the messages that end a match."""
    await _ended(stage, roundabout)


async def an_impossible_length(stage: Stage) -> None:
    """A frame whose length field says 4 GiB."""
    peer, _ = await stage.welcomed()
    await peer.send_bytes(IMPOSSIBLE_LENGTH + bytes(64))
    if not await peer.hangs_up(NOTICES_S):
        raise Broken(
            "R6", f"a frame of 4 GiB was announced; {NOTICES_S:g} s later it still waited for it"
        )


async def pings(stage: Stage) -> None:
    """Pings with every kind of nonce, in the middle of a turn, and long after the last message."""
    peer, hello = await stage.welcomed()
    for nonce in NONCES:
        await peer.send(Ping(nonce=nonce))
        await peer.expect_pong(nonce, 5)
    table = stage.table(peer, hello)
    with control():
        await table.start()
        await table.play_others()
        await table.ask(Ping(nonce="in mid-turn"))
        await table.answer()
    await peer.expect_pong("in mid-turn", 1)
    with control():
        await table.finish()
    await peer.send(Ping(nonce=7))
    await peer.expect_pong(7, 5)


SCENARIOS = (
    Scenario("frames in pieces", ("R2",), frames_in_pieces),
    Scenario("frames together", ("R2",), frames_together),
    Scenario("a large frame", ("R2",), a_large_frame),
    Scenario("unknown keys", ("R3",), unknown_keys),
    Scenario("unknown keys at the end", ("R3",), unknown_keys_at_the_end),
    Scenario("unknown messages", ("R4",), unknown_messages),
    Scenario("other forms", ("R5",), other_forms),
    Scenario("other forms at the end", ("R5",), other_forms_at_the_end),
    Scenario("an impossible length", ("R6",), an_impossible_length),
    Scenario("pings", ("R9",), pings),
)
