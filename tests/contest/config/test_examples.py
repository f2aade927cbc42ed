"""The example tournaments can be played as they are, and the README lists them."""

from tests.folders import ROOT

from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.config.tournament_configuration import plan_of

TOURNAMENTS = ROOT / "tournaments"
EXAMPLES = sorted((TOURNAMENTS / "examples").glob("*.toml"))


def test_every_example_is_a_tournament() -> None:
    for path in EXAMPLES:
        configuration = load_configuration(path)
        assert len(plan_of(configuration).pairings) >= configuration.players, path.name


def test_the_readme_lists_every_example() -> None:
    readme = (TOURNAMENTS / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"`examples/{path.name}`" not in readme] == []


def test_examples_cover_each_game_and_number_of_players() -> None:
    configurations = [load_configuration(path) for path in EXAMPLES]
    assert {each.game for each in configurations} == {"arktia", "icecult", "packeis"}
    assert {each.players for each in configurations} == {2, 3, 4}
