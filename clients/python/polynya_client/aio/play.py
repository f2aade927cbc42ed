"""A match in an event loop: its events, one after the other in a task, and its questions."""

from __future__ import annotations

import logging
import math
from contextlib import suppress

import anyio

from polynya_client import events
from polynya_client.aio.bot import Bot, Turn
from polynya_client.aio.connection import Connection
from polynya_client.codec import Message
from polynya_client.errors import BadTurn, TurnLost, printable
from polynya_client.events import Legal, Steps, field
from polynya_client.match import Match
from polynya_client.remarks import Remarks, move, whole_numbers

logger = logging.getLogger("polynya_client")


class Play:
    """One match that the bot plays.

    Attributes:
        match: what is known of it.
    """

    def __init__(self, match: Match, bot: Bot, connection: Connection, remarks: Remarks) -> None:
        self._remarks = remarks
        self.match = match
        self._bot = bot
        self._connection = connection
        self._events, self._inbox = anyio.create_memory_object_stream[tuple[Turn | None, Message]](
            math.inf
        )
        self._answers, self._answered = anyio.create_memory_object_stream[Message](math.inf)
        self._asked: Turn | None = None
        self._asking: Turn | None = None
        self._deciding: tuple[Turn, anyio.CancelScope] | None = None
        self._pondering = anyio.CancelScope()
        self._why_lost = ""
        self._is_over = False

    async def run(self) -> None:
        """Play until the match is over, or is abandoned."""
        with self._events, self._inbox, self._answers, self._answered:
            await self._bot.match_start(self.match)
            if not self.match.resumed:  # a bot that has come back counts as ready
                self._connection.send({"type": "ready", "match": self.match.id})
            await self._ponder()
            async for turn, message in self._inbox:
                if turn is not None:
                    await self._decide(turn)
                else:
                    await self._event(message)
                await self._ponder()

    async def _ponder(self) -> None:
        """Let the bot think until there is something to do."""
        if self._is_over or self.match.is_lost or self._inbox.statistics().current_buffer_used:
            return
        with anyio.CancelScope() as self._pondering:
            await self._bot.ponder(self.match)

    def happened(self, message: Message, arrived: float) -> None:
        """Take an event, in its order; the end of the turn answers the questions about it."""
        self.match.follow(message)
        turn = None
        if message["type"] == "turn":
            self._end_turn("another turn is asked for")
            turn = self._asked = Turn(self.match, message, arrived, self._legal_after)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # the bot has failed
            self._events.send_nowait((turn, message))
        self._pondering.cancel()
        ours = message["type"] == "forfeited" and message.get("seat") == self.match.seat
        if message["type"] == "match_over":
            self.abandon()
        elif ours:
            self._end_turn("it ended by forfeited")

    def abandon(self) -> None:
        """Take no more events; ``run`` ends after those that are there."""
        self._is_over = True
        self._end_turn("it ended by match_over or goodbye")
        self._pondering.cancel()
        self._events.close()

    def _end_turn(self, why: str) -> None:
        """Withdraw the open turn, if there is one."""
        if self._asked is None:
            return
        turn, self._asked, self._asking = self._asked, None, None
        self._why_lost = why
        turn.cancelled.cancel()
        if self._deciding is not None and self._deciding[0] is turn:
            self._deciding[1].cancel()

    def answer(self, message: Message) -> bool:
        """Take a ``legal`` or an ``error``; whether it is what was waited for."""
        if self._asking is None or message.get("turn") not in (None, self._asking.number):
            return False
        self._asking = None
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # the bot has failed
            self._answers.send_nowait(message)
        return True

    async def _event(self, message: Message) -> None:
        match message["type"]:
            case "moved":
                moved = events.read_moved(message)
                self.match.told(moved)
                await self._bot.moved(self.match, moved)
            case "forfeited":
                forfeited = events.read_forfeited(message)
                if forfeited.seat == self.match.seat and not self.match.resigned:
                    self.match.is_lost = True
                    logger.warning(
                        "match %s forfeited (%s): %s",
                        printable(self.match.id),
                        printable(forfeited.reason),
                        printable(forfeited.detail),
                    )
                self.match.told(forfeited)
                await self._bot.forfeited(self.match, forfeited)
            case "match_over":
                await self._bot.match_over(self.match, events.read_match_over(message))

    async def _decide(self, turn: Turn) -> None:
        if self._asked is not turn:
            return  # it was over before the bot came to it
        steps: Steps = []
        why = ""
        with anyio.CancelScope(deadline=anyio.current_time() + turn.remaining) as scope:
            self._deciding = turn, scope
            try:
                steps = await self._bot.turn(turn)
            except TurnLost as lost:
                why = str(lost)
        self._deciding = None
        if self._asked is not turn:
            why = self._why_lost
        elif scope.cancelled_caught:
            why = "its time is over"
        if not why and not self.match.is_lost:
            self._move(turn, steps)
        elif why and not self.match.resigned:
            match = printable(self.match.id)
            logger.warning("no move for turn %d of match %s: %s", turn.number, match, why)

    def _move(self, turn: Turn, steps: Steps) -> None:
        if not isinstance(steps, (list, tuple)) or not steps:
            raise BadTurn(
                f'the bot gave {steps!r} as its turn: give a list of steps, [["move", 12, 40]]'
            )
        self._connection.send(move(turn, steps, self._remarks))

    async def _legal_after(self, turn: Turn, steps: Steps) -> Legal:
        about = {"match": self.match.id, "turn": turn.number}
        self._asking = turn
        self._connection.send({"type": "steps", **about, "steps": whole_numbers(steps)})
        answer = await self._answered.receive()
        if answer["type"] == "error":
            raise TurnLost(printable(field(answer, "message", str)))
        return events.read_legal(answer)
