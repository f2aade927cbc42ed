"""Plays a script on a real server over loopback sockets, and keeps the frames of each client.

The server's clock stands still except where the script lets time pass. So two runs of one script
differ in nothing but what the server makes of the position.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import trio

from polynya_common.errors import RunError, unwrap_single_error
from polynya_conformance.secrecy.observer import Observer
from polynya_conformance.secrecy.positioned_game import positioned
from polynya_conformance.secrecy.script import (
    Action,
    Answer,
    Ask,
    Begin,
    Resign,
    Return,
    Script,
    Wait,
)
from polynya_conformance.secrecy.stopped_clock import JUMP_S, StoppedClock
from polynya_games import Game, State
from polynya_games.seats import Audience, acting
from polynya_protocol.messages import Clock
from polynya_server.assembly import open_server
from polynya_server.match.match_setup import deal_commitment
from polynya_server.records import MatchSetup, MemoryJournal
from polynya_server.server import Server
from polynya_server.sessions.tokens import hash_token
from polynya_server.settings import ServerSettings

PATIENCE_S = 10
"""How long a run may take, in real seconds; it takes some milliseconds."""

MATCH = "match"
CLOCK = Clock(initial_ms=600_000, increment_ms=100)
FOREVER_MS = 10**9
FIRST_TURN = 1
NO_TURN = 999_999
HIDDEN_COMMITMENT = b"0" * 64
"""Stands in the frames for the commitment, which differs from deal to deal and tells nothing."""

SETTINGS = ServerSettings(
    lag_ms=0,
    heartbeat_ms=FOREVER_MS,
    ready_ms=FOREVER_MS,
    reconnect_ms=FOREVER_MS,
    message_burst=FOREVER_MS,
    kernel_times=False,
)

Heard = Sequence[tuple[int, bytes]]
"""Frames, each with the number of the action that it follows."""


@dataclass(frozen=True)
class Run:
    """One match to play.

    Attributes:
        state: the position in which it begins, between turns.
        script: what happens; its first action is the beginning.
        info: the remark that each seat's answers carry, by seat; other seats send none.
        deal: decides the deal of the set-up, where the game has one.
    """

    state: State
    script: Script
    info: Mapping[int, str]
    deal: int = 0


def observed(game: Game, run: Run) -> dict[Audience, Heard]:
    """Play a match; the frames that each seat and the spectator (None) received.

    Frames of the connection itself and the end of the match, which reveals all, are left out.

    Raises:
        RunError: a frame that must come does not come, or the server closes a connection.
    """
    clock = StoppedClock(PATIENCE_S)
    with unwrap_single_error():
        return trio.run(_observed, game, run, clock, clock=clock)


async def _observed(game: Game, run: Run, clock: StoppedClock) -> dict[Audience, Heard]:
    game = positioned(game, run.state)
    names = [f"bot{seat}" for seat in range(run.state.players)]
    deal = hashlib.sha256(b"%d" % run.deal).hexdigest() if game.secret_seed else None
    setup = MatchSetup(
        match=MATCH, game=game.name, players=tuple(names), clock=CLOCK, seed=0, deal=deal
    )
    async with (
        open_server(SETTINGS, MemoryJournal(), lambda _: game) as server,
        _clients(server, names) as clients,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(server.play, setup, {})
        match = _ObservedMatch(server, clients, run, clock)
        for number, action in enumerate(run.script):
            await match.perform(number, action)
        nursery.cancel_scope.cancel()
    told = b"" if deal is None else deal_commitment(deal).encode()
    return {
        audience: [
            (number, frame.replace(told, HIDDEN_COMMITMENT) if told else frame)
            for number, frame in client.heard
        ]
        for audience, client in clients.items()
    }


@asynccontextmanager
async def _clients(server: Server, names: Sequence[str]) -> AsyncIterator[dict[Audience, Observer]]:
    """The players by seat, and the spectator as None, all welcome."""
    clients: dict[Audience, Observer] = {None: Observer({"role": "spectator"})}
    for seat, name in enumerate(names):
        server.add_token(name, hash_token(name))
        wants = ["state", "legal"]
        clients[seat] = Observer({"name": name, "token": name, "wants": wants})
    try:
        for client in clients.values():
            await client.connect(server.host, server.port, 0)
        await clients[None].send({"type": "watch", "all": True})
        await clients[None].ping(0)
        await clients[None].expect("pong", 0)
        yield clients
    finally:
        with trio.CancelScope(shield=True):
            for client in clients.values():
                await client.close()


class _ObservedMatch:
    def __init__(
        self,
        server: Server,
        clients: Mapping[Audience, Observer],
        run: Run,
        clock: StoppedClock,
    ) -> None:
        self._server = server
        self._clients = clients
        self._run = run
        self._clock = clock

    async def perform(self, number: int, action: Action) -> None:
        """Let one action happen, then receive what all clients were sent because of it."""
        try:
            with trio.fail_after(JUMP_S / 2):
                await self._hear(number, await self._act(number, action))
                await self._hear(number, self._clients)
        except trio.TooSlowError:
            raise RunError(f"the server did not answer within {PATIENCE_S} s: {action}") from None

    async def _hear(self, number: int, clients: Iterable[Audience]) -> None:
        """Receive what clients were sent before now; the server has handled their messages then."""
        heard = list(clients)
        for each in heard:
            await self._clients[each].ping(number)
        for each in heard:
            await self._clients[each].expect("pong", number)

    async def _act(self, number: int, action: Action) -> Sequence[Audience]:
        """Let one action happen; the clients that have sent something by it."""
        match action:
            case Begin():
                await self._begin(number)
            case Ask(questions):
                for seat, each in questions.items():
                    await self._ask(seat, each)
            case Answer(seat, step):
                await self._answer(seat, step)
                return [seat]
            case Resign(seat):
                await self._clients[seat].leave()
            case Return(seats):
                await self._return(number, seats)
            case Wait(ms):
                self._clock.advance(ms)
        return []

    async def _begin(self, number: int) -> None:
        seats = [seat for seat in self._clients if seat is not None]
        for seat in seats:
            await self._clients[seat].expect("match_start", number)
        for seat in seats:
            await self._send(seat, type="ready")
        for seat in acting(self._run.state):
            await self._clients[seat].expect("turn", number)

    async def _ask(self, seat: int, questions: Sequence[Sequence[object]]) -> None:
        for steps in questions:
            await self._send(seat, type="steps", turn=FIRST_TURN, steps=list(steps))
        await self._send(seat, type="move", turn=NO_TURN, steps=[])

    async def _answer(self, seat: int, step: Sequence[object]) -> None:
        info = {"note": self._run.info[seat]} if seat in self._run.info else None
        await self._send(seat, type="move", turn=FIRST_TURN, steps=[list(step)], info=info)

    async def _return(self, number: int, seats: Sequence[int]) -> None:
        for seat in seats:
            await self._clients[seat].connect(self._server.host, self._server.port, number)
        await self._clients[None].send({"type": "unwatch", "match": MATCH})
        await self._clients[None].send({"type": "watch", "match": MATCH})

    async def _send(self, seat: int, **keys: object) -> None:
        await self._clients[seat].send({"match": MATCH, **keys})
