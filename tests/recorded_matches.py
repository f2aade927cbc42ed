"""Records of matches that are played at random, and the words that start ``polynya``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from polynya_games import State, load
from polynya_games.randomness import SplitMix64
from polynya_protocol.messages import Clock, Software
from polynya_server.match.time_control import MatchClock
from polynya_server.records import (
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    MatchSetup,
    TurnRecord,
)

MakeRecord = Callable[..., MatchRecord]
CHARGED_MS = 3


class _Table:
    """A match that is being played and recorded."""

    def __init__(self, setup: MatchSetup) -> None:
        self.state: State = load(setup.game).setup(len(setup.players), setup.seed, setup.options)
        self.clock = MatchClock(setup.clock, len(setup.players))
        self.events: list[MatchEvent] = []
        self._generator = SplitMix64(setup.seed)

    def turn(self, number: int) -> None:
        """One turn, all of its steps chosen at random."""
        seat = self.state.to_move
        assert seat is not None
        steps: list[list[Any]] = []
        while not steps or not self.state.turn_over:
            legal = self.state.legal_steps()
            step = legal[self._generator.below(len(legal))]
            steps.append(list(step))
            self.state = self.state.apply_legal(step)
        self.clock.charge(seat, CHARGED_MS)
        began_us = number * 10_000
        self.events.append(
            TurnRecord(
                turn=number,
                seat=seat,
                steps=steps,
                queued_us=began_us,
                flushed_us=began_us + 10,
                first_byte_us=began_us + 3_100,
                last_byte_us=began_us + 3_200,
                kernel=True,
                charged_ms=CHARGED_MS,
                remaining_ms=self.clock.remaining_ms(),
                loop_delay_us=50,
            )
        )

    def forfeit(self, number: int) -> None:
        """The seat that is asked for this turn exceeds its time."""
        seat = self.state.to_move
        assert seat is not None
        limit_ms = self.clock.limit_ms(seat)
        self.state = self.state.forfeit(seat)
        self.events.append(
            ForfeitRecord(
                turn=number,
                seat=seat,
                reason="timeout",
                detail="it took too long",
                limit_ms=limit_ms,
                charged_ms=limit_ms + 1,
            )
        )


def play_at_random(
    game: str = "packeis",
    players: int = 2,
    seed: int = 7,
    options: Mapping[str, Any] | None = None,
    timeouts: tuple[int, ...] = (),
) -> MatchRecord:
    """The record of a match; in the turns ``timeouts`` the seat that is asked forfeits."""
    setup = MatchSetup(
        match=f"{game}-{seed}",
        game=game,
        players=tuple(f"bot{seat}" for seat in range(players)),
        clock=Clock(initial_ms=5_000, increment_ms=10, move_ms=100),
        seed=seed,
        options=dict(options or {}),
    )
    table = _Table(setup)
    initial = table.state.to_json()
    number = 1
    while table.state.to_move is not None:
        if number in timeouts:
            table.forfeit(number)
        else:
            table.turn(number)
        number += 1
    outcome = table.state.outcome
    assert outcome is not None
    forfeited = outcome.termination.value == "forfeit"
    return MatchRecord(
        setup=setup,
        options=dict(options or {}),
        state=initial,
        software=[Software(name="random", language="Python")] * players,
        server="0.3.0",
        started_ms=1_790_000_000_000,
        finished_ms=1_790_000_002_500,
        events=table.events,
        ranking=list(outcome.ranking),
        scores=list(outcome.scores),
        reason="forfeit" if forfeited else "finished",
        termination=outcome.termination.value,
    )


def launcher() -> list[str]:
    """The words that start ``polynya`` with this interpreter."""
    return [sys.executable, "-c", "from polynya_app import main; main()"]
