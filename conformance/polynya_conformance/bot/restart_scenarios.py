"""Scenarios about restarts: of the server, which a bot survives, and of the bot itself."""

from __future__ import annotations

import os

import trio

from polynya_conformance.bot.checked_bot import NAME
from polynya_conformance.bot.connection_scenarios import (
    COMES_BACK_S,
    STAYED,
    refuse,
)
from polynya_conformance.bot.scenario import Scenario, Stage, control
from polynya_conformance.peer import Broken, Gone, Left, Peer
from polynya_conformance.requirements import Verdict
from polynya_protocol.messages import Goodbye, Ping
from polynya_server.sessions.tokens import new_token

OPENS_S = 2.0
"""How long a newly started bot's connections are refused."""
COPIES = 6
TOGETHER = 5
"""If this number of copies come back at the same time, pauses have no random part."""
SAME = 0.03
"""Pauses count as equal if they differ by less than this fraction of the shortest."""
GOODBYE_S = 3.0


async def no_server_yet(stage: Stage) -> None:
    """The bot is started before the server."""
    await trio.sleep(OPENS_S)
    stage.host.listeners[0].open()
    await _expect_back(stage, "its first connection had been refused")


async def full_server(stage: Stage) -> None:
    """There is no room at first."""
    peer, _ = await stage.joined()
    await refuse(peer, "server_full", "no more connections are taken; try later")
    await _expect_back(stage, "the fatal error server_full")


async def restarted_server(stage: Stage) -> None:
    """The server stops in order; it is still stopping at the bot's first reconnection."""
    peer, _ = await stage.welcomed()
    await _stop(peer)
    again = await _expect_back(stage, "the goodbye shutting_down")
    if again is not None:
        await again.greeted()
        await refuse(again, "shutting_down", "the server stops; try later")
        await _expect_back(stage, "the fatal error shutting_down")


async def other_goodbyes(stage: Stage) -> None:
    """The server says goodbye with each reason after which bots should come back."""
    peer, _ = await stage.welcomed()
    for reason in ("silent", "moving-house", None):
        await peer.send(Goodbye(reason=reason))
        await peer.close()
        said = "a goodbye without a reason" if reason is None else f"the goodbye {reason}"
        again = await _expect_back(stage, said)
        if again is None:
            return
        await again.greeted()
        await again.welcome(NAME)
        peer = again


async def many_at_once(stage: Stage) -> None:
    """Copies of the bot are told at the same moment that the server stops."""
    peers = [(await stage.welcomed())[0]]
    while len(peers) < COPIES:
        stage.host.start()
        peers.append((await stage.welcomed())[0])
    for peer in peers:
        await _stop(peer)
    pauses = await _pauses(stage)
    if not pauses:
        stage.note("R27", Verdict.NOT_APPLICABLE, STAYED)
        return
    if len(pauses) < COPIES:
        raise Broken("R27", f"of {COPIES} copies of it only {len(pauses)} came back")
    spans = [late - early for early, late in zip(pauses, pauses[TOGETHER - 1 :], strict=False)]
    if min(spans) < SAME * pauses[0]:
        raise Broken(
            "R27",
            f"of {COPIES} copies that left together {TOGETHER} came back within "
            f"{min(spans) * 1000:.0f} ms, after {pauses[0]:.1f} s: the pause has no jitter",
        )


async def _pauses(stage: Stage) -> list[float]:
    """Measure after how many seconds each copy comes back, in ascending order."""
    began = trio.current_time()
    pauses: list[float] = []
    while len(pauses) < COPIES and await stage.host.connection(COMES_BACK_S):
        pauses.append(trio.current_time() - began)
    return pauses


async def stopped(stage: Stage) -> None:
    """The bot gets SIGTERM in a match, while it waits."""
    if not hasattr(os, "killpg"):
        stage.note("R29", Verdict.NOT_APPLICABLE, "this system has no SIGTERM")
        return
    peer, hello = await stage.welcomed()
    table = stage.table(peer, hello)
    with control():
        await table.start()
        await table.play(1)
    stage.host.ask_to_end()
    if not await _says_goodbye(peer):
        raise Broken("R29", "after SIGTERM it did not say goodbye")


