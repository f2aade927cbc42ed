"""Sends a bot the recorded messages of one seat; compares its answers with the recorded ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import trio

from polynya_common.errors import ConfigurationError, RunError, unwrap_single_error
from polynya_conformance.alternative_encodings import as_document
from polynya_conformance.bot.checked_bot import BotHost, hosted
from polynya_conformance.bot.scripted_match import READY_S
from polynya_conformance.bot.seat_stream import SeatMessages, answer_steps
from polynya_conformance.peer import Broken, Gone, Peer
from polynya_contest.config.builtin_bots import BotCommand
from polynya_games import IllegalTurn, State, load
from polynya_games.playthrough import Playthrough
from polynya_games.turns import check_answer
from polynya_protocol.messages import ForfeitReason, Goodbye, Message, Move, Ready, Steps
from polynya_server.match.match_setup import match_terms
from polynya_server.match.seat import Transition
from polynya_server.match.time_control import MatchClock
from polynya_server.records import (
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    TurnRecord,
    bounded_steps,
    players_of,
)

PATIENCE_S = 60.0
"""How long to wait for a bot beyond its clock: it may run in a debugger."""
OUTPUT_LINES = 100
"""Number of last output lines to keep: a traceback and the lines before it."""


@dataclass(frozen=True, slots=True)
class Crash:
    """How a bot crashed or left.

    Attributes:
        sentence: how it left.
        last_message: the last message sent to it, as JSON.
        output: its last output lines, safe to print to a terminal.
    """

    sentence: str
    last_message: str
    output: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn of the seat, then and now.

    Attributes:
        turn: its number.
        recorded: the steps in the replay, legal or refused; None where the seat did not answer.
        now: the bot's answer now; any value, as received.
        recorded_ms: the time charged then; None if none was.
        now_ms: the time it took now.
        limit_ms: the turn's time limit then; None if the seat was not asked.
        illegal: why its answer now is illegal; empty if it is legal.
        crash: set if it crashed or left instead of answering.
        refused: why the recorded steps were refused; empty if they were not.
        left_out: number of further refused steps that the replay does not hold.
    """

    turn: int
    recorded: Any
    now: Any
    recorded_ms: int | None
    now_ms: int
    limit_ms: int | None = None
    illegal: str = ""
    crash: Crash | None = None
    refused: str = ""
    left_out: int = 0

    @property
    def is_same(self) -> bool:
        """Whether the bot answers as recorded, as far as the replay has its answer."""
        if self.crash is not None:
            return False
        now = bounded_steps(self.now) if self.refused else (self.now, 0)
        return now == (self.recorded, self.left_out)

    @property
    def late_ms(self) -> int:
        """Ms by which the bot exceeds the turn's limit now."""
        return 0 if self.limit_ms is None else max(self.now_ms - self.limit_ms, 0)

    def loses(self, reason: ForfeitReason | None) -> bool:
        """Whether the bot would lose by this answer; its time counts only if ``reason`` is timeout.

        A bot in a debugger is late everywhere: its time matters only where a match was lost on
        time.
        """
        late = reason == "timeout" and self.late_ms > 0
        return self.crash is not None or bool(self.illegal) or late


def forfeit_of(record: MatchRecord, seat: int) -> ForfeitRecord | None:
    """The record of a seat's forfeit, or None."""
    for event in record.events:
        if isinstance(event, ForfeitRecord) and event.seat == seat:
            return event
    return None


async def rerun(
    record: MatchRecord, seat: int, command: BotCommand, start_s: float = 10
) -> list[Answer]:
    """Send a bot the recorded messages of a seat; return its answers beside the recorded ones.

    The match goes on as recorded, independently of the bot's answers. If the bot leaves during the
    match, the last answer says how.

    Args:
        record: a recorded match.
        seat: the seat that the bot takes.
        command: starts the bot.
        start_s: how long it may take to connect, in seconds.

    Raises:
        ConfigurationError: the match has no such seat.
        RunError: the bot cannot be started, or does not come to the match, or does not answer.
    """
    if not 0 <= seat < len(record.setup.players):
        count = len(record.setup.players)
        raise ConfigurationError(f"the match has the seats 0 to {count - 1}, not {seat}")
    with unwrap_single_error():
        async with hosted(command, kept_lines=OUTPUT_LINES) as host:
            try:
                return await _Rerun(record, seat).play(host, start_s)
            except Broken as broken:
                words = await host.last_words() if isinstance(broken, Gone) else ""
                raise RunError(f"the bot: {broken.sentence}{words}") from broken


