"""The tournaments that a host starts beside a ladder: from a folder, paused, stopped, told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trio

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store
from polynya_tournaments.ladder.operator_control import operator_key
from polynya_tournaments.tournament.manager import (
    ManagerSettings,
    RunningTournament,
    TournamentManager,
    open_tournament_manager,
)

PATIENCE_S = 120

CUP = """
name = "cup"
game = "packeis"
clock = { initial_ms = 600_000 }
start_ms = 60_000
cycles = CYCLES
[[bots]]
name = "ann"
builtin = "random"
[[bots]]
name = "bob"
builtin = "random"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "descriptions"
    folder.mkdir()
    (folder / "cup.toml").write_text(CUP.replace("CYCLES", "1"))
    return folder


async def over(manager: TournamentManager, name: str) -> str:
    """How a tournament has ended, when it has."""
    running = manager.running.get(name)
    if running is not None:
        await running.over.wait()
    return str(manager.outcomes[name])


async def test_a_tournament_is_played_from_its_file_to_its_end(store: Store, folder: Path) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            assert await manager.start("cup.toml") == "cup"
            assert await over(manager, "cup") == "complete"
    assert store.tournaments.standings("cup").complete


async def test_paused_tournament_plays_when_resumed(store: Store, folder: Path) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            running = manager.running["cup"]
            running.switch.pause()
            await trio.testing.wait_all_tasks_blocked()
            running.switch.resume()
            assert await over(manager, "cup") == "complete"


async def test_stopped_tournament_can_be_continued(store: Store, folder: Path) -> None:
    (folder / "cup.toml").write_text(CUP.replace("CYCLES", "200"))
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            manager.running["cup"].stop.set()
            assert await over(manager, "cup") == "ended before all matches had a result"
            await manager.start("cup.toml")
            assert list(manager.running) == ["cup"]
            await manager.end()
            assert manager.running == {}


async def test_running_tournament_is_not_started_again(store: Store, folder: Path) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            with pytest.raises(TournamentError, match="cup is being played already"):
                await manager.start("cup.toml")
            await manager.end()


async def test_complete_tournament_is_not_started_again(store: Store, folder: Path) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            assert await over(manager, "cup") == "complete"
            with pytest.raises(TournamentError, match="cup is complete, all of its matches have"):
                await manager.start("cup.toml")
            assert manager.running == {}


async def test_tournament_begun_otherwise_is_refused_before_its_start(
    store: Store, folder: Path
) -> None:
    sentence = "a tournament cup with another description .other cycles.; give this one another"
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            assert await over(manager, "cup") == "complete"
            (folder / "cup.toml").write_text(CUP.replace("CYCLES", "2"))
            (offer,) = await trio.to_thread.run_sync(manager.files)
            assert re.search(sentence, offer.problem or "")
            with pytest.raises(TournamentError, match=sentence):
                await manager.start("cup.toml")


async def test_an_offer_says_whether_its_tournament_is_complete(store: Store, folder: Path) -> None:
    (folder / "long.toml").write_text(CUP.replace('"cup"', '"long"').replace("CYCLES", "200"))
    (folder / "new.toml").write_text(CUP.replace('"cup"', '"new"').replace("CYCLES", "1"))
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("cup.toml")
            await manager.start("long.toml")
            manager.running["long"].stop.set()
            await over(manager, "cup")
            await over(manager, "long")
            files = await trio.to_thread.run_sync(manager.files)
    assert {offer.name: offer.complete for offer in files} == {
        "cup": True,
        "long": False,
        "new": False,
    }


@pytest.mark.parametrize("file", ["../secret.toml", "/etc/passwd", "nothing.toml", "", "cup"])
async def test_file_outside_the_folder_is_not_opened(store: Store, folder: Path, file: str) -> None:
    (folder.parent / "secret.toml").write_text(CUP)
    async with open_tournament_manager(ManagerSettings(folder), store) as manager:
        with pytest.raises(ConfigurationError, match="there is no description"):
            await manager.start(file)


async def test_invalid_description_is_listed_with_its_mistake(store: Store, folder: Path) -> None:
    (folder / "bad.toml").write_text('name = "bad"\ngame = "packeis"\nbotz = 3\n')
    async with open_tournament_manager(ManagerSettings(folder), store) as manager:
        bad, good = await trio.to_thread.run_sync(manager.files)
    assert (bad.file, bad.name, good.name) == ("bad.toml", None, "cup")
    assert "botz" in (bad.problem or "")


async def test_deeply_nested_description_is_listed_with_its_mistake(
    store: Store, folder: Path
) -> None:
    (folder / "deep.toml").write_text("options." + ".".join(1000 * "x") + " = 1")
    async with open_tournament_manager(ManagerSettings(folder), store) as manager:
        [deep] = [file for file in manager.files() if file.file == "deep.toml"]
        assert deep.problem is not None
        assert "nested too deeply" in deep.problem


async def test_a_bot_that_does_not_start_ends_its_tournament_alone(
    store: Store, folder: Path
) -> None:
    (folder / "cup.toml").write_text(CUP.replace('"random"', '"greedy"', 1).replace("CYCLES", "1"))
    broken = CUP.replace('"cup"', '"broken"').replace("CYCLES", "1")
    (folder / "broken.toml").write_text(
        broken.replace('builtin = "random"', 'command = ["/bin/false"]', 1)
    )
    with trio.fail_after(PATIENCE_S):
        async with open_tournament_manager(ManagerSettings(folder), store) as manager:
            await manager.start("broken.toml")
            await manager.start("cup.toml")
            assert "ended by itself with exit code 1" in await over(manager, "broken")
            assert await over(manager, "cup") == "complete"


async def test_without_a_folder_there_is_nothing_to_start(store: Store) -> None:
    async with open_tournament_manager(ManagerSettings(None), store) as manager:
        assert manager.files() == []


def test_running_ones_begin_unpaused() -> None:
    assert not RunningTournament("cup").switch.paused


def test_operators_token_is_created_and_shown_once(store: Store) -> None:
    told: list[str] = []
    first = operator_key(store, None)
    first.hand_over(store, told.append)
    assert [first.token_hash] == [hash_token(token) for token in told]
    second = operator_key(store, None)
    second.hand_over(store, told.append)
    assert second.token_hash == first.token_hash
    assert len(told) == 1


def test_a_token_that_was_not_handed_over_is_not_kept(store: Store) -> None:
    operator_key(store, None)
    assert store.operator.token_hash() is None


def test_a_token_in_a_file_is_not_kept(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("correct-horse-battery-staple\n")
    expected = hash_token("correct-horse-battery-staple")
    key = operator_key(store, file)
    key.hand_over(store, _nobody)
    assert key.token_hash == expected
    assert store.operator.token_hash() is None


@pytest.mark.parametrize(
    "text", ["", "short", "two words that are long enough", "ünïcödé-ünïcödé-ünï"]
)
def test_a_weak_token_is_refused(store: Store, tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match="must be one word of 20 to 200"):
        operator_key(store, file)


def test_a_token_file_that_is_not_there_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read: .*/none: No such file"):
        operator_key(store, tmp_path / "none")


def test_a_new_operators_token_takes_the_place_of_the_old(store: Store) -> None:
    store.operator.replace(b"1" * 32)
    store.operator.replace(b"2" * 32)
    assert store.operator.token_hash() == b"2" * 32


def _nobody(token: str) -> None:
    raise AssertionError(token)
