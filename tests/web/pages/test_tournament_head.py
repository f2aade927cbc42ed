"""The head of a tournament's pages: where it stands, and who leads or has won."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from tests.web.conftest import OpenPages
from tests.web.pages.test_frozen_tables import LATER_MS, began
from tests.web.pages.test_tournament_pages import BOTS, all_level, settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_store import Progress, Store, open_journal, schema
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_web.content.texts import TEXTS
from polynya_web.content.tournaments.tournament_state import state_sentence

SWISS = msgspec.structs.replace(CUP, bots=BOTS[:8], swiss=settings("swiss"))
KNOCKOUT = msgspec.structs.replace(
    CUP, bots=BOTS[:8], swiss=None, format="knockout", knockout=settings("knockout")
)
GAUNTLET = msgspec.structs.replace(
    CUP, bots=BOTS[:4], swiss=None, format="gauntlet", gauntlet=settings("gauntlet")
)


def words(text: str, kind: str) -> str:
    """The words of the first paragraph of this class; empty without one."""
    found = re.search(rf'<p class="{kind}"[^>]*>(.*?)</p>', text, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", found[1] if found else "").split())


@pytest.mark.parametrize(("cup", "whole"), [(SWISS, 3 * 8), (KNOCKOUT, 2 * 7)])
async def test_bar_counts_the_rounds_that_are_not_drawn_yet(
    pages: OpenPages, tmp_path: Path, cup: TournamentConfiguration, whole: int
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        async with open_journal(store) as journal:
            await RoundDrawer(cup, journal, Reporter()).begin()
        async with pages(store) as client:
            texts = [(await client.get(path)).text for path in ("/tournaments/cup", "/tournaments")]
            told = (await client.get("/tournaments/cup/progress")).json()
        assert store.tournaments.progress("cup").round == 1
    assert [f"0 / {whole}</span>" in text for text in texts] == [True, True]
    assert told["scheduled"] == whole


@pytest.mark.parametrize("cup", [SWISS, KNOCKOUT, CUP])
async def test_bar_of_a_tournament_that_has_ended_is_full(
    tmp_path: Path, cup: TournamentConfiguration
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        progress, [row] = store.tournaments.progress("cup"), store.tournaments.all()
    assert progress.to_play == progress.played == row.to_play


def progress(**values: int) -> Progress:
    return Progress(
        **{"drawn": 8, "scheduled": 8, "played": 4, "abandoned": 0, "walkovers": 0} | values
    )


@pytest.mark.parametrize(
    ("pace_ms", "sentence"),
    [
        (None, "Round 2 of 4, 3 matches in play"),
        (1_000, "Round 2 of 4, 3 matches in play, less than a minute left"),
        (30_000, "Round 2 of 4, 3 matches in play, about 6 minutes left"),
        (900_000, "Round 2 of 4, 3 matches in play, about 3 hours left"),
    ],
)
def test_state_is_told_in_a_sentence(pace_ms: float | None, sentence: str) -> None:
    found = progress(in_play=3, undrawn=8, round=2, rounds=4)
    assert state_sentence(found, pace_ms, TEXTS["en"]) == sentence


def test_time_left_is_unknown_while_no_match_is_played() -> None:
    assert state_sentence(progress(in_play=0), 30_000, TEXTS["en"]) == "No match is in play"


def test_nothing_is_told_of_the_state_before_the_first_match_and_after_the_last() -> None:
    begins, over = progress(played=0, in_play=0), progress(in_play=0)
    assert state_sentence(begins, None, TEXTS["en"]) == ""
    assert state_sentence(over, None, TEXTS["en"], complete=True) == ""


@pytest.mark.parametrize(
    ("cup", "sentence"),
    [
        (SWISS, "Winner: bot-1 with a score of 3"),
        (KNOCKOUT, "Winner: bot-1"),
        (GAUNTLET, ""),
    ],
)
async def test_winner_is_named_before_the_table(
    pages: OpenPages, tmp_path: Path, cup: TournamentConfiguration, sentence: str
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert words(text, "champion") == sentence
    assert text.find('class="champion"') < text.index("<table")


async def test_challenger_of_a_gauntlet_is_named_with_its_share(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(GAUNTLET, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert words(text, "leader") == "Challenger: bot-1 with 100.0 % of the points"


def begun_apart(store: Store) -> None:
    """Let each match begin a second after the one before."""
    began_ms = 1_760_000_000_000 + 1_000 * schema.matches.c.id
    with store.database.writing() as connection:
        connection.execute(sa.update(schema.matches).values(started_ms=began_ms))


async def test_leader_of_a_frozen_table_is_named(pages: OpenPages, tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        last = store.matches.find(tournament="cup")[-1]
        begun_apart(store)
        store.tournaments.hide_results("cup", LATER_MS, began(store, "cup")[-1][0])
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    shown = 6 - ("ann" in [seat.name for seat in last.seats])
    assert words(text, "leader") == f"Leader: ann with {shown} points"
    assert words(text, "champion") == ""


async def test_bots_that_are_all_level_have_no_leader(pages: OpenPages, tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, all_level)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert words(text, "champion") == words(text, "leader") == ""


async def test_bye_gives_no_place_in_a_frozen_table_without_matches(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(CUP, bots=BOTS[:5], swiss=settings("swiss"))
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        store.tournaments.hide_results("cup", LATER_MS, freezes_ms=1)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert text.count('<td class="number">\u2013</td>') == 5
    assert words(text, "leader") == ""
