"""An unkind server's end of a bot's connection: checks input strictly, encodes output freely."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import TypeVar, cast

import trio

from polynya_common.reasons import Reason, cause_of
from polynya_conformance.alternative_encodings import (
    Document,
    Writing,
    as_document,
    framed,
    plain,
)
from polynya_protocol import RemoteProtocolError
from polynya_protocol.connection import server_side
from polynya_protocol.errors import printable
from polynya_protocol.messages import (
    Error,
    FromClient,
    FromServer,
    Goodbye,
    Hello,
    Message,
    Ping,
    Pong,
    Server,
    Steps,
    Welcome,
)

Wanted = TypeVar("Wanted", bound=Message)

MAX_FRAME = 8 * 1024
"""``max_frame`` of the kit's welcome, in bytes; most servers take more."""
HEARTBEAT_MS = 15_000
_PAUSE_S = 0.003
_ONE_BY_ONE = 40
_READ = 64 * 1024


class Broken(Exception):  # noqa: N818 - a requirement is broken, the check is not
    """A requirement is not met, and the scenario cannot go on.

    Attributes:
        number: the requirement's; None for the scenario's main requirement.
        sentence: what happened.
    """

    def __init__(self, number: str | None, sentence: str) -> None:
        super().__init__(sentence)
        self.number = number
        self.sentence = sentence


class Gone(Broken):
    """The bot has closed its connection or said goodbye."""


class Left(Gone):
    """The bot has said goodbye."""


class Inconclusive(Exception):  # noqa: N818 - nothing is wrong with the check
    """A scenario cannot test its requirement: a precondition failed, or the match ended early."""


class Peer:
    """One connection of a bot.

    Attributes:
        answer_steps: by match, answers the bot's queries for legal steps.
        writing: encodes messages.
        pieces: cuts sent bytes into pieces, which go out with pauses in between.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self.answer_steps: dict[str, Callable[[Steps], Message]] = {}
        self.writing: Writing = plain
        self.pieces: Callable[[bytes], Iterable[bytes]] = whole
        self._stream = stream
        self._held: bytearray | None = None
        self._session = server_side(MAX_FRAME)
        self._unread: deque[FromClient | RemoteProtocolError] = deque()
        self._put_off: list[FromClient] = []

    async def greeted(self, seconds: float = 5) -> Hello:
        """Wait for the bot's hello.

        Raises:
            Broken: R7, if it does not come in time or is invalid.
        """
        return await self.expect(Hello, seconds, "R7")

    async def welcome(
        self, bot: str, matches: tuple[str, ...] = (), token: str | None = None
    ) -> None:
        """Answer the hello with a welcome."""
        await self.send(welcome(bot, matches, token))

    async def send(self, *messages: Message | Document) -> None:
        """Send messages, in one segment unless they are cut into pieces."""
        for message in messages:
            if isinstance(message, Message):
                self._session.send(
                    cast("FromServer", message)
                )  # the kit, too, may send only messages that are allowed now
        payloads = [self.writing(as_document(message)) for message in messages]
        await self.send_bytes(b"".join(map(framed, payloads)))

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are.

        Raises:
            Gone: the connection is broken.
        """
        if self._held is not None:
            self._held += data
            return
        try:
            for number, piece in enumerate(self.pieces(data)):
                if number:
                    await trio.sleep(_PAUSE_S)
                await self._stream.send_all(piece)
        except trio.BrokenResourceError as error:
            raise Gone(None, "it closed the connection") from error

    @asynccontextmanager
    async def one_segment(self) -> AsyncIterator[None]:
        """Hold back the bytes sent in this context, and send them in one segment when it exits."""
        self._held = bytearray()
        yield
        data, self._held = bytes(self._held), None
        await self.send_bytes(data)

    async def expect(
        self,
        kind: type[Wanted],
        seconds: float,
        number: str | None,
        such: Callable[[Wanted], bool] = lambda _: True,
    ) -> Wanted:
        """Wait for the next message of a kind; keep other messages before it for later.

        Raises:
            Broken: requirement ``number``, if it does not come in ``seconds``.
        """
        for message in self._put_off:
            if isinstance(message, kind) and such(message):
                self._put_off.remove(message)
                return message
        missing = f"no {kind.__struct_config__.tag}"
        with _within(seconds, number, missing):
            while True:
                try:
                    message = await self._next()
                except Gone as gone:
                    raise Gone(number, f"{missing}: {gone.sentence}") from gone
                if isinstance(message, kind) and such(message):
                    return message
                self._put_off.append(message)

    async def expect_pong(self, nonce: int | str, seconds: float) -> None:
        """Wait for the answer to a ping.

        Raises:
            Broken: R9, if there is none, or its nonce differs.
        """
        pong = await self.expect(Pong, seconds, "R9")
        if (type(nonce), nonce) != (type(pong.nonce), pong.nonce):
            got = printable(repr(pong.nonce), 80)
            raise Broken("R9", f"the ping's nonce was {nonce!r}, the pong's {got}")

    async def first_within(self, seconds: float) -> FromClient | None:
        """Wait for the next message that this kit need not answer; None if none comes in time."""
        if self._put_off:
            return self._put_off.pop(0)
        with trio.move_on_after(seconds):
            return await self._next()
        return None

    async def hangs_up(self, seconds: float) -> bool:
        """Whether the bot closes the connection within this time; messages are ignored."""
        with trio.move_on_after(seconds):
            while True:
                try:
                    if not await self._stream.receive_some(_READ):
                        return True
                except trio.BrokenResourceError:
                    return True
        return False

    async def close(self) -> None:
        """Close the connection without a goodbye."""
        with trio.CancelScope(shield=True), contextlib.suppress(trio.BrokenResourceError):
            await self._stream.aclose()

    async def _next(self) -> FromClient:
        while True:
            while not self._unread:
                self._unread.extend(self._session.receive_data(await self._receive()))
            item = self._unread.popleft()
            if isinstance(item, RemoteProtocolError):
                await self._refuse(item)
            elif isinstance(item, Goodbye):
                why = f" ({printable(item.reason)})" if item.reason else ""
                raise Left(None, f"it said goodbye{why}")
            elif isinstance(item, Ping):
                await self.send(Pong(nonce=item.nonce))
            elif isinstance(item, Steps):
                await self.send(self.answer_steps.get(item.match, _no_such_match)(item))
            else:
                return item

    async def _refuse(self, error: RemoteProtocolError) -> None:
        await self.send(error.reply())
        if error.fatal:
            raise Broken(_requirement(error), f"{error.code}: {error.message}")

    async def _receive(self) -> bytes:
        try:
            data = await self._stream.receive_some(_READ)
        except trio.BrokenResourceError as error:
            raise Gone(None, "it broke the connection") from error
        if not data:
            raise Gone(None, "it closed the connection")
        return bytes(data)


