"""All pages of a tournament, whatever its format is and however far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser, expect
from tests.scripted.scripted_referee import record_of
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_contest.pairing.formats.format_settings import FormatSettings
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

PARTS = ("", "/rounds", "/crosstable", "/schedule", "/progress")
BOTS = [BotConfiguration(name=f"bot-{number}", external=True) for number in range(1, 10)]
GIVEN: Mapping[str, Mapping[str, object]] = {
    "gauntlet": {"challengers": ["bot-1"]},
    "swiss": {"rounds": 3},
    "double_swiss": {"rounds": 3},
    "sprt": {"elo0": 0, "elo1": 30},
}


def all_level(setup: MatchSetup) -> MatchRecord:
    """A script: every match is level."""
    return record_of(setup, [1] * len(setup.players))


def settings(name: str) -> FormatSettings:
    """The usual settings of a format, and those that have no usual value."""
    return msgspec.convert(GIVEN.get(name, {}), SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
async def test_every_page_of_every_format_answers(
    pages: OpenPages, tmp_path: Path, name: str
) -> None:
    bots = BOTS[:2] if name == "sprt" else BOTS
    cup = msgspec.structs.replace(
        CUP, bots=bots, **{"swiss": None, "format": name} | {name: settings(name)}
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            found = {
                part: (await client.get(f"/tournaments/cup{part}")).status_code for part in PARTS
            }
    assert dict.fromkeys(PARTS, 200) == found


async def test_no_bot_has_a_place_before_the_first_match(pages: OpenPages, tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        async with open_journal(store) as journal:
            await RoundDrawer(cup, journal, Reporter()).begin()
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup")).text
    assert text.count('<td class="number">\u2013</td>') == len(CUP.bots)


@pytest.mark.parametrize("name", ["knockout", "double_elimination"])
async def test_every_match_of_a_bracket_is_linked_to(
    pages: OpenPages, tmp_path: Path, name: str
) -> None:
    cup = msgspec.structs.replace(CUP, bots=BOTS, swiss=None, format=name, **{name: settings(name)})
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        number = store.tournaments.progress("cup").played
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup/rounds")).text
    assert number > len(BOTS)
    assert [n for n in range(1, number + 1) if f'/matches/cup-{n}"' not in text] == []


def test_a_bracket_on_a_telephone_moves_sideways_within_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(
        CUP,
        bots=BOTS,
        swiss=None,
        format="double_elimination",
        double_elimination=settings("double_elimination"),
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, cup, store, first_name_wins)
        size = {"width": 390, "height": 844}
        with pages_in_a_thread(store) as address, tab(browser, address, viewport=size) as page:
            page.goto("/tournaments/cup/rounds")
            expect(page.locator(".in-turn .round").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_double_elimination_of_eight_bots_needs_no_scrolling_at_a_desk(
    browser: Browser, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(
        CUP,
        bots=BOTS[:8],
        swiss=None,
        format="double_elimination",
        double_elimination=settings("double_elimination"),
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, cup, store, first_name_wins)
        size = {"width": 1440, "height": 900}
        with pages_in_a_thread(store) as address, tab(browser, address, viewport=size) as page:
            page.goto("/tournaments/cup/rounds")
            frame = page.locator(".bracket-frame")
            expect(frame.locator(".champion-box")).to_be_visible()
            assert frame.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0


@pytest.mark.parametrize("language", ["en", "de"])
def test_long_names_and_notes_of_a_bracket_stay_within_their_columns(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    bots = [BotConfiguration(name=f"{number}" + "W" * 31, external=True) for number in range(4)]
    cup = msgspec.structs.replace(
        CUP, bots=bots, swiss=None, format="knockout", knockout=settings("knockout")
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, cup, store, all_level)
        with pages_in_a_thread(store) as address, tab(browser, address) as page:
            page.goto(f"/tournaments/cup/rounds?lang={language}")
            expect(page.locator(".bracket-drawing p").first).to_be_visible()
            beyond = page.evaluate(
                """() => {
                  const right = (element) => element.getBoundingClientRect().right;
                  return [...document.querySelectorAll(".bracket-drawing g")].flatMap((box) => {
                    const end = right(box.querySelector("rect"));
                    const texts = [...box.querySelectorAll("a, p, text")];
                    return texts.map((text) => right(text) - end).filter((by) => by > 0);
                  });
                }"""
            )
            names = page.locator(".bracket-drawing .name").all_inner_texts()
    assert beyond == []
    assert names[0] == bots[0].name


async def test_every_bot_that_goes_on_is_marked_where_several_do(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(
        CUP,
        game="icecult",
        players=4,
        bots=BOTS[:8],
        swiss=None,
        format="knockout",
        knockout=settings("knockout"),
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        rounds = store.tournaments.standings("cup").rounds
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup/rounds")).text
    advancing = [len(meeting.advancing) for one in rounds for meeting in one.meetings]
    assert advancing == [2, 2, 1]
    assert text.count('class="mark"') == sum(advancing)
