"""Mechanisms for speed: without them the server does the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.scripted import race_host

from polynya_server.assembly import MECHANISMS, Mechanism


@pytest.mark.parametrize("without", [*[(one,) for one in MECHANISMS], MECHANISMS])
async def test_match_is_played_to_its_end_without_a_mechanism(without: Sequence[Mechanism]) -> None:
    async with race_host("a", "b", without=without) as host:
        for name in ("a", "b"):
            await host.good_bot(name)
        record = await host.match("m", "a", "b").record()
    assert record.reason == "finished"
