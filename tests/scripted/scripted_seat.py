"""Players that follow a script, on the clock that trio runs by: for tests of referee and match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import trio

from polynya_games import State
from polynya_protocol.messages import RatingChange, Software
from polynya_server.match.seat import Answer, Fault, MatchContext, OnReply, Transition, TurnTiming
from polynya_server.match.turn_charge import first_late_ns
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord
from polynya_server.timing import monotonic_clock
from polynya_server.timing.monotonic_clock import NS_PER_MS


@dataclass(frozen=True)
class Silence:
    """No answer, however long the turn may take."""


@dataclass(frozen=True)
class Reply:
    """An answer.

    Attributes:
        steps: the steps that are sent.
        after_ms: how long that takes.
        loop_delay_ms: how late the server itself was meanwhile.
        allowance_ms: the lag that is not charged.
    """

    steps: object
    after_ms: float = 0
    loop_delay_ms: float = 0
    allowance_ms: float = 0


@dataclass(frozen=True)
class Leave:
    """A fault in place of an answer.

    Attributes:
        fault: the fault.
        after_ms: how long after the question it comes.
    """

    fault: Fault
    after_ms: float = 0


Action = Reply | Silence | Leave | Fault


@dataclass
class ScriptedSeat:
    """A seat that answers each turn by the next action of its script, and silence after the last.

    Attributes:
        script: its actions, turn by turn.
        asked: the turns it was asked for: number, limit in ms.
        told: the turns and forfeits that it was told of.
        within: the transitions that these belong to; None in a match without hidden parts.
    """

    script: Iterable[Action] = ()
    asked: list[tuple[int, int]] = field(default_factory=list)
    told: list[MatchEvent] = field(default_factory=list)
    within: list[Transition | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin the script."""
        self._actions = iter(self.script)
        self._withdrawn = trio.CancelScope()

    def ask(self, turn_number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.match.seat.Seat`."""
        self.asked.append((turn_number, limit_ms))
        self._withdrawn = trio.CancelScope()
        action = next(self._actions, Silence())
        trio.lowlevel.spawn_system_task(self._reply, action, limit_ms, self._withdrawn, on_reply)

    def withdraw(self) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        self._withdrawn.cancel()

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self.told.append(turn)
        self.within.append(within)

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self.told.append(forfeit)
        self.within.append(within)

    async def _reply(
        self, action: Action, limit_ms: int, withdrawn: trio.CancelScope, on_reply: OnReply
    ) -> None:
        reply: Answer | Fault | None = None
        with withdrawn:
            reply = await self._act(action, limit_ms)
        on_reply(reply)

    async def _act(self, action: Action, limit_ms: int) -> Answer | Fault:
        now = monotonic_clock.reader()
        asked_ns = now()
        if isinstance(action, Fault):
            return action
        if isinstance(action, Silence):
            over_ns = first_late_ns(asked_ns, limit_ms, 0)
            await trio.sleep_until(monotonic_clock.trio_time(over_ns))
            timing = TurnTiming(asked_ns, asked_ns, over_ns, over_ns, limit_ms, answered=False)
            return Fault("timeout", f"no answer within {limit_ms} ms", timing)
        await trio.sleep(action.after_ms / 1000)
        if isinstance(action, Leave):
            return action.fault
        timing = TurnTiming(
            asked_ns,
            asked_ns,
            now(),
            now(),
            limit_ms,
            allowance_ns=int(action.allowance_ms * NS_PER_MS),
            loop_delay_ns=int(action.loop_delay_ms * NS_PER_MS),
        )
        return Answer(action.steps, None, timing)


@dataclass
class ScriptedParticipant(ScriptedSeat):
    """A player in a match, in this process and without a connection: it plays its script.

    Attributes:
        gets_ready: whether it says that it is ready when it is invited.
        match: the match that it is in.
        record: of its match, once that is over.
        software: its own name and version.
    """

    gets_ready: bool = True
    match: MatchContext | None = None
    record: MatchRecord | None = None
    software: Software | None = None

    def __post_init__(self) -> None:
        """Begin the script."""
        super().__post_init__()
        self.ready = False

    @property
    def running_ms(self) -> int | None:
        """See :class:`~polynya_server.match.seat.Participant`; its clock is not shown."""
        return None

    def join(self, match: MatchContext) -> None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        self.match = match

    def invite(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        if self.gets_ready and self.match is not None:
            self.ready = True
            self.match.on_ready()

    def read_pending(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`; nothing is ever pending."""

    def why_not_ready(self, ready_ms: int) -> str:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return f"the script did not get ready within {ready_ms} ms"

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.match.seat.MatchListener`."""
        self.record = record
        self.match = None
