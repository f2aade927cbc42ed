"""The example that thinks on the opponents' time, in a match on the real server."""

from __future__ import annotations

import sys

from tests.clients import toolchains
from tests.clients.matches import forfeits, play_briskly

from polynya_server import TurnRecord

EXAMPLES = toolchains.CLIENTS / "python" / "examples"


async def test_answers_are_there_before_the_opponent_has_moved() -> None:
    bots = {
        "ponder": [sys.executable, str(EXAMPLES / "ponder_packeis.py")],
        "packeis": [sys.executable, str(EXAMPLES / "packeis_bot.py")],
    }
    record = await play_briskly(bots, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])
    said = [event.info for event in record.events if isinstance(event, TurnRecord) and event.info]
    assert "pondered" in [info.get("text") for info in said]
