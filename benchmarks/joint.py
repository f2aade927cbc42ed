"""How much a joint turn costs the server, beside one sequential turn for each seat.

Two games that differ only in this are played in turns by the same bots: in ``rush`` all seats add a
stone at the same time, in ``queue`` one after the other. A round is one stone of each seat. The
bots answer at once, from a process of their own.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec
import trio
from msgspec.structs import replace

from benchmarks.figures import Figure
from polynya_games import Game, Outcome, Step, Termination
from polynya_games.errors import IllegalForfeit, IllegalStep, UnknownGame
from polynya_protocol.messages import Clock
from polynya_server import MatchSetup, Server, ServerSettings, open_server
from polynya_server.records import MemoryJournal
from polynya_server.sessions.tokens import hash_token

SEATS = (2, 4)
ROUNDS = 300
"""Rounds of a match: long enough that its beginning and end do not count."""
TIMES = 15
CLOCK = Clock(move_ms=60_000)
GO: Step = ("go",)


class Race(msgspec.Struct, frozen=True):
    """A position: the stones of each seat."""

    joint: bool
    stones: tuple[int, ...]

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.stones)

    @property
    def forfeited(self) -> tuple[int, ...]:
        """No bot of a benchmark leaves."""
        return ()

    @property
    def turn_over(self) -> bool:
        """Each turn has one step."""
        return True

    @property
    def acting(self) -> tuple[int, ...]:
        """All seats, or the next one."""
        if min(self.stones) == ROUNDS:
            return ()
        return tuple(range(self.players)) if self.joint else (sum(self.stones) % self.players,)

    @property
    def to_move(self) -> int | None:
        """The least acting seat."""
        return min(self.acting, default=None)

    @property
    def outcome(self) -> Outcome | None:
        """All have as many stones."""
        if self.acting:
            return None
        return Outcome(Termination.FINISHED, (1,) * self.players, self.stones)

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The only step."""
        return [GO] if (self.to_move if seat is None else seat) in self.acting else []

    def apply(self, step: object) -> Race:
        """The position after the turn of one seat."""
        if not isinstance(step, (list, tuple)) or tuple(step) != GO:
            raise IllegalStep('the only step is ["go"]')
        seat = self.to_move or 0
        return replace(
            self, stones=(*self.stones[:seat], self.stones[seat] + 1, *self.stones[seat + 1 :])
        )

    def apply_legal(self, step: Step) -> Race:
        """The same, unchecked."""
        return self.apply(step)

    def apply_joint(self, steps: Mapping[int, object], forfeited: Sequence[int] = ()) -> Race:
        """The position after a turn of all seats."""
        if forfeited or len(steps) < self.players:
            raise IllegalForfeit("no bot of a benchmark leaves")
        return replace(self, stones=tuple(number + 1 for number in self.stones))

    def forfeit(self, seat: int) -> Race:
        """Refused."""
        raise IllegalForfeit(f"seat {seat}: no bot of a benchmark leaves")

    def to_json(self) -> dict[str, Any]:
        """The stones."""
        return {"stones": list(self.stones)}


class _Stones(Game):
    max_players = max(SEATS)

    def setup(self, players: int, seed: Any = 0, options: Mapping[str, Any] | None = None) -> Race:
        """No stone lies there yet."""
        self.check_setup(players, seed, options or {})
        return Race(self.joint, (0,) * players)

    def state_from_json(self, data: Any) -> Race:
        """The position of a document."""
        return Race(self.joint, tuple(data["stones"]))


class Rush(_Stones):
    """All at once."""

    name = title = "rush"
    joint = True


class Queue(_Stones):
    """One after the other."""

    name = title = "queue"


GAMES = {game.name: game for game in (Rush(), Queue())}
BOTS = """
import selectors, socket, sys
import msgspec
port, seats = int(sys.argv[1]), int(sys.argv[2])
read = msgspec.msgpack.decode
chosen = selectors.DefaultSelector()
def send(own, **message):
    body = msgspec.msgpack.encode(message)
    own.sendall(len(body).to_bytes(4, "big") + body)
for seat in range(seats):
    own = socket.create_connection(("127.0.0.1", port))
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    send(own, type="hello", protocol=1, token=f"token-{seat}", wants=[])
    chosen.register(own, selectors.EVENT_READ, bytearray())
while True:
    for key, _ in chosen.select():
        data, own = key.data, key.fileobj
        got = own.recv(65536)
        if not got:
            sys.exit()
        data += got
        while len(data) >= 4 and len(data) >= 4 + (size := int.from_bytes(data[:4], "big")):
            message = read(bytes(data[4 : 4 + size]))
            del data[: 4 + size]
            if message["type"] == "match_start":
                send(own, type="ready", match=message["match"])
            elif message["type"] == "turn":
                send(own, type="move", match=message["match"], turn=message["turn"], steps=[["go"]])
            elif message["type"] == "ping":
                send(own, type="pong", nonce=message["nonce"])
"""


def game_of(name: str) -> Game:
    """The game of a name, as the server asks for it."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(f"there is no game {name}") from None


def measure() -> list[Figure]:
    """The ratios, each with its goal: n sequential turns are what a joint turn may cost."""
    return [
        Figure("joint", f"joint turn of {seats} / {seats} sequential turns", ratio(seats), 1.0)
        for seats in SEATS
    ]


def ratio(seats: int) -> float:
    """The server's processor time of a joint turn, by that of one turn of each seat."""
    return trio.run(_ratio, seats)


async def _ratio(seats: int) -> float:
    names = [f"bot-{seat}" for seat in range(seats)]
    spent: dict[str, list[float]] = {name: [] for name in GAMES}
    async with _hosting(names) as server:
        for number in range(TIMES + 1):
            for game in GAMES:
                began = time.process_time()
                await server.play(
                    MatchSetup(
                        match=f"{game}-{number}",
                        game=game,
                        players=tuple(names),
                        clock=CLOCK,
                        seed=0,
                    )
                )
                if number:  # the first one of each warms up
                    spent[game].append(time.process_time() - began)
    return statistics.median(spent["rush"]) / statistics.median(spent["queue"])


@asynccontextmanager
async def _hosting(names: Sequence[str]) -> AsyncIterator[Server]:
    """A server with its bots connected."""
    async with open_server(ServerSettings(port=0), MemoryJournal(), game_of) as server:
        for seat, name in enumerate(names):
            server.add_token(name, hash_token(f"token-{seat}"))
        command = [sys.executable, "-c", BOTS, str(server.port), str(len(names))]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(trio.run_process, command, check=False))
            yield server
            nursery.cancel_scope.cancel()


if __name__ == "__main__":
    for figure in measure():
        print(f"{figure.what}: {figure.value:.2f}")
