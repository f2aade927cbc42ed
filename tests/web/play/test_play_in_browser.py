"""A person at a real browser: matches by mouse and by keyboard, taking back, resigning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import in_a_thread, tab
from tests.web.play.persons import House, open_house

from polynya_web.pages import play


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with in_a_thread(partial(open_house, tmp_path_factory.mktemp("house"))) as opened:
        yield opened


def sit_down(page: Page, game: str, players: int = 2) -> None:
    """Fill in the form and begin: in seat 0, against bots that play at random."""
    page.goto(f"/play?game={game}&players={players}")
    page.locator("select[name=seat]").select_option("0")
    page.locator("select[name=move_ms]").select_option("10000")
    for number in range(1, players):
        page.locator(f"select[name=opponent{number}]").select_option("builtin:random")
    page.locator(".play-order button.primary").click()
    expect(page.locator("#status")).to_have_class("play-status mine")


def pick_first(page: Page) -> None:
    """Pick the first step of the list of all that are legal."""
    page.locator(".choice-list summary").click()
    page.locator(".choice-list li button").first.click()


def resign(page: Page) -> None:
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#resign").click()
    expect(page.locator("#result")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "words"),
    [("en-GB", "It is your turn."), ("de-DE", "Du bist am Zug.")],
)
def test_a_step_is_made_by_mouse_and_the_bot_answers(
    house: House, browser: Browser, language: str, words: str
) -> None:
    with tab(browser, house.address, locale=language) as page:
        sit_down(page, "packeis")
        expect(page.locator("#status")).to_have_text(words)
        page.locator("#board .pickable").first.click()
        expect(page.locator("#log li")).to_have_count(2)
        expect(page.locator("#board .penguin")).to_have_count(2)
        expect(page.locator("#status")).to_have_text(words)
        resign(page)


def test_a_step_is_made_by_keyboard_and_the_focus_goes_on(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        sit_down(page, "packeis")
        for count in (2, 4):
            page.locator("#board .pickable").first.focus()
            page.keyboard.press("Enter")
            expect(page.locator("#log li")).to_have_count(count)
            expect(page.locator("#board .pickable:focus")).to_have_count(1)
        resign(page)


def test_a_turn_of_several_steps_is_composed_taken_back_and_played(
    house: House, browser: Browser
) -> None:
    with tab(browser, house.address) as page:
        sit_down(page, "icecult")
        steps = page.locator("#steps li")
        pick_first(page)
        expect(steps).to_have_count(1)
        pick_first(page)
        expect(steps).to_have_count(2)
        page.locator("#undo").click()
        expect(steps).to_have_count(1)
        page.locator("#restart").click()
        expect(page.locator("#turn")).to_be_hidden()
        for count in range(1, 40):
            pick_first(page)
            expect(steps).to_have_count(count)
            expect(page.locator("#send:enabled, .choice-list")).to_have_count(1)
            if page.locator("#send").is_enabled():
                break
        page.locator("#send").click()
        expect(page.locator("#log li")).to_have_count(2)
        expect(page.locator("#turn")).to_be_hidden()
        resign(page)


def test_turn_of_one_step_is_confirmed_on_request(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        sit_down(page, "arktia")
        page.locator("#confirm").check()
        pick_first(page)
        expect(page.locator("#send")).to_be_enabled()
        expect(page.locator("#send")).to_be_focused()
        page.locator("#undo").click()
        expect(page.locator(".choice-list")).to_have_count(1)
        resign(page)


@pytest.mark.parametrize("game", ["packeis", "arktia"])
def test_a_match_is_played_to_its_result_and_replayed(
    house: House, browser: Browser, game: str
) -> None:
    with tab(browser, house.address, reduced_motion="reduce") as page:
        sit_down(page, game)
        turns = page.locator("#status.mine, #result:not([hidden])")
        for _ in range(400):
            expect(turns).not_to_have_count(0)
            if page.locator("#result").is_visible():
                break
            if page.locator(".choice-list").count():
                page.evaluate("document.querySelector('.choice-list li button')?.click()")
        expect(page.locator("#ranking li")).to_have_count(2)
        expect(page.locator("#resign")).to_be_hidden()
        page.locator("#replay").click()
        expect(page.locator(".board")).to_be_visible()


def test_a_page_that_is_loaded_again_goes_on(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        sit_down(page, "packeis")
        page.locator("#board .pickable").first.click()
        expect(page.locator("#log li")).to_have_count(2)
        page.reload()
        expect(page.locator("#log li")).to_have_count(2)
        expect(page.locator("#status")).to_have_class("play-status mine")
        expect(page.locator("#board .penguin")).to_have_count(2)
        resign(page)


def test_a_page_that_was_refused_is_kept_up_to_date_when_there_is_room(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tab(browser, house.address) as first:
        sit_down(first, "packeis")
        monkeypatch.setattr(play, "MAX_PAGES", 1)
        page = first.context.new_page()
        with page.expect_response("**/events") as refused:
            page.goto(first.url)
        assert refused.value.status == 429
        first.close()
        expect(page.locator("#status")).to_have_class("play-status mine")
        resign(page)


def test_a_page_whose_match_was_stopped_with_the_server_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    stopped = ExitStack()
    house = stopped.enter_context(in_a_thread(partial(open_house, tmp_path)))
    with stopped, tab(browser, house.address) as page:
        sit_down(page, "packeis")
        seat = page.url
        stopped.close()
        port = int(house.address.rpartition(":")[2])
        with in_a_thread(partial(open_house, tmp_path, port=port)):
            expect(page).to_have_url(seat.replace("/play/", "/matches/"))
            expect(page.locator("main")).to_contain_text("aborted")


def test_unanswered_step_can_be_chosen_again(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        page.add_init_script(
            "const whole = AbortSignal.timeout.bind(AbortSignal);"
            "AbortSignal.timeout = (patience) => whole(patience / 100);"
        )
        sit_down(page, "icecult")
        page.route("**/compose", lambda _: None, times=1)
        pick_first(page)
        expect(page.locator("#problem")).not_to_be_empty()
        pick_first(page)
        expect(page.locator("#steps li")).to_have_count(1)
        resign(page)


def test_another_match_can_be_begun_when_one_is_over(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        sit_down(page, "packeis")
        first = page.url
        resign(page)
        expect(page.locator("#outcome")).to_have_text("You came in with rank 2.")
        page.locator("#result form button").click()
        expect(page.locator("#status")).to_have_class("play-status mine")
        assert page.url != first
        resign(page)


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_nothing_is_wider_than_a_telephone(house: House, browser: Browser, game: str) -> None:
    with tab(browser, house.address, viewport={"width": 360, "height": 740}) as page:
        sit_down(page, game)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        pick_first(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        resign(page)


def test_another_game_is_shown_with_its_bots_at_once(house: House, browser: Browser) -> None:
    with tab(browser, house.address) as page:
        page.goto("/play")
        page.locator("select[name=game]").select_option("icecult")
        page.wait_for_url("**/play?game=icecult*")
        expect(page.locator("option[value='builtin:icecult']")).to_have_count(1)


def test_address_of_another_persons_seat_only_shows_the_match(
    house: House, browser: Browser
) -> None:
    with tab(browser, house.address) as page, tab(browser, house.address) as other:
        sit_down(page, "packeis")
        other.goto(page.url)
        expect(other).to_have_url(page.url.replace("/play/", "/matches/"))
        resign(page)
