"""All matches that persons play: how many there may be, who sits where, and whose they are."""

from __future__ import annotations

import secrets
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import trio

from polynya_protocol.messages import Clock
from polynya_protocol.names import BUILT_IN, PERSON
from polynya_server import ConnectedBot, MatchSetup, Server, hash_token, new_token
from polynya_tournaments.bots.supervisor import Address, HostedBot
from polynya_tournaments.cli.serve_settings import is_loopback
from polynya_tournaments.store import StoreJournal
from polynya_web.http.access import proves
from polynya_web.play.dialling import address_for_programs, dial
from polynya_web.play.match import PersonsMatch
from polynya_web.play.opponents import hosted
from polynya_web.play.orders import BUILTIN, Order
from polynya_web.play.person import Person
from polynya_web.play.refusals import RefusedError
from polynya_web.settings import WebSettings

REMEMBERED = 64
"""How many matches that are over can still be looked at on their page."""
STARTS = 20
"""How many matches may be begun within ``STARTS_WITHIN_S``."""
STARTS_WITHIN_S = 60.0


class Hall:
    """Where persons play.

    Args:
        settings: what is allowed, and how much of it.
        server: the game server.
        journal: where matches are recorded; None if nothing is.
        address: where programs connect to.
        logs: the folder of what the bots print.
        nursery: runs the matches.
    """

    def __init__(
        self,
        settings: WebSettings,
        server: Server,
        journal: StoreJournal | None,
        address: Address,
        logs: Path,
        nursery: trio.Nursery,
    ) -> None:
        self._settings = settings
        self._server = server
        self._journal = journal
        self._address = address
        self._logs = logs
        self._nursery = nursery
        self._matches: dict[str, PersonsMatch] = {}
        self._orders: dict[str, Order] = {}
        self._starts: deque[float] = deque(maxlen=STARTS)
        self._closed = False

    @property
    def in_play(self) -> list[PersonsMatch]:
        """The matches that are not over."""
        return [match for match in self._matches.values() if not match.is_over]

    def opponents(self, game: str) -> list[str]:
        """The connected bots that a person may play a game against now, by name."""
        settings = self._settings
        whom = settings.play or ("all" if is_loopback(settings.host) else "builtin")
        bots = self._server.connected if whom == "all" else {}
        return sorted(name for name, bot in bots.items() if _is_free(bot, game))

    def begin(self, order: Order, secret: str) -> PersonsMatch:
        """Begin a match for the person whose browser shows ``secret``.

        Raises:
            RefusedError: there is no room for it.
        """
        self._check_room(order)
        self._starts.append(trio.current_time())
        seed = secrets.randbits(64)
        seat = secrets.randbelow(order.players) if order.seat is None else order.seat
        person = self._person(order)
        programs = self._programs(order.opponents, seed)
        names = _names(order.opponents, programs)
        setup = MatchSetup(
            match=f"play-{secrets.token_hex(6)}",
            game=order.game,
            players=(*names[:seat], person.name, *names[seat:]),
            clock=Clock(move_ms=order.move_ms),
            seed=seed,
            options=order.options,
            rated=False,
            untimed=(seat,),
        )
        away_s = self._settings.play_away_ms / 1000
        match = PersonsMatch(setup, person, programs, hash_token(secret), away_s)
        self._remember(match, order)
        self._nursery.start_soon(match.run, self._server, self._address, self._journal)
        return match

    def again(self, match: PersonsMatch, secret: str) -> PersonsMatch:
        """Begin the same match once more, with another set-up.

        Raises:
            RefusedError: there is no room for it, or it is not over.
        """
        if not match.is_over:
            raise RefusedError("play.refused.not_over")
        order = self._orders[match.setup.match]
        connected = set(self.opponents(order.game))
        for opponent in order.opponents:
            kind, _, name = opponent.partition(":")
            if kind == "connected" and name not in connected:
                raise RefusedError("play.refused.opponent", name=name)
        return self.begin(order, secret)

    def find(self, name: str, secret: str | None) -> PersonsMatch | None:
        """The match of this id if it is this browser's, else None."""
        match = self._matches.get(name)
        if match is None or secret is None:
            return None
        return match if proves(secret, match.owner) else None

    def close(self) -> None:
        """Let nobody wait for anything any more: the pages are about to be closed."""
        self._closed = True
        for match in self._matches.values():
            match.person.announce()

    @property
    def is_closed(self) -> bool:
        """Whether it is about to be closed."""
        return self._closed

    def _check_room(self, order: Order) -> None:
        settings, in_play = self._settings, self.in_play
        if self._closed or self._server.stopping:
            raise RefusedError("play.failed.stopping")
        if len(in_play) >= settings.play_matches:
            raise RefusedError("play.refused.full", most=settings.play_matches)
        running = sum(len(match.programs) for match in in_play)
        wanted = sum(opponent.startswith(BUILTIN) for opponent in order.opponents)
        if running + wanted > settings.play_bots:
            raise RefusedError("play.refused.bots", most=settings.play_bots)
        since = trio.current_time() - STARTS_WITHIN_S
        if len(self._starts) == STARTS and self._starts[0] > since:
            raise RefusedError("play.refused.often")

    def _person(self, order: Order) -> Person:
        token = new_token()
        name = self._free_name(PERSON + (order.name or secrets.token_hex(2)))
        self._server.guests.invite(name, hash_token(token))
        return Person(name, token, partial(dial, self._server))

    def _programs(self, opponents: Sequence[str], seed: int) -> list[HostedBot]:
        programs = []
        for opponent in opponents:
            if opponent.startswith(BUILTIN):
                builtin = opponent.removeprefix(BUILTIN)
                name = self._free_name(BUILT_IN + builtin)
                bot = hosted(builtin, name, seed, self._logs)
                self._server.guests.invite(name, hash_token(bot.token))
                programs.append(bot)
        return programs

    def _free_name(self, wanted: str) -> str:
        """Numbered where it is taken, so that names are used again and do not become many."""
        name, number = wanted, 2
        while self._server.guests.is_taken(name):
            name, number = f"{wanted}-{number}", number + 1
        return name

    def _remember(self, match: PersonsMatch, order: Order) -> None:
        self._matches[match.setup.match] = match
        self._orders[match.setup.match] = order
        over = [name for name, known in self._matches.items() if known.is_over]
        for name in over[: max(0, len(over) - REMEMBERED)]:
            del self._matches[name], self._orders[name]


def _names(opponents: Sequence[str], programs: Sequence[HostedBot]) -> list[str]:
    """What the opponents are called at the table."""
    started = iter(programs)
    return [
        next(started).name if opponent.startswith(BUILTIN) else opponent.partition(":")[2]
        for opponent in opponents
    ]


def _is_free(bot: ConnectedBot, game: str) -> bool:
    plays = bot.games is None or game in bot.games
    return plays and bot.in_play < bot.concurrency


@asynccontextmanager
async def open_hall(
    settings: WebSettings, server: Server | None, journal: StoreJournal | None
) -> AsyncIterator[Hall | None]:
    """A hall as long as the block lasts; None if persons may not play here.

    At the end of the block the matches in play are left, and their bots ended.
    """
    if server is None or settings.play == "off":
        yield None
        return
    async with AsyncExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polynya-play-")))
        address = await stack.enter_async_context(address_for_programs(server))
        nursery = await stack.enter_async_context(trio.open_nursery())
        hall = Hall(settings, server, journal, address, logs, nursery)
        try:
            yield hall
        finally:
            hall.close()
            nursery.cancel_scope.cancel()
