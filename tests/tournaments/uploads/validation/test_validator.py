"""Validation in processes of their own: kept from version to version, ended with their bots."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from tests.hosting.bots.processes import children_of, until_ended, until_left, working_in

from polynya_common.errors import RunError
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.kits.templates import write_kit
from polynya_protocol.messages import Clock
from polynya_server import decode_replay
from polynya_tournaments.uploads.archives.manifest import read_manifest
from polynya_tournaments.uploads.validation.validation_matches import Validation
from polynya_tournaments.uploads.validation.validator import Validators

CONTEST = TournamentConfiguration(
    name="contest", game="packeis", bots=[], clock=Clock(move_ms=5_000), start_ms=60_000
)
SILENT = [sys.executable, "-c", "import time; time.sleep(1000)"]


@pytest.fixture
def bot(tmp_path: Path) -> BotConfiguration:
    """The starter kit's bot, called fish."""
    folder = tmp_path / "fish"
    write_kit("python", "packeis", folder)
    return BotConfiguration(
        name="fish",
        command=[sys.executable, "bot.py"],
        directory=str(folder),
        folder=str(folder),
        environment=dict(builtin_command("random").environment),
    )


@pytest.fixture
async def validators() -> AsyncIterator[Validators]:
    made = Validators()
    async with made.kept():
        yield made


async def validated(validators: Validators, bot: BotConfiguration) -> Validation:
    manifest = read_manifest(Path(str(bot.folder)))
    return await validators.validate(bot, manifest, CONTEST)


async def working_process(bot: BotConfiguration) -> int:
    """The number of the process that validates, when its bot runs."""
    with trio.fail_after(120):
        while not working_in(Path(str(bot.folder))):
            await trio.sleep(0.01)
    [process] = validating()
    return process


def validating() -> list[int]:
    return [
        child
        for child in children_of(os.getpid())
        if "uploads.validation.validator" in Path(f"/proc/{child}/cmdline").read_text()
    ]


async def test_versions_are_validated_by_one_process_after_the_other(
    validators: Validators, bot: BotConfiguration
) -> None:
    good = await validated(validators, bot)
    process = validating()
    bad = await validated(validators, replace(bot, command=["false"]))

    assert good.failure is None
    assert good.replay is not None
    assert decode_replay(good.replay).reason == "finished"
    assert str(bad.failure) == "packeis: it ended by itself with exit code 1"
    assert validating() == process


async def test_process_that_ends_is_the_machines_fault_and_the_next_is_another(
    validators: Validators, bot: BotConfiguration
) -> None:
    async with trio.open_nursery() as nursery:

        async def kill() -> None:
            os.kill(await working_process(replace(bot, command=SILENT)), signal.SIGKILL)

        nursery.start_soon(kill)
        with pytest.raises(RunError, match="the process of validation has ended"):
            await validated(validators, replace(bot, command=SILENT))
    await until_left(Path(str(bot.folder)))

    assert (await validated(validators, bot)).failure is None


async def test_validation_that_is_cancelled_leaves_no_process(
    validators: Validators, bot: BotConfiguration
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(validated, validators, replace(bot, command=SILENT))
        process = await working_process(bot)
        nursery.cancel_scope.cancel()

    await until_ended(process)
    assert working_in(Path(str(bot.folder))) == set()
