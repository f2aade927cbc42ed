"""Tournament descriptions: what is read, and which sentence a mistake gets."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.config.tournament_configuration import TournamentConfiguration, plan_of
from polynya_contest.pairing.schedule import TournamentPlan
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.secret import Secret
from polynya_protocol.messages import Clock

GOOD = """
name = "cup"
game = "packeis"
clock = { initial_ms = 1000, increment_ms = 10 }
bots = [
  { name = "one", builtin = "random" },
  { name = "two", command = "python3 two.py --fast" },
  { name = "three", external = true },
]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    path = written(folder, text)
    with pytest.raises(ConfigurationError) as refused:
        load_configuration(path)
    return str(refused.value).removeprefix(f"{path}: ")


def test_a_description_is_read_with_its_defaults(tmp_path: Path) -> None:
    cup = load_configuration(written(tmp_path, GOOD))
    assert cup.clock == Clock(initial_ms=1000, increment_ms=10)
    assert [bot.name for bot in cup.bots] == ["one", "two", "three"]
    assert (cup.players, cup.cycles, cup.seed, cup.rating.k_factor) == (2, 1, None, 32.0)


def test_relative_paths_are_those_of_the_description(tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    text = GOOD.replace('"python3 two.py --fast"', '"./two", directory = "two"')
    cup = load_configuration(written(tmp_path, 'database = "out/cup.sqlite"\n' + text))
    assert cup.database == str(tmp_path / "out/cup.sqlite")
    assert cup.logs_folder == str(tmp_path / "out/cup-logs")
    assert [bot.directory for bot in cup.bots][1:] == [str(tmp_path / "two"), str(tmp_path)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("game =", "gmae ="), "unknown key gmae; did you mean game?"),
        (("increment_ms", "incremnt_ms"), "unknown key clock.incremnt_ms; did you mean"),
        (
            ("external = true", "extern = true"),
            "unknown key bots[2].extern; did you mean external?",
        ),
        (("game =", "zzz = 1\ngame ="), "unknown key zzz; there are name, game, bots,"),
        (('"packeis"', '"chess"'), "chess"),
        (('"packeis"', "3"), "game: a text is needed, not 3"),
        (('name = "one"', "name = 7"), "bots[0].name: a text is needed, not 7"),
        (("1000", "'long'"), "clock.initial_ms: a whole number is needed, not 'long'"),
        (("1000", "[1]"), "clock.initial_ms: a whole number is needed, not a list"),
        (
            ("game =", "results_from = 'soon'\ngame ="),
            "such as 2026-12-01T18:30:00Z, is needed, not 'soon'",
        ),
        (("game =", "closes = 2026-12-01\ngame ="), "is needed, not 2026-12-01"),
        (('name = "cup"', "cycles = 2"), "the key name is missing"),
        (('name = "cup"', 'name = "a/b"'), "name: 'a/b' is not a valid name"),
        (('name = "cup"', 'name = "ladder"'), "name: ladder is the name of"),
        (('"two"', '"one"'), "bots[1].name: one occurs twice"),
        (('"two"', '""'), "bots[1].name: '' is not a valid name"),
        (("initial_ms = 1000, ", ""), "clock: give initial_ms, move_ms or both"),
        (("1000", "0"), "clock.initial_ms: 0 is not in the range 1 to 1000000000000"),
        (("game =", "cycles = 0\ngame ="), "cycles: 0 is not in the range 1 to 5000000"),
        (("game =", "seed = -1\ngame ="), "seed: -1 is not in the range 0 to 18446744073709551615"),
        (("game =", "players = 4\ngame ="), "bots: 3 are too few for matches of 4"),
        (("external = true", "external = false"), "bots[2] (three): give exactly one of command,"),
        (('builtin = "random"', 'builtin = "nobody"'), "no built-in bot 'nobody'; there are"),
        (('--fast"', '--fast", directory = "nowhere"'), "bots[1].directory: there is no folder"),
        (("two.py", "'two.py"), "bots[1].command: No closing quotation"),
        (("game =", "options = { colour = 1 }\ngame ="), "has no option 'colour'"),
        (
            ('game = "packeis"', f'game = "arktia"\noptions = {{ round_limit = {2**64} }}'),
            "the options of Arktia have an integer that no message can carry",
        ),
        (
            ("game =", 'format = "cup"\ngame ='),
            "there is no 'cup'; there are double_elimination, double_swiss, gauntlet, ",
        ),
        (("game =", 'format = "gauntlet"\ngame ='), "gauntlet needs a table [gauntlet]"),
        (("game =", 'gauntlet = { challengers = ["one"] }\ngame ='), "gauntlet: this is not used"),
        (
            ("game =", 'format = "gauntlet"\ngauntlet = { challenger = ["one"] }\ngame ='),
            "unknown key gauntlet.challenger; did you mean challengers?",
        ),
        (
            ("game =", 'format = "gauntlet"\ngauntlet = { challengers = ["four"] }\ngame ='),
            "gauntlet.challengers[0]: four is none of the bots",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    assert sentence in refusal(tmp_path, GOOD.replace(*change, 1))


@pytest.mark.parametrize(
    "text", ["grace_ms = 20000", 'game = "packeis"\n[server]\nport = 4242', "[web]\nport = 8080"]
)
def test_file_with_server_settings_is_not_taken_for_a_tournament(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text) == (
        "it has neither name nor bots, so it describes no tournament; "
        "a file with a server's settings is for 'polynya serve'"
    )


def test_invalid_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "cup\n')
    with pytest.raises(
        ConfigurationError, match=r"cup.toml is not TOML: look at line 1, column 12: "
    ):
        load_configuration(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml cannot be read: No such file"):
        load_configuration(tmp_path / "none.toml")


def plan(configuration: TournamentConfiguration) -> TournamentPlan:
    return plan_of(configuration, secret=Secret.of_seed(1))


def changed(folder: Path, **changes: object) -> TournamentConfiguration:
    return msgspec.structs.replace(load_configuration(written(folder, GOOD)), **changes)


@pytest.mark.parametrize("changes", [{"concurrency": 9}, {"restarts": 0}, {"database": "other"}])
def test_other_ways_of_running_keep_the_tournament(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    assert plan(changed(tmp_path)) == plan(changed(tmp_path, **changes))


@pytest.mark.parametrize(
    "changes", [{"seed": 9}, {"cycles": 2}, {"rating": RatingSettings(k_factor=16.0)}]
)
def test_other_matches_make_another_tournament(tmp_path: Path, changes: dict[str, object]) -> None:
    one, other = plan(changed(tmp_path)), plan(changed(tmp_path, **changes))
    assert one.configuration != other.configuration
