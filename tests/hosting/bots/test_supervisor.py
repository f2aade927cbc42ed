"""A hosted bot that ends is started again, and given up when that does not help."""

from __future__ import annotations

from pathlib import Path

import trio

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.supervised_process import Address, HostServer
from polynya_hosting.bots.supervisor import HostedBot
from polynya_protocol.messages import Clock


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
            HostServer(Address("127.0.0.1", 1), lambda *_: None, lambda *_: True),
            warnings.append,
            lambda name, why: given_up.append((name, str(why))),
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


async def test_what_the_bridge_says_to_an_author_is_passed_on_at_once(
    tmp_path: Path,
) -> None:
    program = tmp_path / "bot"
    program.write_text(
        "#!/bin/sh\n"
        "echo thinking\n"
        "for turn in 1 3 5; do echo polynya-bridge: no answer to turn $turn in time >&2; done\n"
        "read forever\n"
    )
    program.chmod(0o755)
    cid = BotConfiguration(name="cid", command=["sh", "-c", f"sleep 600 | {program}"])
    cup = TournamentConfiguration(
        name="cup", game="packeis", bots=[cid], clock=Clock(move_ms=100), restarts=0
    )
    warnings: list[str] = []
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:

            def warn(sentence: str) -> None:
                warnings.append(sentence)
                nursery.cancel_scope.cancel()

            await HostedBot(cid, cup, keep_log=False).run(
                HostServer(Address("127.0.0.1", 1), lambda *_: None, lambda *_: True),
                warn,
                lambda *_: None,
            )
    assert warnings == ["bot cid: polynya-bridge: no answer to turn 1 in time"]


async def test_further_process_that_never_connects_is_not_started_again(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    cid = BotConfiguration(name="cid", command=[str(program)])
    cup = TournamentConfiguration(
        name="cup", game="packeis", bots=[cid], clock=Clock(move_ms=100), restarts=5
    )
    warnings: list[str] = []
    given_up: list[str] = []
    with trio.fail_after(60):
        await HostedBot(cid, cup, number=2, keep_log=False).run(
            HostServer(Address("127.0.0.1", 1), lambda *_: None, lambda *_: False),
            warnings.append,
            lambda _name, why: given_up.append(str(why)),
        )
    assert warnings == []
    assert [why.partition(";")[0] for why in given_up] == [
        "bot cid ended by itself with exit code 3"
    ]
