"""How a campaign of hostile uploads judges the memory of a server."""

from __future__ import annotations

import pytest
from tests.tournaments.hostile_uploads.campaign import Figures, judge


def figures(memory: list[float]) -> Figures:
    return Figures(health=[0.01], memory=memory, honest=[3.0, 3.0])


def test_growth_while_a_server_warms_up_is_allowed() -> None:
    assert judge(figures([100 + min(second, 600) / 10 for second in range(1_800)])) == []


def test_growth_that_goes_on_in_the_last_half_is_a_fault() -> None:
    expected = ["the server's memory grew by 72 MiB an hour"]
    assert expected == judge(figures([100 + second / 50 for second in range(1_800)]))


def test_growth_is_the_slope_of_all_values_of_the_last_half() -> None:
    steady_but_for_the_last_value = [*[100.0] * 899, 190.0]
    assert figures(steady_but_for_the_last_value).growth == pytest.approx(9.6, abs=0.1)
