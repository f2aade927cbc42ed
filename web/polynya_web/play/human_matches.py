"""All matches that people play: how many there may be, the seats, and the owners."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import trio

from polynya_contest.secret import Secret
from polynya_hosting.bots.supervisor import HostedBot
from polynya_protocol.messages import Clock
from polynya_protocol.names import BUILT_IN, PERSON
from polynya_server import ConnectedBot, MatchSetup, Server, hash_token
from polynya_server.rate_limit import RateLimit, network_of
from polynya_server.timing.monotonic_clock import reader
from polynya_store import StoreJournal
from polynya_web.http.wrong_tokens import proves
from polynya_web.play.human_match import HumanMatch, IdleLimits, hosted
from polynya_web.play.local_seat import LocalSeat
from polynya_web.play.match_request import BUILTIN, MatchRequest
from polynya_web.play.table_state import RefusedError
from polynya_web.settings import WebSettings

MAX_FINISHED = 64
"""Number of finished matches whose pages stay open."""
STARTS = 20
STARTS_PER_MINUTE = 20
"""Matches that a visitor may begin at once, and in the long run."""


class HumanMatches:
    """The matches that people play on these pages.

    Args:
        settings: what is allowed, and how much of it.
        server: the game server.
        journal: where matches are recorded; None if nothing is.
        logs: the folder of the bots' output.
        nursery: runs the matches.
    """

    def __init__(
        self,
        settings: WebSettings,
        server: Server,
        journal: StoreJournal | None,
        logs: Path,
        nursery: trio.Nursery,
    ) -> None:
        self._settings = settings
        self._server = server
        self._journal = journal
        self._logs = logs
        self._nursery = nursery
        self._matches: dict[str, HumanMatch] = {}
        self._requests: dict[str, MatchRequest] = {}
        self._starts = RateLimit(STARTS, STARTS_PER_MINUTE, reader())
        self._closed = False

    @property
    def in_play(self) -> list[HumanMatch]:
        """The matches that are not over."""
        return [match for match in self._matches.values() if not match.is_over]

    def opponents(self, game: str) -> list[str]:
        """The connected bots that a person may play a game against now, by name."""
        bots = self._server.connected if self._settings.play == "all" else {}
        return sorted(name for name, bot in bots.items() if _is_free(bot, game))

    def begin(self, request: MatchRequest, secret: str, address: str) -> HumanMatch:
        """Begin a match for the person whose browser shows ``secret`` and asks from ``address``.

        Raises:
            RefusedError: there is no room for it.
        """
        visitor = network_of(address)
        self._check_room(request, visitor)
        chance = Secret.new()
        seat = secrets.randbelow(request.players) if request.seat is None else request.seat
        wanted = PERSON + (request.name or secrets.token_hex(2))
        person = LocalSeat(self._free_name(wanted), self._server.pending_turn)
        programs = self._programs(request.opponents, chance)
        names = _names(request.opponents, programs)
        setup = MatchSetup(
            match=f"play-{secrets.token_hex(6)}",
            game=request.game,
            players=(*names[:seat], person.name, *names[seat:]),
            clock=Clock(move_ms=request.move_ms),
            seed=chance.match_seed(""),
            options=request.options,
            rated=False,
            untimed=(seat,),
        )
        idle_limits = IdleLimits(
            self._settings.play_away_ms / 1000, self._settings.play_turn_ms / 1000
        )
        match = HumanMatch(setup, person, programs, hash_token(secret), visitor, idle_limits)
        self._remember(match, request)
        self._nursery.start_soon(match.run, self._server, self._journal)
        return match

    def again(self, match: HumanMatch, secret: str, address: str) -> HumanMatch:
        """Begin the same match once more, with another set-up.

        Raises:
            RefusedError: there is no room for it, or it is not over.
        """
        if not match.is_over:
            raise RefusedError("play.refused.not_over")
        request = self._requests[match.setup.match]
        connected = set(self.opponents(request.game))
        for opponent in request.opponents:
            kind, _, name = opponent.partition(":")
            if kind == "connected" and name not in connected:
                raise RefusedError("play.refused.opponent", name=name)
        return self.begin(request, secret, address)

    def find(self, name: str, secret: str | None) -> HumanMatch | None:
        """The match of this id if it is this browser's, else None."""
        match = self._matches.get(name)
        if match is None or secret is None:
            return None
        return match if proves(secret, match.owner) else None

    def close(self) -> None:
        """End all streams of tables: the pages are about to be closed."""
        self._closed = True
        for match in self._matches.values():
            match.seat.changes.notify()

    @property
    def is_closed(self) -> bool:
        """Whether the pages are being closed."""
        return self._closed

    def _check_room(self, request: MatchRequest, visitor: str) -> None:
        settings, in_play = self._settings, self.in_play
        if self._closed or self._server.stopping:
            raise RefusedError("play.failed.stopping")
        if len(in_play) >= settings.play_matches:
            raise RefusedError("play.refused.full", most=settings.play_matches)
        limit = settings.play_matches_per_visitor
        if sum(match.visitor == visitor for match in in_play) >= limit:
            raise RefusedError("play.refused.visitor", most=limit)
        running = sum(len(match.programs) for match in in_play)
        wanted = sum(opponent.startswith(BUILTIN) for opponent in request.opponents)
        if running + wanted > settings.play_bots:
            raise RefusedError("play.refused.bots", most=settings.play_bots)
        if self._starts.spend(visitor):
            raise RefusedError("play.refused.often")

    def _programs(self, opponents: Sequence[str], chance: Secret) -> list[HostedBot]:
        programs = []
        for opponent in opponents:
            if opponent.startswith(BUILTIN):
                builtin = opponent.removeprefix(BUILTIN)
                name = self._free_name(BUILT_IN + builtin)
                bot = hosted(builtin, name, chance.bot_seed(name), self._logs)
                self._server.guests.invite(name, hash_token(bot.token))
                programs.append(bot)
        return programs

    def _free_name(self, wanted: str) -> str:
        """A free name, numbered if taken; names are reused and so stay few."""
        persons = {match.seat.name for match in self.in_play}
        name, number = wanted, 2
        while name in persons or self._server.guests.is_taken(name):
            name, number = f"{wanted}-{number}", number + 1
        return name

    def _remember(self, match: HumanMatch, request: MatchRequest) -> None:
        self._matches[match.setup.match] = match
        self._requests[match.setup.match] = request
        over = [name for name, known in self._matches.items() if known.is_over]
        for name in over[: max(0, len(over) - MAX_FINISHED)]:
            del self._matches[name], self._requests[name]


def _names(opponents: Sequence[str], programs: Sequence[HostedBot]) -> list[str]:
    """The names of the opponents at the table."""
    started = iter(programs)
    return [
        next(started).name if opponent.startswith(BUILTIN) else opponent.partition(":")[2]
        for opponent in opponents
    ]


def _is_free(bot: ConnectedBot, game: str) -> bool:
    plays = bot.games is None or game in bot.games
    return plays and bot.in_play < bot.concurrency


@asynccontextmanager
async def open_human_matches(
    settings: WebSettings, server: Server | None, journal: StoreJournal | None
) -> AsyncIterator[HumanMatches | None]:
    """Open people's matches until the context exits; None if people may not play here.

    At the end of the block the matches in play are left, and their bots ended.
    """
    if server is None or settings.play == "off":
        yield None
        return
    async with AsyncExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polynya-play-")))
        nursery = await stack.enter_async_context(trio.open_nursery())
        matches = HumanMatches(settings, server, journal, logs, nursery)
        try:
            yield matches
        finally:
            matches.close()
            nursery.cancel_scope.cancel()
