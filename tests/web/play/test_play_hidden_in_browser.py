"""A person at a real browser, in a game with joint turns that has no drawn board."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.games.example_games import example_games, example_games_of_processes
from tests.web.browsing import in_a_thread, tab
from tests.web.play.persons import open_house
from tests.web.play.test_play_in_browser import pick_first, resign, sit_down

__all__ = ["example_games", "example_games_of_processes"]


@pytest.mark.usefixtures("example_games_of_processes")
def test_joint_turn_is_answered_by_mouse_after_reloading_the_page(
    tmp_path: Path, browser: Browser
) -> None:
    with in_a_thread(partial(open_house, tmp_path)) as house, tab(browser, house.address) as page:
        sit_down(page, "goofspiel")
        page.reload()
        expect(page.locator("#status")).to_have_class("play-status mine")
        pick_first(page)
        expect(page.locator("#log li")).to_have_count(2)
        expect(page.locator("#status")).to_have_class("play-status mine")
        resign(page)
