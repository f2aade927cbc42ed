"""The first frame of a connection: who is there, and may they come in?"""

from __future__ import annotations

import secrets

from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import (
    PROTOCOL_VERSION,
    Error,
    ErrorCode,
    FromClient,
    Hello,
    Welcome,
)
from polynya_protocol.messages import Server as ServerSoftware
from polynya_server.connection import Connection
from polynya_server.guests import RESERVED
from polynya_server.lobby import Lobby
from polynya_server.log import log
from polynya_server.notices import Notices
from polynya_server.owner import Phase
from polynya_server.services import Services, version
from polynya_server.spectators import House, Spectator
from polynya_server.tokens import Identity, TokenBook, hash_token, new_token


class HelloError(Exception):
    """A hello that is not welcome; the message is the sentence for the peer."""

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code: ErrorCode = code


class Greeting:
    """Owns every connection until its peer is welcome.

    Attributes:
        closed: whether the server stops and welcomes nobody any more.
        registers: whether a bot may register a new name.
    """

    def __init__(
        self,
        services: Services,
        lobby: Lobby,
        house: House,
        tokens: TokenBook,
        notices: Notices,
    ) -> None:
        self.closed = False
        self.registers = services.settings.open_registration
        self._services = services
        self._lobby = lobby
        self._house = house
        self._tokens = tokens
        self._notices = notices

    def on_message(self, connection: Connection, message: FromClient) -> None:
        """See :class:`~polynya_server.owner.Owner`."""
        if not isinstance(message, Hello):
            return
        try:
            self._greet(connection, message)
        except HelloError as error:
            log.warning(
                "a hello was refused",
                address=connection.address,
                code=error.code,
                error=str(error),
            )
            connection.finish(Error(code=error.code, message=str(error), fatal=True))

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`~polynya_server.owner.Owner`."""
        log.warning("no hello", address=connection.address, code=error.code, error=error.message)

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`~polynya_server.owner.Owner`."""

    def on_lost(self, connection: Connection, why: str) -> None:
        """See :class:`~polynya_server.owner.Owner`."""
        log.info("gone before hello", address=connection.address, why=why)

    def _greet(self, connection: Connection, hello: Hello) -> None:
        identity = None if hello.role == "spectator" else self._identify(hello)
        if self.closed and not self._lobby.is_in_play(identity):
            raise HelloError("shutting_down", "the server is shutting down; come back later")
        if hello.role == "spectator":
            self._seat_spectator(connection, hello)
            return
        if identity is not None:
            self._join(connection, hello, identity, None)
        else:
            connection.hold()
            connection.said_hello()
            self._services.nursery.start_soon(self._register, connection, hello)

    def _identify(self, hello: Hello) -> Identity | None:
        """The bot that the hello proves to be, None if it asks for a new name.

        A token alone names its bot, so that a bot that a host has started need not know its name.
        """
        name, token = hello.name, hello.token
        if name is not None and name in self._tokens:
            if token is None:
                raise HelloError("name_taken", f"{name} is registered; say hello with its token")
            proven = self._tokens.proves(token, name)
            if proven is None:
                raise HelloError("unauthorized", f"this is not the token of {name}")
            return proven
        if token is not None:
            owner = self._tokens.owner(token)
            if owner is None:
                raise HelloError("unauthorized", "no bot has this token")
            return owner
        if name is None:
            raise HelloError("bad_name", "a bot's hello needs a name or a token")
        if not self.registers:
            raise HelloError("unauthorized", f"{name} is not registered; new ones are not taken")
        if name.startswith(RESERVED):
            kept = " or ".join(RESERVED)
            raise HelloError("bad_name", f"no bot's name begins with {kept}; choose another one")
        return None

    async def _register(self, connection: Connection, hello: Hello) -> None:
        name, token = str(hello.name), new_token()
        token_hash = hash_token(token)
        try:
            is_new = await self._services.journal.register(name, token_hash)
        except Exception:
            log.exception("a bot could not be registered", bot=name)
            sentence = "the registration could not be recorded; try again later"
            connection.finish(Error(code="unauthorized", message=sentence, fatal=True))
            return
        if not is_new:
            sentence = f"{name} is registered; say hello with its token"
            connection.finish(Error(code="name_taken", message=sentence, fatal=True))
            return
        self._tokens.add(name, token_hash)
        log.info("a bot was registered", bot=name)
        if connection.phase is Phase.GREETING:
            self._join(connection, hello, Identity(name), token)
            connection.release()

    def _join(
        self, connection: Connection, hello: Hello, identity: Identity, new_token: str | None
    ) -> None:
        self._lobby.session(identity).replace()
        session = self._lobby.session(identity)  # another one, if the old connection was all it had
        session.attach(connection, hello)
        matches = list(session.seats)
        connection.send(self._welcome(identity.name, session.session, matches, new_token))
        connection.open()
        self._notices.greet(identity.name, connection)
        session.resume()

    def _seat_spectator(self, connection: Connection, hello: Hello) -> None:
        limit = self._services.settings.max_spectator_unsent
        connection.owner = Spectator(connection, self._house, limit)
        connection.send(self._welcome(hello.name, secrets.token_hex(8), [], None))
        connection.open()

    def _welcome(
        self, name: str | None, session: str, matches: list[str], new_token: str | None
    ) -> Welcome:
        settings = self._services.settings
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
