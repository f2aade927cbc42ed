"""Every game of this distribution plays the matches in ``golden/`` as it always did."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import pytest

from polynya_games import load
from polynya_games.playthrough import main, renewed

GOLDEN = Path(__file__).parent / "golden"
GAMES = [
    point.name for point in distribution("polynya").entry_points if point.group == "polynya.games"
]


@pytest.mark.parametrize("name", GAMES)
def test_every_number_of_players_has_a_golden_playthrough(name: str) -> None:
    for players in range(load(name).min_players, load(name).max_players + 1):
        path = GOLDEN / f"{name}-{players}.txt"
        assert path.exists(), (
            f"missing: python -m polynya_games.playthrough {name} {players} > {path.name}"
        )
        assert f'{{"game": "{name}", "players": {players}, ' in path.read_text().partition("\n")[0]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_every_golden_file_is_played_as_its_first_line_says(path: Path) -> None:
    text = path.read_text()
    assert renewed(text) == text


def test_the_command_prints_the_golden_file(capsys: pytest.CaptureFixture[str]) -> None:
    main(["packeis", "3"])
    assert capsys.readouterr().out == (GOLDEN / "packeis-3.txt").read_text()


def test_the_command_refuses_what_the_game_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["packeis", "5", "--option", "floes=3"])
    assert raised.value.code == 2
    assert "Packeis am Pol is for 2 to 4 players, not 5" in capsys.readouterr().err
