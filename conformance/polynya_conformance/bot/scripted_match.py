"""Plays a match between the bot under test and random opponents, by the real rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import trio

from polynya_conformance.bot.seat_stream import SeatMessages, answer_steps
from polynya_conformance.peer import Broken, Inconclusive, Peer
from polynya_games import Game, IllegalTurn, State, Step
from polynya_games.chance import deal_of_seed
from polynya_games.randomness import SplitMix64
from polynya_games.seats import acting, legal_steps, staying
from polynya_games.turns import check_answer, forfeit_together, play_turn
from polynya_protocol import RemoteProtocolError
from polynya_protocol.checks import check_info
from polynya_protocol.errors import printable
from polynya_protocol.messages import (
    Clock,
    Error,
    ForfeitReason,
    Message,
    Move,
    Player,
    Ready,
    Resign,
    Steps,
)
from polynya_server.match.match_setup import MatchTerms, deal_commitment
from polynya_server.match.seat import Transition
from polynya_server.records import ForfeitRecord, MatchEvent, TurnRecord

READY_S = 10.0
"""How long a bot may take to be ready (docs/protocol.md, "ready")."""
_EARLIER_TURNS = 5
GRACE_S = 2.0
"""How long to wait for an answer after its time, to tell a late one from none."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The game and the settings of its matches.

    Attributes:
        game: an installed game.
        players: how many seats.
        move_ms: the time of each turn.
    """

    game: Game
    players: int
    move_ms: int

    def terms(self, seed: int) -> MatchTerms:
        """The terms of a match with this seed: its hidden parts, joint turns and deal."""
        commitment = None
        if self.game.secret_seed:
            commitment = deal_commitment(deal_of_seed(seed).hex())
        return MatchTerms(self.game.joint, self.game.has_view, commitment)


class Table:
    """A match in play.

    Attributes:
        messages: makes the messages to the bot's seat.
        state: the position.
        number: number of the last turn, 0 before the first.
        late: sentences about moves that came after their time.
        infos: number of moves with remarks, and sentences about remarks that are not allowed.
    """

    def __init__(self, peer: Peer, rules: Rules, match: str = "m1", seat: int = 0) -> None:
        names = ["opponent" if other != seat else "checked-bot" for other in range(rules.players)]
        players = [Player(seat=number, name=name) for number, name in enumerate(names)]
        self.messages = SeatMessages(
            match,
            seat,
            rules.game.name,
            players,
            {},
            Clock(move_ms=rules.move_ms),
            rules.terms(seat),
        )
        self.state: State = rules.game.initial_state(rules.players, seat)
        self.number = 0
        self.late: list[str] = []
        self.infos = 0
        self.bad_infos: list[str] = []
        self._peer = peer
        self._rules = rules
        self._generator = SplitMix64(seat)
        self._asked_at = 0.0
        self._lost = False
        peer.answer_steps[match] = self.answer_steps

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.state.to_move is None

    @property
    def opponents(self) -> list[int]:
        """The other seats that can still leave."""
        return [seat for seat in staying(self.state) if seat != self.messages.seat]

    @property
    def budgets(self) -> list[int | None]:
        """Each seat's budget: none, for only each turn is limited."""
        return [None] * self._rules.players

    def move_to(self, peer: Peer) -> None:
        """Continue on another connection of the bot."""
        self._peer = peer
        peer.answer_steps[self.messages.match] = self.answer_steps

    def answer_steps(self, question: Steps) -> Message:
        """Answer the bot's query for legal steps."""
        if self._lost:
            return self._late()
        return answer_steps(self.state, self.number, question, self.messages.seat)

    async def start(self) -> None:
        """Begin the match and wait until the bot is ready.

        Raises:
            Broken: R13, if it is not in time.
        """
        await self.announce()
        await self.expect_ready()

    async def announce(self) -> None:
        """Send the match's beginning."""
        await self._peer.send(self.messages.start(self.state))

    async def expect_ready(self) -> None:
        """Wait until the bot is ready.

        Raises:
            Broken: R13, if it is not in time.
        """
        match = self.messages.match
        await self._peer.expect(Ready, READY_S, "R13", lambda ready: ready.match == match)

    def happened_before(self) -> None:
        """Let all seats play at random, without telling the bot, until it is to move."""
        while self.number < _EARLIER_TURNS or not self._is_asked:
            self._need_more()
            self.state = play_turn(self.state, self._random_answers())
            self.number += 1

    async def play(self, turns: int) -> None:
        """Play on until the bot has had this many turns, or the match is over."""
        for _ in range(turns):
            await self.play_others()
            if self.over:
                return
            await self.ask()
            await self.answer()

    async def play_others(self) -> None:
        """Let the opponents play until the bot is to move, or the match is over."""
        while not (self.over or self._is_asked):
            self.number += 1
            await self._transition(self._random_answers())

    async def ask(self, *and_then: Message | dict[str, Any]) -> None:
        """Ask the bot for its turn; ``and_then`` goes out in the same segment.

        Raises:
            Inconclusive: the match is over.
        """
        self._need_more()
        self.number += 1
        turn = self.messages.turn(self.state, self.number, self._rules.move_ms)
        await self._peer.send(turn, *and_then)
        self._asked_at = trio.current_time()

    async def ask_again(self) -> None:
        """Ask for the same turn once more."""
        self.number -= 1
        await self.ask()

    async def answer(self) -> None:
        """Wait for the bot's move, check it and play it.

        Raises:
            Broken: R1, R14 or R16.
        """
        steps = self.checked(await self.expect_move())
        await self._transition(self._random_answers() | {self.messages.seat: steps})

    async def _transition(self, answers: Mapping[int, Sequence[Any]]) -> None:
        """Go on by a turn of all acting seats, and tell the bot."""
        self.state = play_turn(self.state, answers)
        await self._tell([self._played(seat, answers[seat]) for seat in sorted(answers)])

    async def _tell(self, events: Sequence[MatchEvent]) -> None:
        told = (
            self.messages.told(event, Transition(self.state, event is events[-1]))
            for event in events
        )
        await self._peer.send(*(message for message in told if message is not None))

    def _played(self, seat: int, steps: Sequence[Any]) -> TurnRecord:
        return TurnRecord(
            turn=self.number,
            seat=seat,
            steps=[list(step) for step in steps],
            queued_us=0,
            flushed_us=0,
            first_byte_us=1_000,
            last_byte_us=1_000,
            kernel=False,
            charged_ms=1,
            remaining_ms=self.budgets,
            loop_delay_us=0,
        )

    async def expect_move(self) -> Move:
        """Wait for the bot's move, and note if it is late.

        Raises:
            Broken: R14, if there is none.
        """
        limit_s = self._rules.move_ms / 1000
        move = await self._peer.expect(Move, limit_s + GRACE_S, "R14", self._is_meant)
        taken_s = trio.current_time() - self._asked_at
        if taken_s > limit_s:
            late = f"turn {self.number}: {taken_s * 1000:.0f} ms, {self._rules.move_ms} allowed"
            self.late.append(late)
        return move

    def checked(self, move: Move) -> Sequence[Sequence[Any]]:
        """The steps of a move that answers the turn being asked for.

        Raises:
            Broken: R1, R14 or R16.
        """
        if type(move.turn) is float or _has_fraction(move.steps):
            raise Broken("R1", f"turn {self.number}: a number of its move is a float or a boolean")
        if (move.match, move.turn) != (self.messages.match, self.number):
            said = printable(f"match {move.match!r}, turn {move.turn!r}", 120)
            asked = f"match {self.messages.match!r}, turn {self.number}"
            raise Broken("R14", f"{asked} was asked for, its move is of {said}")
        try:
            check_answer(self.state, self.messages.seat, move.steps)
        except IllegalTurn as error:
            raise Broken("R16", f"turn {self.number}: {error}") from error
        self._note_info(move.info)
        steps: Sequence[Sequence[Any]] = move.steps
        return steps

    async def short_match(self) -> None:
        """Play a whole match: the bot has one turn, then the opponents resign."""
        await self.start()
        await self.play(1)
        await self.finish()

    async def lose_on_time(self) -> None:
        """Let the bot lose in the middle of its turn; its answer is then late."""
        self._lost = True
        await self.forfeit(self.messages.seat, "timeout", "no answer in time")
        await self.finish()
        if isinstance(await self._peer.first_within(self._rules.move_ms / 1000), Move):
            await self._peer.send(self._late())

    def _late(self) -> Error:
        return Error(
            code="late", message="the match is over", fatal=False, match=self.messages.match
        )

    async def finish(self) -> None:
        """End the match: the opponents resign, unless it is over."""
        for seat in self.opponents:
            if not self.over:
                await self.forfeit(seat)
        outcome = self.state.outcome
        assert outcome is not None  # noqa: S101 - one player is left at most
        forfeit = outcome.termination.value == "forfeit"
        await self._peer.send(
            self.messages.over(
                outcome.ranking, outcome.scores, "forfeit" if forfeit else "finished"
            )
        )

    async def forfeit(
        self, seat: int, reason: ForfeitReason = "resigned", detail: str = "it resigned"
    ) -> None:
        """Forfeit a seat.

        Raises:
            Inconclusive: the match is over.
        """
        self._need_more()
        self.state = forfeit_together(self.state, (seat,))
        await self._tell([ForfeitRecord(turn=self.number, seat=seat, reason=reason, detail=detail)])

    async def expect_no_move(self, seconds: float, number: str) -> None:
        """Make sure that the bot sends nothing that belongs to a turn.

        Raises:
            Broken: requirement ``number``.
        """
        message = await self._peer.first_within(seconds)
        if isinstance(message, Move):
            raise Broken(number, f"it sent a move for turn {printable(repr(message.turn), 40)}")
        if isinstance(message, Resign):
            raise Broken(number, "it resigned")

    def _is_meant(self, move: Move) -> bool:
        """Whether to judge a move here: it belongs to no other match in play."""
        return move.match == self.messages.match or move.match not in list(self._peer.answer_steps)

    def _note_info(self, info: msgspec.Raw) -> None:
        try:
            self.infos += check_info(info) is not None
        except RemoteProtocolError as error:
            self.bad_infos.append(f"turn {self.number}: {error.message}")

    def _need_more(self) -> None:
        if self.over:
            raise Inconclusive("the match was over too soon; try once more, or another game")

    @property
    def _is_asked(self) -> bool:
        return self.messages.seat in acting(self.state)

    def _random_answers(self) -> dict[int, list[Sequence[Any]]]:
        """A turn at random of each acting seat."""
        seats = acting(self.state)
        if len(seats) > 1:
            return {seat: [self._any(legal_steps(self.state, seat))] for seat in seats}
        position, steps = self.state, list[Sequence[Any]]()
        while not steps or not (position.turn_over or position.to_move is None):
            steps.append(step := self._any(position.legal_steps()))
            position = position.apply_legal(step)
        return {seats[0]: steps}

    def _any(self, steps: Sequence[Step]) -> Step:
        return steps[self._generator.below(len(steps))]


def _has_fraction(steps: Any) -> bool:
    """Whether steps contain a float or a boolean in place of an integer."""
    if isinstance(steps, list):
        return any(_has_fraction(item) for item in steps)
    return isinstance(steps, float | bool)
