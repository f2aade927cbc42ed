"""How ratings are set: in a tournament's description and in a standing server's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polynya_app.serve_settings import read_serve_settings
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.config.tournament_configuration import plan_of
from polynya_contest.ratings.model import RatingSettings

CUP = """
name = "cup"
game = "packeis"
clock = { move_ms = 100 }
SETTINGS
[[bots]]
name = "ann"
builtin = "greedy"
[[bots]]
name = "bob"
builtin = "random"
"""


def cup(folder: Path, settings: str = "") -> Path:
    path = folder / "cup.toml"
    path.write_text(CUP.replace("SETTINGS", settings), encoding="utf-8")
    return path


def recorded(folder: Path, settings: str = "") -> dict[str, object]:
    document: dict[str, object] = json.loads(
        plan_of(load_configuration(cup(folder, settings))).configuration
    )
    return document


def test_a_description_sets_all_of_it(tmp_path: Path) -> None:
    path = cup(
        tmp_path,
        '[rating]\nsystem = "openskill"\nk_factor = 20\nk_first = 40\nstart = 1000\n'
        "provisional_games = 30\nanchors = { ann = 25 }",
    )
    assert load_configuration(path).rating == RatingSettings(
        system="openskill",
        k_factor=20,
        k_first=40,
        start=1000,
        provisional_games=30,
        anchors={"ann": 25},
    )


def test_a_standing_server_has_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "ladder.toml"
    path.write_text(
        '[rating]\nsystem = "openskill"\nprovisional_games = 5\nanchors = { ann = 25 }\n'
    )
    found = read_serve_settings(path, {"rating": {"k_first": 64.0}}).ladder().rating
    assert found == RatingSettings(
        system="openskill", k_factor=16, k_first=64, provisional_games=5, anchors={"ann": 25}
    )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("anchors = { eve = 1500 }", "rating.anchors: eve is none of the bots ann and bob"),
        (
            "anchors = { ann = 99999 }",
            "rating.anchors.ann: 99999.0 is not in the range -10000 to 10000",
        ),
        ('system = "glicko"', "rating.system: there is no"),
        ("k_first = 5000", "rating.k_first: 5000.0 is not in the range 0 to 1000"),
        ("provisional_games = -1", "rating.provisional_games: -1 is not in the range 0 to 10000"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, settings: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        load_configuration(cup(tmp_path, f"[rating]\n{settings}"))
    assert sentence in str(error.value)


def test_an_impossible_anchor_of_a_server_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ladder.toml"
    path.write_text('[rating.anchors]\n"a b" = 1500\n')
    with pytest.raises(ConfigurationError, match=r"rating\.anchors: 'a b' is not a valid name"):
        read_serve_settings(path, {}).ladder()


@pytest.mark.parametrize(
    "settings",
    ['system = "openskill"', "anchors = { ann = 1500 }", "k_first = 99", "provisional_games = 3"],
)
def test_other_rating_settings_make_another_tournament(tmp_path: Path, settings: str) -> None:
    assert recorded(tmp_path) != recorded(tmp_path, f"[rating]\n{settings}")


def test_a_constant_k_is_recorded_as_before_k_fell(tmp_path: Path) -> None:
    # So that a tournament that an older version began can be played to its end.
    before = recorded(tmp_path, "[rating]\nk_factor = 32\nk_first = 32\nprovisional_games = 9")
    assert before["k_factor"] == 32
    assert before.keys().isdisjoint({"k_first", "provisional_games", "anchors", "rating"})


def test_bots_are_seeded_by_what_they_begin_with(tmp_path: Path) -> None:
    path = cup(tmp_path, "[rating]\nanchors = { bob = 1700 }\nstart = 1200")
    entrants = plan_of(load_configuration(path)).entrants
    assert {entrant.name: entrant.rating for entrant in entrants} == {"ann": 1200, "bob": 1700}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ('system = "openskill"\nanchors = { ann = 10000 }', "anchors.ann: 10000.0 is not in the"),
        ('system = "openskill"\nanchors = { ann = -1001 }', "anchors.ann: -1001.0 is not in the"),
        ("anchors = { ann = 10001 }", "anchors.ann: 10001.0 is not in the range"),
        ("k_factor = 1e300", "k_factor: 1e.300 is not in the range 0 to 1000"),
        ("start = nan", "rating.start: nan is not in the range"),
        ("provisional_games = 9007199254740993", "provisional_games: .*9007199254740993"),
    ],
)
def test_a_number_that_ratings_cannot_compute_with_is_refused_with_its_range(
    settings: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        load_configuration(cup(tmp_path, f"[rating]\n{settings}"))
    path = tmp_path / "ladder.toml"
    path.write_text(f"[rating]\n{settings}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=sentence):
        read_serve_settings(path, {}).ladder()


@pytest.mark.parametrize("key", ["closes", "results_from"])
@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"])
def test_a_moment_that_other_time_zones_do_not_have_is_refused(
    key: str, moment: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=f"{key}: .* is not in the years 1970 to 9998"):
        load_configuration(cup(tmp_path, f"{key} = {moment}"))
