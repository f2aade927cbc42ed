"""Scenarios about lost connections: how the bot reconnects, after which pause, with which hello."""

from __future__ import annotations

import trio

from polynya_conformance.bot.checked_bot import NAME
from polynya_conformance.bot.scenario import Scenario, Stage, control
from polynya_conformance.peer import Broken, Peer
from polynya_conformance.requirements import Verdict
from polynya_protocol.messages import Error, ErrorCode, Goodbye, Hello
from polynya_server.sessions.tokens import new_token

AT_ONCE_S = 1.0
"""A bot that reconnects within this time did not pause."""
STAYS_AWAY_S = 4.0
"""A bot that was told to stay away must not connect within this time."""
COMES_BACK_S = 10.0
"""How long to wait for a bot that may or may not come back."""
SETTLE_S = 0.3
FAILING = 4
"""Number of reconnection attempts that fail."""
GROWTH = 1.5
"""Required ratio of the shorter of the last two pauses to the shorter of the first two."""
OTHER_NAME = "another-name"
STAYED = "it does not come back after a lost connection, which it need not"


async def refused_for_good(stage: Stage) -> None:
    """The hello is answered by a fatal error."""
    peer, _ = await stage.joined()
    await refuse(peer, "server_full", "no more connections are taken; try later")
    await _expect_nobody(stage, AT_ONCE_S, "R20", "the fatal error server_full")


async def fatal_error(stage: Stage) -> None:
    """A session is ended by a fatal error."""
    peer, _ = await stage.welcomed()
    await refuse(peer, "malformed", "a server's answer to bytes that are no frame")
    await _expect_nobody(stage, AT_ONCE_S, "R20", "a fatal error")


async def server_stops(stage: Stage) -> None:
    """The server says goodbye, and tells bots that come back that it is shutting down."""
    peer, _ = await stage.welcomed()
    await peer.send(Goodbye(reason="shutting_down"))
    await peer.close()
    again = await stage.host.connection(STAYS_AWAY_S)
    if again is None:
        return
    await again.greeted()
    await refuse(again, "shutting_down", "the server stops; try later")
    await _expect_nobody(stage, AT_ONCE_S, "R20", "the fatal error shutting_down")


async def replaced(stage: Stage) -> None:
    """Another connection has taken the session over."""
    peer, _ = await stage.welcomed()
    await peer.send(Goodbye(reason="replaced"))
    await peer.close()
    try:
        await _expect_nobody(stage, STAYS_AWAY_S, "R10", 'the goodbye "replaced"')
    except Broken as broken:
        stage.fail("R28", broken.sentence)
        raise


async def finished(stage: Stage) -> None:
    """The contest is over."""
    peer, _ = await stage.welcomed()
    await peer.send(Goodbye(reason="finished"))
    await peer.close()
    await _expect_nobody(stage, STAYS_AWAY_S, "R28", 'the goodbye "finished"')


async def cut_connection(stage: Stage) -> None:
    """The connection is lost in the middle of a turn; some attempts to come back fail."""
    peer, hello = await stage.welcomed()
    table = stage.table(peer, hello)
    with control():
        await table.start()
        await table.play(2)
        await table.play_others()
    await table.ask()
    await peer.close()
    back = await _come_back(stage, hello)
    if back is None:
        for number in ("R21", "R22", "R23"):
            stage.note(number, Verdict.NOT_APPLICABLE, STAYED)
        return
    await back.welcome(NAME, (table.messages.match,))
    table.move_to(back)
    await back.send(table.messages.resume(table.state, table.budgets))
    await table.expect_no_move(SETTLE_S, "R23")
    stage.note("R23", Verdict.PASS)
    await table.ask_again()
    await table.answer()
    await table.play(1)


async def started_anew(stage: Stage) -> None:
    """A bot that has just been started is told of a match that it does not remember."""
    peer, hello = await stage.joined()
    table = stage.table(peer, hello)
    table.happened_before()
    await peer.welcome(NAME, (table.messages.match,))
    await peer.send(table.messages.resume(table.state, table.budgets))
    await table.play(2)


async def registered(stage: Stage) -> None:
    """A bot without a token is given one, under another name, and loses the connection."""
    peer, _ = await stage.joined()
    token = new_token()
    await peer.welcome(OTHER_NAME, token=token)
    await trio.sleep(SETTLE_S)
    await peer.close()
    back = await stage.host.connection(COMES_BACK_S)
    if back is None:
        stage.note("R8", Verdict.NOT_APPLICABLE, STAYED)
        return
    hello = await back.greeted()
    if hello.token != token:
        raise Broken("R8", "when it came back, its hello did not carry the token of its welcome")
    if hello.name not in (None, OTHER_NAME):
        said = f"when it came back it said {hello.name}, its welcome had said {OTHER_NAME}"
        raise Broken("R8", said)


async def _come_back(stage: Stage, before: Hello) -> Peer | None:
    """Let attempts to reconnect fail; return the bot's last connection, None if it makes none."""
    pauses: list[float] = []
    for attempt in range(FAILING + 1):
        began = trio.current_time()
        peer = await stage.host.connection(COMES_BACK_S * (1 + attempt))
        if peer is None:
            if attempt == 0:
                return None
            raise Broken("R21", f"it gave up after {attempt} attempts that failed")
        pauses.append(trio.current_time() - began)
        hello = await peer.greeted()
        if hello.token != before.token:
            raise Broken("R21", "when it came back its hello had not the token of before")
        if attempt < FAILING:
            await peer.close()
    # The first pause may overlap with the thinking that goes on after the loss. A busy
    # machine lengthens pauses, never shortens them: so of each two, compare the shorter ones.
    if min(pauses[-2:]) < GROWTH * min(pauses[1:3]):
        shown = ", ".join(f"{pause:.2f} s" for pause in pauses[1:])
        stage.fail("R21", f"after attempts that failed it waited for {shown}: not longer each time")
    else:
        stage.note("R21", Verdict.PASS)
    return peer


async def refuse(peer: Peer, code: ErrorCode, message: str) -> None:
    """Answer with a fatal error and close."""
    await peer.send(Error(code=code, message=message, fatal=True))
    await peer.close()


async def _expect_nobody(stage: Stage, seconds: float, number: str, after: str) -> None:
    began = trio.current_time()
    if await stage.host.connection(seconds) is not None:
        took = trio.current_time() - began
        raise Broken(number, f"it connected again {took:.2f} s after {after}")


SCENARIOS = (
    Scenario("refused for good", ("R20",), refused_for_good),
    Scenario("a fatal error", ("R20",), fatal_error),
    Scenario("the server stops", ("R20",), server_stops),
    Scenario("replaced", ("R10", "R28"), replaced),
    Scenario("finished", ("R28",), finished),
    Scenario("a cut connection", ("R22", "R21", "R23"), cut_connection),
    Scenario("started anew", ("R22",), started_anew),
    Scenario("registered", ("R8",), registered, with_token=False),
)
