"""A ladder of a game with joint turns: a match counts as many as it has seats."""

from __future__ import annotations

import pytest
import trio
from tests.games.example_games import example_games
from tests.scripted.scripted_referee import ScriptedReferee
from tests.tournaments.ladder.test_ladder import Until

from polynya_protocol.messages import Clock
from polynya_store import StoreJournal
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder

__all__ = ["example_games"]

BOTS = [f"bot{number}" for number in range(12)]


@pytest.mark.parametrize(
    ("game", "players", "concurrency", "expected"),
    [
        ("packeis", 2, 4, 4),
        ("goofspiel", 2, 4, 2),
        ("goofspiel", 2, 5, 2),
        ("goofspiel", 3, 6, 2),
        ("goofspiel", 3, 2, 1),
    ],
)
async def test_ladder_has_as_many_matches_at_once_as_their_seats_fit_into_concurrency(
    journal: StoreJournal, game: str, players: int, concurrency: int, expected: int
) -> None:
    referee = ScriptedReferee(journal, BOTS)
    until = Until(24)
    settings = LadderSettings(
        game, Clock(move_ms=100), players=players, seed=3, concurrency=concurrency
    )
    with trio.fail_after(60):
        await run_ladder(settings, referee, journal, until.stop, until)
    assert referee.most_at_once == expected
