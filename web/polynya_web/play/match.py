"""One person's match from its order to its end: who is there, who referees, when it is left."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
import trio

from polynya_server import Server, ServerStoppingError
from polynya_server.records import MatchSetup
from polynya_tournaments.bots.supervisor import Address, HostedBot
from polynya_tournaments.errors import one_error
from polynya_tournaments.ratings.model import RatingSettings
from polynya_tournaments.store import Attempt, StoreJournal
from polynya_web.play.link import LinkError
from polynya_web.play.opponents import START_MS, keep_running
from polynya_web.play.person import Person
from polynya_web.play.views import Phase, SeatPlayer, Table

log = structlog.get_logger("polynya_web")

GATHER_S = 2 * START_MS / 1000
"""How long it may take until the match begins."""
_FAREWELL_S = 10


class PersonsMatch:
    """A match that a person plays.

    Args:
        setup: what is played.
        person: who plays it; invited by the caller.
        programs: the built-in bots that are started for it; invited too.
        owner: SHA-256 of the secret that the person's browser shows.
        away_s: how long the person's page may be closed before the seat is given up.

    Attributes:
        setup, person, programs, owner: as above.
        failure: the key of the text that says why it failed, None if it did not.
    """

    def __init__(
        self,
        setup: MatchSetup,
        person: Person,
        programs: Sequence[HostedBot],
        owner: bytes,
        away_s: float,
    ) -> None:
        self.setup = setup
        self.person = person
        self.programs = programs
        self.owner = owner
        self.failure: str | None = None
        self._ended = False
        self._away_s = away_s
        self._scope = trio.CancelScope()

    @property
    def phase(self) -> Phase:
        """What goes on."""
        if self.failure is not None:
            return "failed"
        if self._ended:
            return "over"
        return "gathering" if self.person.following.match is None else "playing"

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen any more."""
        return self._ended

    def table(self, since: int, sentence: str | None) -> Table:
        """What the page is told.

        Args:
            since: the index of the first position that it does not know.
            sentence: why the match failed, in the page's language; None if it did not.
        """
        following = self.person.following
        state = following.state
        return Table(
            phase=self.phase,
            seat=following.seat,
            players=[SeatPlayer(player.seat, player.name) for player in following.players],
            to_move=None if state is None or following.over else state.to_move,
            asked=following.asked,
            over=following.over,
            connected=self.person.link.up,
            sentence=sentence,
            count=following.count,
            positions=following.since(since),
        )

    async def run(self, server: Server, address: Address, journal: StoreJournal | None) -> None:
        """Gather the players, let the server referee, and clear up; whatever happens, it ends."""
        try:
            with one_error(), self._scope:
                await self._run(server, address, journal)
        except ServerStoppingError:
            self._fail("play.failed.stopping")
        except Exception:
            log.exception("a person's match failed", match=self.setup.match)
            self._fail("play.failed.bug")
        finally:
            self._clear_up(server)

    async def leave(self) -> None:
        """The person leaves: he forfeits a match that has begun, another one is not begun."""
        if self.phase == "gathering":
            self._give_up("play.failed.left")
        else:
            await self.person.link.leave()
            self.person.announce()

    async def _run(self, server: Server, address: Address, journal: StoreJournal | None) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._stay_connected)
            nursery.start_soon(self._leave_when_away)
            nursery.start_soon(self._give_up_gathering)
            for bot in self.programs:
                nursery.start_soon(keep_running, bot, address, server.guests, self._bot_lost)
            await self._gather(server)
            await self._referee(server, journal)
            await self._hear_the_end()
            nursery.cancel_scope.cancel()

    @property
    def _guests(self) -> frozenset[str]:
        """Who comes for this match alone."""
        return frozenset([self.person.name, *(bot.name for bot in self.programs)])

    async def _gather(self, server: Server) -> None:
        """Return when all who come for this match alone are there."""
        version = server.version
        while not all(name in server.guests for name in self._guests):
            version = await server.changed(version)
        for bot in self.programs:
            games = server.guests[bot.name].games
            if games is not None and self.setup.game not in games:
                self._give_up("play.failed.game")

    async def _referee(self, server: Server, journal: StoreJournal | None) -> None:
        """Let the match be played, with a beginning and an end in the database."""
        setup = self.setup
        try:
            if journal is not None:
                await journal.begin(Attempt(setup, RatingSettings(), guests=self._guests))
            await server.play(setup)
        except BaseException:
            if journal is not None and not server.plays(setup.match):
                with trio.move_on_after(_FAREWELL_S, shield=True):
                    await journal.void(setup.match, "it was given up before it had begun")
            raise

    async def _hear_the_end(self) -> None:
        """Return when the person's seat has been told how the match ended, if it is told."""
        person = self.person
        with trio.move_on_after(_FAREWELL_S):
            version = person.version
            while person.following.over is None and person.link.up:
                version = await person.changed(version)

    async def _stay_connected(self) -> None:
        try:
            await self.person.link.run()
        except LinkError as error:
            log.warning("a person's seat is lost", match=self.setup.match, error=str(error))
            if self.phase == "gathering":
                self._give_up("play.failed.link")
            self.person.announce()

    async def _leave_when_away(self) -> None:
        """Give the seat up when no page of the person has been open for too long."""
        while True:
            await self._until(present=False)
            with trio.move_on_after(self._away_s) as scope:
                await self._until(present=True)
            if scope.cancelled_caught:
                await self.leave()
                return

    async def _until(self, *, present: bool) -> None:
        version = self.person.version
        while (self.person.viewers > 0) is not present:
            version = await self.person.changed(version)

    async def _give_up_gathering(self) -> None:
        """A match that does not begin is not waited for any longer."""
        person = self.person
        with trio.move_on_after(GATHER_S):
            version = person.version
            while person.following.match is None:
                version = await person.changed(version)
        self._bot_lost()

    def _bot_lost(self) -> None:
        """A bot is not there: without it no match begins; one in play goes its way."""
        if self.phase == "gathering":
            self._give_up("play.failed.bot")

    def _give_up(self, key: str) -> None:
        self._fail(key)
        self._scope.cancel()

    def _fail(self, key: str) -> None:
        self.failure = self.failure or key
        self.person.announce()

    def _clear_up(self, server: Server) -> None:
        """Nobody who came for this match alone is left at the server."""
        for name in (self.person.name, *(bot.name for bot in self.programs)):
            if name in server.guests:
                server.send_away(name, "the match is over")
            server.guests.dismiss(name)
        if self.person.following.match is None:
            self._fail("play.failed.stopping")
        self._ended = True
        self.person.announce()
