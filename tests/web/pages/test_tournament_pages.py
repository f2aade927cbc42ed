"""All pages of a tournament, whatever its format is and however far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser, expect
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_tournaments.config.tournament_configuration import BotConfiguration
from polynya_tournaments.pairing.formats.format_settings import FormatSettings
from polynya_tournaments.pairing.formats.formats_by_name import SETTINGS
from polynya_tournaments.store import Store

PARTS = ("", "/rounds", "/crosstable", "/schedule", "/progress")
BOTS = [BotConfiguration(name=f"bot-{number}", external=True) for number in range(1, 10)]
GIVEN: Mapping[str, Mapping[str, object]] = {
    "gauntlet": {"challengers": ["bot-1"]},
    "swiss": {"rounds": 3},
    "double_swiss": {"rounds": 3},
    "sprt": {"elo0": 0, "elo1": 30},
}


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