class _Rerun:
    """One rerun of a match."""

    def __init__(self, record: MatchRecord, seat: int) -> None:
        setup = record.setup
        self._record = record
        self._seat = seat
        self._messages = SeatMessages(
            setup.match,
            seat,
            setup.game,
            players_of(setup),
            record.options,
            setup.clock,
            match_terms(load, setup),
        )
        self._match = Playthrough(load(setup.game).state_from_json(record.state))
        self._clock = MatchClock(setup.clock, len(setup.players), setup.untimed)
        self._asked = 0
        self._answers: list[Answer] = []
        self._last_sent: Message | None = None

    @property
    def _state(self) -> State:
        return self._match.state

    async def play(self, host: BotHost, start_s: float) -> list[Answer]:
        """Play until the match or the bot ends."""
        peer = await host.first_connection(start_s)
        self._messages.listen_to(await peer.greeted())
        peer.answer_steps[self._messages.match] = self._answer_steps
        await peer.welcome(self._record.setup.players[self._seat])
        try:
            await self._play(peer)
        except Gone as gone:
            await host.last_words()
            crash = Crash(gone.sentence, self._last_message(), host.last_lines())
            self._answers.append(Answer(self._asked, None, None, None, 0, crash=crash))
        return self._answers

    async def _play(self, peer: Peer) -> None:
        """Go through all recorded events."""
        await self._send(peer, self._messages.start(self._state))
        await peer.expect(Ready, READY_S, None)
        for events in self._match.transitions(self._record.events):
            await self._transition(peer, events)
        await self._send(peer, self._over())
        await peer.send(Goodbye(reason="finished"))

    async def _send(self, peer: Peer, *messages: Message) -> None:
        """Send messages, and remember the last."""
        self._last_sent = messages[-1] if messages else self._last_sent
        await peer.send(*messages)

    def _last_message(self) -> str:
        return "" if self._last_sent is None else json.dumps(as_document(self._last_sent))

    async def _transition(self, peer: Peer, events: Sequence[MatchEvent]) -> None:
        """Ask the bot if the seat was asked; tell it what was recorded, and go on from there."""
        for event in events:
            if event.seat == self._seat:
                await self._answer(peer, event)
        if self._state.to_move is not None:
            self._match.follow(*events)
        for event in events:
            if isinstance(event, TurnRecord):
                self._clock.charge(event.seat, event.charged_ms)
        told = (
            self._messages.told(event, Transition(self._state, event is events[-1]))
            for event in events
        )
        await self._send(peer, *(message for message in told if message is not None))

    async def _answer(self, peer: Peer, event: MatchEvent) -> None:
        """The bot's answer, beside the recorded one, where the seat was asked."""
        if isinstance(event, TurnRecord):
            recorded: dict[str, Any] = {"recorded": event.steps}
        elif event.limit_ms is not None and event.turn > 0:
            recorded = {
                "recorded": event.refused_steps,
                "refused": str(event.detail) if event.reason == "illegal_move" else "",
                "left_out": event.refused_left_out,
            }
        else:
            return
        answer = await self._ask(peer, event.turn)
        self._answers.append(replace(answer, recorded_ms=event.charged_ms, **recorded))

    async def _ask(self, peer: Peer, number: int) -> Answer:
        """Ask the bot for its answer now; the recorded answer is filled in later."""
        self._asked = number
        limit_ms = self._clock.limit_ms(self._seat)
        began = trio.current_time()
        await self._send(peer, self._messages.turn(self._state, number, limit_ms))
        move = await peer.expect(
            Move, limit_ms / 1000 + PATIENCE_S, None, lambda move: move.turn == number
        )
        now_ms = int((trio.current_time() - began) * 1000)
        illegal = self._illegal(move.steps)
        return Answer(number, None, move.steps, None, now_ms, limit_ms, illegal)

    def _illegal(self, steps: Any) -> str:
        try:
            check_answer(self._state, self._seat, steps)
        except IllegalTurn as error:
            return str(error)
        return ""

    def _answer_steps(self, question: Steps) -> Message:
        return answer_steps(self._state, self._asked, question, self._seat)

    def _over(self) -> Message:
        record = self._record
        detail = None if record.detail is None else str(record.detail)
        return self._messages.over(
            record.ranking, record.scores, record.reason, detail, record.setup.deal
        )
