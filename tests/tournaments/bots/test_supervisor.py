"""A hosted bot that ends is started again, and given up when that does not help."""

from __future__ import annotations

from pathlib import Path

import trio

from polynya_protocol.messages import Clock
from polynya_tournaments.bots.supervisor import Address, Home, HostedBot
from polynya_tournaments.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)


async def test_a_bot_that_cannot_be_started_again_is_given_up(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text('#!/bin/sh\nrm "$0"\n')
    program.chmod(0o755)
    cid = BotConfiguration(name="cid", command=[str(program)])
    cup = TournamentConfiguration(
        name="cup", game="packeis", bots=[cid], clock=Clock(move_ms=100), restarts=1
    )
    warnings: list[str] = []
    given_up: list[tuple[str, str]] = []
    hosted = HostedBot(cid, cup, keep_log=False)
    with trio.fail_after(60):
        await hosted.run(
            Home(Address("127.0.0.1", 1), lambda *_: None, lambda *_: True),
            warnings.append,
            lambda name, why: given_up.append((name, why)),
        )
    assert given_up == [
        (
            "cid",
            f"bot cid cannot be started: {program}: No such file or directory, in the last of 2 "
            "starts",
        )
    ]
    assert [warning.partition(";")[0] for warning in warnings] == [
        "bot cid ended by itself with exit code 0",
        f"bot cid cannot be started: {program}: No such file or directory",
    ]
