"""The example tournaments can be played as they are, and the README lists them."""

from pathlib import Path

import pytest
from benchmarks.contest import CYCLES, description

from polynya_tournaments.config.tournament_configuration import plan_of
from polynya_tournaments.config.validation import load_configuration

TOURNAMENTS = Path(__file__).parents[3] / "tournaments"
EXAMPLES = sorted((TOURNAMENTS / "examples").glob("*.toml"))


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in EXAMPLES])
def test_an_example_is_a_tournament(path: Path) -> None:
    configuration = load_configuration(path)
    assert len(plan_of(configuration).pairings) >= configuration.players
    assert f"`examples/{path.name}`" in (TOURNAMENTS / "README.md").read_text(encoding="utf-8")


def test_there_is_one_for_each_game_and_number_of_players() -> None:
    configurations = [load_configuration(path) for path in EXAMPLES]
    assert {each.game for each in configurations} == {"arktia", "icecult", "packeis"}
    assert {each.players for each in configurations} == {2, 3, 4}


def test_the_contest_of_the_benchmarks_has_some_thousand_matches(tmp_path: Path) -> None:
    file, matches = tmp_path / "contest.toml", 0
    for game, cycles in CYCLES.items():
        for players in cycles:
            file.write_text(description(game, players, seed=1, share=1.0), encoding="utf-8")
            matches += len(plan_of(load_configuration(file)).pairings)
    assert matches == 3510