async def _says_goodbye(peer: Peer) -> bool:
    with trio.move_on_after(GOODBYE_S):
        try:
            while True:
                await peer.first_within(GOODBYE_S)
        except Gone as gone:
            return isinstance(gone, Left)
    return False


async def started_again(stage: Stage) -> None:
    """A bot without a token is given one, is stopped, and is started again without one."""
    peer, _ = await stage.joined()
    token = new_token()
    await peer.welcome(NAME, token=token)
    with control():  # what answers a ping has read the welcome
        await peer.send(Ping(nonce=1))
        await peer.expect_pong(1, 5)
    await stage.host.stop()
    stage.host.start()
    _, hello = await stage.joined()
    if hello.token != token:
        raise Broken("R30", "when it was started again, its hello had not the token of before")


async def _stop(peer: Peer) -> None:
    await peer.send(Goodbye(reason="shutting_down"))
    await peer.close()


async def first_server_away(stage: Stage) -> None:
    """The bot is given two addresses; connections to the first are refused."""
    await stage.welcomed()


async def server_taken_over(stage: Stage) -> None:
    """The first of two servers is killed, and the second one plays from then on."""
    peer, before = await stage.welcomed()
    first, second = stage.host.listeners
    await first.close()
    second.open()
    await peer.close()
    again = await _expect_back(stage, "the first of its two servers was killed", "R31")
    if again is not None and (await again.greeted()).token != before.token:
        raise Broken("R31", "its hello to the second server had not the token of before")


async def server_that_goes(stage: Stage) -> None:
    """Of two servers one stops in order, and still takes connections for a while."""
    peer, _ = await stage.welcomed()
    stopping = stage.host.connected_to
    await _stop(peer)
    again = await _expect_back(stage, "the goodbye shutting_down of one of its two servers", "R31")
    if again is not None and stage.host.connected_to is stopping:
        raise Broken(
            "R31", "after the goodbye shutting_down it came back to the same one of its two servers"
        )


async def _expect_back(stage: Stage, after: str, number: str = "R27") -> Peer | None:
    """Wait for the bot's next connection; None, with a note, if it never reconnects at all.

    Raises:
        Broken: this requirement, if the bot reconnects after a lost connection, but not now.
    """
    peer = await stage.host.connection(COMES_BACK_S)
    if peer is not None:
        return peer
    seen = f"{stage.host.state(COMES_BACK_S)} and did not come back after {after}"
    words = await stage.host.last_words()
    if await _comes_back_at_all(stage):
        raise Broken(number, f"{seen}{words}")
    stage.note(number, Verdict.NOT_APPLICABLE, STAYED)
    return None


async def _comes_back_at_all(stage: Stage) -> bool:
    """Whether a fresh process of the bot reconnects after a lost connection."""
    await stage.host.stop()
    for listener in stage.host.listeners:
        if not listener.is_open:
            listener.open()
    stage.host.start()
    peer, _ = await stage.welcomed()
    await peer.close()
    return await stage.host.connection(COMES_BACK_S) is not None


SCENARIOS = (
    Scenario("no server yet", ("R27",), no_server_yet, servers=(False,)),
    Scenario("a full server", ("R27",), full_server),
    Scenario("a server that is restarted", ("R27",), restarted_server),
    Scenario("other goodbyes", ("R27",), other_goodbyes),
    Scenario("many at once", ("R27",), many_at_once),
    Scenario("stopped", ("R29",), stopped),
    Scenario("started again", ("R30",), started_again, with_token=False),
    Scenario("the first server is away", ("R31",), first_server_away, servers=(False, True)),
    Scenario("a server that is taken over", ("R31",), server_taken_over, servers=(True, False)),
    Scenario("one of two servers stops", ("R31",), server_that_goes, servers=(True, True)),
)