def welcome(bot: str, matches: tuple[str, ...] = (), token: str | None = None) -> Welcome:
    """The kit's welcome to a bot."""
    return Welcome(
        protocol=1,
        server=Server(name="polynya check", version="1"),
        bot=bot,
        session="check",
        heartbeat_ms=HEARTBEAT_MS,
        max_frame=MAX_FRAME,
        matches=list(matches),
        token=token,
    )


def _requirement(error: RemoteProtocolError) -> str:
    """The requirement that a fatal frame error breaks: the hello's, or that of valid frames."""
    cause = cause_of(error)
    of_hello = error.code in ("bad_name", "unsupported_protocol") or (
        isinstance(cause, Reason) and cause.code in ("first_frame_no_hello", "second_hello")
    )
    return "R7" if of_hello else "R1"


def _no_such_match(question: Steps) -> Error:
    return Error(
        code="unknown_match", message="no match is going on", fatal=False, match=question.match
    )


def whole(data: bytes) -> Iterator[bytes]:
    """Send all bytes at once."""
    yield data


def cut(data: bytes) -> Iterator[bytes]:
    """Cut into a few pieces: within the length, within the message, before the last byte."""
    middle = 5 + (len(data) - 5) // 2
    edges = [0, 1, 3, 5, middle, len(data) - 1, len(data)]
    for start, end in itertools.pairwise(edges):
        yield data[start:end]


def single_bytes(data: bytes) -> Iterator[bytes]:
    """Cut off the first bytes one by one, then send the rest."""
    for index in range(_ONE_BY_ONE):
        yield data[index : index + 1]
    yield data[_ONE_BY_ONE:]


@contextlib.contextmanager
def _within(seconds: float, number: str | None, missing: str) -> Iterator[None]:
    """Turn a timeout into a failed requirement."""
    with trio.move_on_after(seconds) as scope:
        yield
    if scope.cancelled_caught:
        raise Broken(number, f"{missing} within {seconds:g} s")
