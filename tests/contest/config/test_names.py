"""Names that a host gives, and names that there may be from earlier: they work everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_app.commands.play.match import configurations
from polynya_common.errors import ConfigurationError
from polynya_common.file_names import file_stems
from polynya_contest.config.bot_names import KnownNames
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_protocol.messages import Clock
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store
from polynya_tournaments.tournament.runner import run_tournament

EARLIER = (".", "..", "-x", "--help", "a.", "CON", "ann", "Ann", "person-ada")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("-x", "a new name does not begin with -"),
        (".x", "a new name does not begin with ."),
        ("x.", "a new name does not end with ."),
        ("Person-x", "no bot's name begins with person- or builtin-"),
        ("ANN", "differs from the taken name ann"),
        ("a b", "a name is 1 to 32 of"),
        ("", "a name is 1 to 32 of"),
        ("ann\n", "a name is 1 to 32 of"),
    ],
)
def test_invalid_name_is_refused_with_its_place(name: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^here: .* cannot be a new name: .*{sentence}"):
        KnownNames(["ann"]).add(name, "here: ")


@pytest.mark.parametrize("name", EARLIER)
def test_a_name_that_is_known_is_that_bots(name: str) -> None:
    KnownNames(EARLIER).add(name)


def test_two_new_names_do_not_differ_in_letters_only() -> None:
    known = KnownNames([])
    known.add("ann")
    with pytest.raises(ConfigurationError, match="taken name ann"):
        known.add("aNN")


def cup(store: Store, *names: str) -> TournamentConfiguration:
    return TournamentConfiguration(
        name="cup",
        game="packeis",
        bots=[BotConfiguration(name=name, builtin="random") for name in names],
        clock=Clock(initial_ms=600_000),
        seed=11,
        database=str(store.address),
        start_ms=120_000,
    )


async def test_a_tournament_takes_no_new_name_that_would_be_mistaken(store: Store) -> None:
    with pytest.raises(ConfigurationError, match=r"^bots\[1\]\.name: '-x' cannot be a new name"):
        await run_tournament(cup(store, "ann", "-x"), store)
    assert store.bots.all() == []


async def test_bots_with_every_name_of_earlier_play_and_have_logs_of_their_own(
    store: Store,
) -> None:
    for name in EARLIER:
        store.bots.set_token(name, hash_token(name))
    table = await run_tournament(cup(store, *EARLIER), store)
    logs = [path.name.lower() for path in Path(cup(store, "a").logs_folder).iterdir()]
    assert table.complete
    assert len(set(logs)) == len(logs) >= len(EARLIER)


@pytest.mark.parametrize(
    ("names", "stems"),
    [
        (["ann", "bob"], ["ann", "bob"]),
        (["Ann", "bob"], ["Ann", "bob"]),
        (["ann", "Ann", "ANN"], ["ann~0", "Ann~1", "ANN~7"]),
        (["con", "aux.txt", "com1", "console"], ["con~0", "aux.txt~0", "com1~0", "console"]),
    ],
)
def test_files_have_their_names_or_ones_that_are_apart(names: list[str], stems: list[str]) -> None:
    assert list(file_stems(names).values()) == stems


@pytest.mark.parametrize("name", ["--help", "-x", ".", "..", "a."])
def test_commands_take_every_name_of_earlier_after_two_hyphens(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "old.sqlite"
    with Store.open(database, for_play=True) as store:
        store.bots.set_token(name, bytes(32))
    for command in (["rotate"], ["suspend"], ["resume"], ["revoke"], ["add"]):
        assert run(["bots", *command, "--database", str(database), "--", name]) == 0
    assert run(["bots", "add", "--database", str(database), "--", name]) == 1
    hint = f"'polynya bots rotate {'-- ' if name.startswith('-') else ''}{name}'"
    assert hint in capsys.readouterr().err


def test_a_new_bot_is_not_added_under_such_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bots", "add", "--database", str(tmp_path / "new.sqlite"), "--", "-x"]) != 0
    assert "'-x' cannot be a new name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "name"), [(".bot.py", "bot"), ("-x.py", "x"), ("person-x.py", "bot"), ("x..py", "x")]
)
def test_a_command_plays_under_a_name_that_a_bot_may_have(
    file: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / file).touch()
    [bot, again] = configurations([f"python3 '{tmp_path / file}'"] * 2)
    assert (bot.name, again.name) == (name, f"{name}-2")
