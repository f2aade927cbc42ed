"""Handshake: authenticates `hello`, registers new names, and opens the connection."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable

import msgspec
import trio

from polynya_common.reasons import Cause, Reason
from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import (
    PROTOCOL_VERSION,
    Error,
    ErrorCode,
    FromClient,
    Hello,
    Software,
    Welcome,
)
from polynya_protocol.messages import Server as ServerSoftware
from polynya_protocol.names import why_not_new
from polynya_server.log import log
from polynya_server.rate_limit import RateLimit
from polynya_server.records import Journal
from polynya_server.sessions.author_notices import Notices
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.sessions.reconnection import rejoin
from polynya_server.sessions.tokens import FreshNames, Identity, TokenBook, hash_token, new_token
from polynya_server.settings import ServerSettings
from polynya_server.timing.monotonic_clock import NowNs
from polynya_server.transport.arrival import Arrival
from polynya_server.transport.base import ConnectionHandler
from polynya_server.transport.connection import Connection
from polynya_server.version import version


class HelloError(Exception):
    """A refused hello; the message is the sentence for the peer."""

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code: ErrorCode = code


class Handshake:
    """Handles every connection until its `welcome` is sent.

    Args:
        settings: the server's.
        now: the server's clock.
        nursery: for the registrations that are being recorded.
        journal: records registrations.
        registry: receives the admitted bots.
        tokens: the registered names and their tokens.
        notices: sent to the admitted bots.
        admit_spectator: takes over the connection of a spectator.

    Attributes:
        closed: whether the server is stopping and admits no new peer.
        registers: whether a bot may register a new name.
    """

    def __init__(
        self,
        settings: ServerSettings,
        now: NowNs,
        nursery: trio.Nursery,
        journal: Journal,
        registry: BotRegistry,
        tokens: TokenBook,
        notices: Notices,
        admit_spectator: Callable[[Connection], None],
    ) -> None:
        self.closed = False
        self.registers = settings.open_registration
        self._settings = settings
        self._nursery = nursery
        self._journal = journal
        self._registry = registry
        self._admit_spectator = admit_spectator
        self._tokens = tokens
        self._notices = notices
        self._wrong_tokens = RateLimit(
            settings.wrong_token_burst, settings.wrong_tokens_per_minute, now
        )
        # Another server on the same journal may report a new name before it is recorded here.
        self._registering: Counter[tuple[str, str]] = Counter()
        self._registrations = RateLimit(
            settings.registration_burst, settings.registrations_per_minute, now
        )
        self._fresh = FreshNames(now)

    async def register(self, name: str, address: str, registration: str | None = None) -> str:
        """Register a new name for a peer that is not connected, as its hello would.

        Args:
            name: the bot's.
            address: where the request comes from; it counts toward the limit of registrations.
            registration: see "A lost `welcome`" in the wire contract.

        Returns:
            its token.

        Raises:
            HelloError: with the code and the sentence that a hello would get.
        """
        if self.closed:
            raise HelloError("shutting_down", "the server is shutting down; come back later")
        if name not in self._tokens:
            self._check_new(name)
        elif self._lost_token(name, registration) is None:
            raise _taken(name, name)
        self._limit_registrations(address)
        return await self._new_token(name, registration)

    def only_for(self, name: str) -> ConnectionHandler:
        """A handshake that admits no bot but ``name``."""
        return _OnlyFor(self, name)

    def on_message(
        self,
        connection: Connection,
        message: FromClient,
        arrival: Arrival,  # noqa: ARG002
    ) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        self.on_hello(connection, message, None)

    def on_hello(self, connection: Connection, message: FromClient, only: str | None) -> None:
        """Handle the first message; with ``only`` it must be a hello of the bot with that name."""
        if not isinstance(message, Hello):
            return
        try:
            if only is not None:
                self._require(message, only)
            self._authenticate(connection, message)
        except HelloError as error:
            log.repeated(
                "warning",
                "a hello was refused",
                address=connection.address,
                code=error.code,
                error=str(error),
            )
            connection.finish(Error(code=error.code, message=str(error), fatal=True))

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated(
            "warning",
            "no hello",
            address=connection.address,
            code=error.code,
            error=error.message,
        )

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated("info", "gone before hello", address=connection.address, why=why)

    def _authenticate(self, connection: Connection, hello: Hello) -> None:
        is_bot = hello.role != "spectator"
        identity = self._identify(hello, connection.address) if is_bot else None
        if self.closed and not self._registry.is_in_play(identity):
            raise HelloError("shutting_down", "the server is shutting down; come back later")
        if hello.role == "spectator":
            self._welcome_spectator(connection, hello)
            return
        if identity is not None:
            self._join(connection, hello, identity, None)
        else:
            self._limit_registrations(connection.address)
            connection.reader.pause()
            connection.hello_received()
            self._nursery.start_soon(self._register, connection, hello)

    def _require(self, hello: Hello, name: str) -> None:
        """Refuse a hello that does not prove the bot ``name``."""
        owner = None if hello.token is None else self._tokens.owner(hello.token)
        if hello.role == "spectator" or owner is None or owner.name != name:
            sentence = f"only {name} may connect here, with its token and to play"
            raise HelloError("unauthorized", sentence)

    def _identify(self, hello: Hello, address: str) -> Identity | None:
        """The bot whose identity the hello proves; None if it requests a new name.

        The token alone identifies the bot, so a bot started by a host need not know its name.
        """
        name, token = hello.name, hello.token
        if name is not None and name in self._tokens:
            if token is None and self._is_registering(name, hello.registration):
                return None
            if token is None:
                raise _taken(name, name)
            proven = self._tokens.proves(token, name)
            if proven is None:
                raise self._wrong_token(address, str(Reason.of("wrong_token", bot=name)))
            self._fresh.forget(name)
            return proven
        if token is not None:
            owner = self._tokens.owner(token)
            if owner is None:
                raise self._wrong_token(address, "no bot has this token")
            self._fresh.forget(owner.name)
            return owner
        if name is None:
            raise HelloError("bad_name", "a bot's hello needs a name or a token")
        self._check_new(name)
        return None

    def _wrong_token(self, address: str, sentence: str) -> HelloError:
        """Make the error for a wrong token: a different one if its address has shown too many."""
        wait_s = self._wrong_tokens.spend(address)
        if not wait_s:
            return HelloError("unauthorized", sentence)
        return HelloError(
            "rate_limited",
            f"more than {self._settings.wrong_token_burst} wrong tokens came from {address}, and "
            f"this is one too: check it, and try again in {wait_s} s",
        )

    def _check_new(self, name: str) -> None:
        """Refuse a name that cannot be registered."""
        if not self.registers:
            raise HelloError("unauthorized", f"{name} is not registered; new ones are not taken")
        wrong = why_not_new(name)
        if wrong is not None:
            raise HelloError("bad_name", f"{wrong}; choose another one")
        other = self._tokens.like(name)
        if other is not None:
            raise _taken(name, other)

    def _is_registering(self, name: str, registration: str | None) -> bool:
        """Whether an earlier hello of this bot is registering the name, or its welcome was lost."""
        pending = (name, registration) in self._registering
        return pending or self._lost_token(name, registration) is not None

    def _lost_token(self, name: str, registration: str | None) -> bytes | None:
        """Hash of the token that got lost in transit, if this hello requests its name again."""
        token_hash = self._fresh.token_hash(name, registration)
        return token_hash if token_hash and self._tokens.has(name, token_hash) else None

    def _limit_registrations(self, address: str) -> None:
        """Refuse a new name if the peer's address has registered too many."""
        wait_s = self._registrations.spend(address)
        if wait_s:
            burst = self._settings.registration_burst
            rate = self._settings.registrations_per_minute
            raise HelloError(
                "rate_limited",
                f"more than {burst} new names came from {address}; {rate} a minute are taken from "
                f"there now: try again in {wait_s} s",
            )

    async def _register(self, connection: Connection, hello: Hello) -> None:
        name, registration = str(hello.name), hello.registration
        if registration is not None:
            self._registering[name, registration] += 1
        try:
            token = await self._new_token(name, registration)
        except HelloError as error:
            connection.finish(Error(code=error.code, message=str(error), fatal=True))
            return
        finally:
            if registration is not None:
                self._registering -= Counter([(name, registration)])
        if not connection.is_closing:
            self._join(connection, hello, Identity(str(hello.name)), token)
            connection.reader.resume()

    async def _new_token(self, name: str, registration: str | None) -> str:
        """Create a token: register the name, or repeat a registration whose welcome was lost.

        Raises:
            HelloError: the name is taken, or it could not be recorded.
        """
        token = new_token()
        token_hash = hash_token(token)
        lost = self._lost_token(name, registration)
        taken = await self._record(name, token_hash, lost)
        if taken == name and lost is None:  # an earlier hello of the same bot, recorded meanwhile?
            lost = self._lost_token(name, registration)
            taken = name if lost is None else await self._record(name, token_hash, lost)
        if taken is not None:
            raise _taken(name, taken)
        self._tokens.add(name, token_hash)
        self._fresh.keep(name, registration, token_hash)
        log.info("a bot was registered", bot=name)
        return token

    async def _record(self, name: str, token_hash: bytes, lost: bytes | None) -> str | None:
        """Record a registration; return the conflicting name, as :meth:`Journal.register` does."""
        try:
            return await self._journal.register(name, token_hash, lost)
        except Exception:
            log.exception("a bot could not be registered", bot=name)
            sentence = "the registration could not be recorded; try again later"
            raise HelloError("unauthorized", sentence) from None

    def _join(
        self, connection: Connection, hello: Hello, identity: Identity, new_token: str | None
    ) -> None:
        session = rejoin(self._registry, identity)
        session.attach(connection, self._with_known_version(hello, identity))
        matches = list(session.seats)
        connection.send(self._welcome(identity.name, session.session_id, matches, new_token))
        connection.open()
        self._notices.send_current(identity.name, connection)
        session.resume()

    def _with_known_version(self, hello: Hello, identity: Identity) -> Hello:
        """The hello with the bot's version as its host knows it, if the host does."""
        version = self._tokens.version(identity)
        if version is None:
            return hello
        software = hello.software or Software(name=identity.name)
        return msgspec.structs.replace(
            hello, software=msgspec.structs.replace(software, version=version)
        )

    def _welcome_spectator(self, connection: Connection, hello: Hello) -> None:
        self._admit_spectator(connection)
        connection.send(self._welcome(hello.name, secrets.token_hex(8), [], None))
        connection.open()

    def _welcome(
        self, name: str | None, session: str, matches: list[str], new_token: str | None
    ) -> Welcome:
        settings = self._settings
        return Welcome(
            protocol=PROTOCOL_VERSION,
            server=ServerSoftware(name="polynya", version=version()),
            bot=name,
            session=session,
            heartbeat_ms=settings.heartbeat_ms,
            max_frame=settings.max_frame,
            matches=matches,
            token=new_token,
        )


class _OnlyFor:
    """The handshake of connections to one hosted bot's own socket."""

    def __init__(self, handshake: Handshake, name: str) -> None:
        self._name = name
        self._handshake = handshake
        self.on_broken = handshake.on_broken
        self.on_goodbye = handshake.on_goodbye
        self.on_lost = handshake.on_lost

    def on_message(
        self,
        connection: Connection,
        message: FromClient,
        arrival: Arrival,  # noqa: ARG002
    ) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        self._handshake.on_hello(connection, message, self._name)


def _taken(name: str, by: str) -> HelloError:
    """Make the error for a name that is taken, or too similar to a taken one."""
    if name == by:
        return HelloError("name_taken", f"{name} is registered; say hello with its token")
    sentence = f"{name} differs from the taken name {by} in the case of letters only"
    return HelloError("bad_name", f"{sentence}; choose another one")
