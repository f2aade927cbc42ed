"""Duplicate deals on workers of Dask: one for a block, closed to the bots, as without workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes
from tests.games.example_games import example_games, example_games_of_processes
from tests.tournaments.distribution.clusters import Run, write_cup
from tests.tournaments.distribution.test_joint_blocks import records

from polynya_store import Store

__all__ = ["example_games", "example_games_of_processes"]

pytestmark = pytest.mark.usefixtures("example_games_of_processes")


def test_workers_play_the_matches_of_a_block_with_its_deal_in_closed_sandboxes(
    tmp_path: Path,
) -> None:
    require_sandboxes()
    path = write_cup(tmp_path, 2)
    head = 'game = "kuhn"\nduplicate = true\nsandbox = { driver = "bubblewrap" }'
    words = path.read_text().replace('game = "packeis"', head).replace("seed = 7\n", "")
    path.write_text(words.replace('"greedy"', '"random"'))
    run = Run(path, "--dask", "local", "--workers", "2")
    assert run.code() == 0, run.said()
    played = records(tmp_path)
    with Store.open(tmp_path / "cup.sqlite") as store:
        blocks = {row.match: row.block for row in store.matches.find()}
    dealt = {(blocks[record.setup.match], record.setup.deal) for record in played}
    assert (len(played), len(dealt), len({deal for _, deal in dealt})) == (4, 2, 2)
    assert all(record.worker for record in played)
    assert {(record.setup.reveal, record.setup.rated) for record in played} == {("block", True)}
