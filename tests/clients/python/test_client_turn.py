"""How a turn's time is shared out by ``Turn.think_until``."""

from __future__ import annotations

from typing import Any

import pytest

from polynya_client import Match, Turn

MOMENT = 1000.0
"""When the turn arrived, on the monotonic clock, in seconds."""


@pytest.mark.parametrize(
    ("clock", "remaining_ms", "thinking_ms"),
    [
        pytest.param({"move_ms": 100}, 100, 40, id="60 ms are kept of a short limit"),
        pytest.param({"move_ms": 1000}, 1000, 800, id="a fifth is kept of a long limit"),
        pytest.param({"move_ms": 50}, 50, 15, id="three tenths are for thinking at least"),
        pytest.param({"initial_ms": 60_000}, 60_000, 2400, id="a turn gets its part of a budget"),
        pytest.param(
            {"initial_ms": 60_000, "increment_ms": 500}, 60_000, 2800, id="and the increment"
        ),
        pytest.param(
            {"initial_ms": 60_000, "increment_ms": 500}, 300, 240, id="but not more than is left"
        ),
    ],
)
def test_time_to_think(clock: dict[str, int], remaining_ms: int, thinking_ms: int) -> None:
    start = {"type": "match_start", "match": "m1", "seq": 0, "game": "packeis", "seat": 0}
    rest = {"players": [], "options": {}, "clock": clock, "state": {}}
    match = Match(start | rest, send=_nobody)
    turn = Turn(match, {"turn": 1, "remaining_ms": remaining_ms}, MOMENT, ask=_nobody)

    assert turn.think_until(turns_left=20) == pytest.approx(MOMENT + thinking_ms / 1000)


def _nobody(*_: object) -> Any:
    raise AssertionError("this turn has nobody to ask")
