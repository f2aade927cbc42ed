"""The viewer in a browser: replay files, controls, addresses of turns, times, and hostile text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import tab
from tests.web.records import played

from polynya_conformance.replay.text_form import as_text
from polynya_server.records import MatchRecord, TurnRecord, encode_replay

MARKUP = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"

LONG = "why " * 200

DROP = """
(bytes) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], "dropped.replay"));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  document.getElementById("drop").dispatchEvent(new DragEvent("drop", options));
}
"""


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with tab(browser, address) as opened:
        opened.goto("/replay?lang=en")
        yield opened


def open_file(page: Page, record: MatchRecord) -> None:
    """Choose a record as a file, and wait until it is shown."""
    buffer = encode_replay(record)
    file = {"name": "match.replay", "mimeType": "application/octet-stream", "buffer": buffer}
    page.set_input_files("#file", file)  # type: ignore[arg-type]
    expect(page.locator(".board")).to_be_visible()


def choose(page: Page, record: MatchRecord) -> None:
    """Choose a record as a file, and go to its beginning."""
    open_file(page, record)
    page.locator(".control-first").click()


def place(page: Page) -> Any:
    return expect(page.locator(".viewer-place"))


def steps_of(record: MatchRecord) -> list[TurnRecord]:
    return [event for event in record.events if isinstance(event, TurnRecord)]


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
@pytest.mark.parametrize("players", [2, 4])
def test_a_file_is_shown_step_by_step_to_its_end(page: Page, game: str, players: int) -> None:
    record = played(game, players)
    choose(page, record)
    expect(page.locator(f".board-{game}")).to_be_visible()
    last, steps = record.events[-1].turn, sum(len(turn.steps) for turn in steps_of(record))
    place(page).to_have_text(f"turn 0 of {last}")
    assert page.locator(".viewer-slider").get_attribute("max") == str(steps)
    page.get_by_role("button", name="To the end").click()
    assert page.locator(".viewer-slider").input_value() == str(steps)
    expect(page.locator(".turn-entry")).to_have_count(len(record.events))
    assert record.ranking is not None
    ranks = page.locator(".seat-result").all_text_contents()
    assert [f"rank {rank}" for rank in record.ranking] == ranks


def test_a_match_that_is_over_opens_at_its_end_with_its_result(page: Page) -> None:
    record = played("packeis", 2)
    assert record.scores is not None
    open_file(page, record)
    last, won = record.events[-1].turn, record.scores[0] > record.scores[1]
    place(page).to_have_text(f"turn {last} of {last}")
    winner, scores = "bot0" if won else "bot1", sorted(record.scores, reverse=True)
    expect(page.locator(".viewer-result")).to_have_text(f"{winner} won {scores[0]} : {scores[1]}.")
    page.get_by_role("button", name="Play", exact=True).click()
    place(page).to_contain_text(re.compile("^turn [0-2] of"))


def test_an_address_of_a_turn_that_is_not_there_opens_the_end(page: Page) -> None:
    record = played("packeis", 2)
    choose(page, record)
    page.get_by_label("Turn", exact=True).fill("9999")
    page.get_by_role("button", name="Go").click()
    place(page).to_have_text(f"turn {record.events[-1].turn} of {record.events[-1].turn}")


def test_a_file_can_be_dropped_onto_the_page(page: Page) -> None:
    page.evaluate(DROP, list(encode_replay(played("packeis"))))
    expect(page.locator(".board-packeis")).to_be_visible()


def test_a_pasted_match_is_shown(page: Page) -> None:
    page.get_by_label("Or paste a match as text").fill(as_text(played("arktia")))
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".board-arktia")).to_be_visible()


def test_the_wrong_line_of_a_pasted_match_is_named(page: Page) -> None:
    text = as_text(played("packeis")).replace("\n2. 1", "\n2. 0", 1)
    page.get_by_label("Or paste a match as text").fill(f"# {MARKUP}\n{text}")
    page.get_by_role("button", name="Show it").click()
    expect(page.locator("#viewer .notice")).to_contain_text(
        "the pasted match: the text, line 18: turn 2, seat 0: seat 1 is to move"
    )


def test_another_file_takes_the_place_of_the_first(page: Page) -> None:
    choose(page, played("packeis"))
    page.get_by_role("button", name="To the end").click()
    choose(page, played("icecult"))
    expect(page.locator(".board-icecult")).to_be_visible()
    page.keyboard.press("ArrowRight")
    place(page).to_contain_text("turn 1 of")


def test_file_that_is_no_replay_is_refused_in_a_sentence(page: Page) -> None:
    junk = {"name": "junk.txt", "mimeType": "text/plain", "buffer": b"not a replay"}
    page.set_input_files("#file", junk)  # type: ignore[arg-type]
    expect(page.locator("#viewer .notice")).to_contain_text(
        "junk.txt: this file is not a Polynya replay"
    )
    choose(page, played("packeis"))


def test_buttons_and_keys_go_through_the_match(page: Page) -> None:
    record = played("icecult")
    choose(page, record)
    first, last = steps_of(record)[0], record.events[-1].turn
    steps = len(first.steps)
    presses = {
        "ArrowRight": f"turn 1 of {last}, step 1 of {steps}",
        "Shift+ArrowRight": f"turn 1 of {last}, step {steps} of {steps}",
        "ArrowLeft": f"turn 1 of {last}, step {steps - 1} of {steps}",
        "Shift+ArrowLeft": f"turn 0 of {last}",
        "End": f"turn {last} of {last}",
        "Home": f"turn 0 of {last}",
    }
    for key, words in presses.items():
        page.keyboard.press(key)
        place(page).to_contain_text(words)
    names = {
        "One step forward": f"turn 1 of {last}, step 1 of {steps}",
        "One turn forward": f"turn 1 of {last}, step {steps} of {steps}",
        "One step back": f"turn 1 of {last}, step {steps - 1} of {steps}",
        "One turn back": f"turn 0 of {last}",
        "To the end": f"turn {last} of {last}",
        "To the beginning": f"turn 0 of {last}",
    }
    for name, words in names.items():
        page.get_by_role("button", name=name, exact=True).click()
        place(page).to_contain_text(words)


def test_playing_goes_on_until_it_is_paused(page: Page) -> None:
    choose(page, played("icecult"))  # too long to come to its end meanwhile
    page.get_by_role("button", name="Play", exact=True).click()
    place(page).to_contain_text(re.compile("turn [1-9]"))
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_playing_to_the_end_stops_there(page: Page) -> None:
    record = played("packeis")
    choose(page, record)
    page.get_by_label("Speed").select_option("8")
    page.locator(".turn-entry").nth(len(record.events) - 3).click()
    page.get_by_role("button", name="Play", exact=True).click()
    last = record.events[-1].turn
    place(page).to_have_text(f"turn {last} of {last}")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_turn_can_be_reached_by_its_number_the_list_the_chart_and_the_slider(page: Page) -> None:
    record = played("packeis")
    choose(page, record)
    last = record.events[-1].turn
    page.get_by_label("Turn", exact=True).fill("5")
    page.get_by_role("button", name="Go").click()
    place(page).to_have_text(f"turn 5 of {last}")
    page.locator(".turn-entry").nth(6).click()
    place(page).to_have_text(f"turn 7 of {last}")
    page.locator(".chart-turn").nth(8).locator(".chart-bar").click()
    place(page).to_have_text(f"turn 9 of {last}")
    page.locator(".viewer-slider").fill("3")
    place(page).to_have_text(f"turn 3 of {last}")


def test_the_steps_of_a_turn_are_said_and_can_be_chosen(page: Page) -> None:
    record = played("icecult")
    choose(page, record)
    page.keyboard.press("Shift+ArrowRight")
    steps = page.locator(".step-entry")
    expect(steps).to_have_count(len(steps_of(record)[0].steps))
    steps.first.click()
    expect(page.locator(".viewer-said")).to_contain_text(steps.first.inner_text())
    expect(page.locator(".viewer-said")).to_have_attribute("role", "status")


def test_a_loss_on_time_is_explained(page: Page) -> None:
    record = played("packeis", 3, timeouts=(8,))
    [lost] = record.forfeits
    told = msgspec.structs.replace(
        lost, queued_us=80_000, flushed_us=80_500, first_byte_us=150_500, kernel=True
    )
    events = [told if event is lost else event for event in record.events]
    choose(page, msgspec.structs.replace(record, events=events))
    panel = page.locator(".forfeit-panel")
    expect(panel).to_have_count(1)
    for words in [
        f"bot{lost.seat}",
        "loses on time",
        str(lost.detail),
        "waited 0.50 ms in the server",
        "after 70 ms; the answer was not complete",
        "Charged: 101 ms of 100 ms allowed.",
    ]:
        expect(panel).to_contain_text(words)
    panel.get_by_role("button", name="Turn 8").click()
    expect(page.locator(".viewer-said")).to_contain_text("loses on time")
    expect(page.locator(".tally-seat").nth(lost.seat)).to_contain_text("forfeited")


def test_large_numbers_in_remarks_are_shown_exactly(page: Page) -> None:
    record = played("packeis")
    first = msgspec.structs.replace(record.events[0], info={"hash": 2**53 + 1})
    choose(page, msgspec.structs.replace(record, events=[first, *record.events[1:]]))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".viewer-remarks")).to_contain_text(str(2**53 + 1))


def test_the_steps_of_an_illegal_move_are_shown(page: Page) -> None:
    record = played("packeis", 3, timeouts=(8,))
    [lost] = record.forfeits
    told = msgspec.structs.replace(
        lost, reason="illegal_move", refused_steps=[["place", 2**60]], refused_left_out=7
    )
    events = [told if event is lost else event for event in record.events]
    choose(page, msgspec.structs.replace(record, events=events))
    panel = page.locator(".forfeit-panel")
    expect(panel).to_contain_text(f'It sent: [["place", {2**60}]] and 7 more')


def test_the_times_of_any_turn_can_be_seen(page: Page) -> None:
    choose(page, played("packeis"))
    page.keyboard.press("ArrowRight")
    page.get_by_text("How the time of this turn was measured").click()
    expect(page.locator(".turn-times")).to_contain_text("arrived after 3.09 ms, the last after")
    expect(page.locator(".turn-times")).to_contain_text("Charged: 3 ms of 100 ms allowed.")


def remarked(record: MatchRecord) -> MatchRecord:
    """The record with a judgement and a long remark in each turn."""
    events = [
        msgspec.structs.replace(event, info={"score": event.turn - 20.5, "text": f"{LONG} end"})
        if isinstance(event, TurnRecord)
        else event
        for event in record.events
    ]
    return msgspec.structs.replace(record, events=events)


def test_judgements_of_both_bots_are_a_graph_that_leads_to_a_turn(page: Page) -> None:
    record = remarked(played("packeis"))
    choose(page, record)
    graph = page.locator(".evaluation")
    expect(graph.locator("polyline")).to_have_count(2)
    expect(graph).to_have_attribute("aria-label", re.compile(r"last: bot0 .*, bot1 "))
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    last = steps_of(record)[-1].turn
    place(page).to_contain_text(f"turn {last} of")


def test_a_judgement_of_any_size_has_a_scale_within_the_graph(page: Page) -> None:
    record = played("packeis")
    events = [
        msgspec.structs.replace(event, info={"score": -1e300})
        if isinstance(event, TurnRecord)
        else event
        for event in record.events
    ]
    choose(page, msgspec.structs.replace(record, events=events))
    page.locator(".evaluation .edge").first.wait_for()
    graph = page.locator(".evaluation").bounding_box()
    assert graph is not None
    for label in page.locator(".evaluation .edge").all():
        box = label.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] < graph["x"] + graph["width"] / 4


def test_match_without_judgements_has_no_graph(page: Page) -> None:
    choose(page, played("packeis"))
    expect(page.locator(".viewer-evaluation")).to_be_hidden()
    expect(page.locator(".viewer-remarks")).to_be_hidden()


def test_remarks_are_shown_in_full(page: Page) -> None:
    choose(page, remarked(played("packeis")))
    page.keyboard.press("End")
    remarks = page.locator(".remarks li")
    expect(remarks).to_have_count(2)
    expect(remarks.first).to_contain_text(f"{LONG} end")


def test_each_bots_use_of_time_is_a_table(page: Page) -> None:
    record = played("packeis")
    choose(page, record)
    turns = sum(turn.seat == 0 for turn in steps_of(record))
    cells = page.locator(".viewer-statistics tbody tr").first.locator("td")
    expect(cells).to_have_text([str(turns), "3 ms", "3 ms", "3 ms", f"{3 * turns} ms"])


def test_text_of_bots_is_shown_as_text(page: Page) -> None:
    record = played("packeis", timeouts=(6,), players=3)
    names = (MARKUP, "bot1", "bot2")
    events = [
        msgspec.structs.replace(event, info={"text": MARKUP, MARKUP: [MARKUP]})
        if isinstance(event, TurnRecord)
        else msgspec.structs.replace(event, detail=MARKUP)
        for event in record.events
    ]
    setup = msgspec.structs.replace(record.setup, players=names, match=MARKUP)
    choose(page, msgspec.structs.replace(record, setup=setup, events=events, detail=MARKUP))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tally-name").first).to_contain_text(MARKUP)
    expect(page.locator(".bot-info").first).to_contain_text(MARKUP)
    expect(page.locator(".forfeit-detail")).to_have_text(MARKUP)
    page.keyboard.press("End")
    expect(page.locator("#viewer img, #viewer script")).to_have_count(0)
    assert "owned" not in page.title()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_text_is_there_in_both_languages(page: Page, language: str) -> None:
    page.goto(f"/replay?lang={language}")
    choose(page, played("arktia", 3, timeouts=(9,)))
    page.keyboard.press("End")
    shown = page.locator("body").inner_text()
    assert [key for key in ("viewer.", "board.", "{") if key in shown] == []


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_nothing_is_wider_than_a_telephone(browser: Browser, address: str, game: str) -> None:
    with tab(browser, address, viewport={"width": 360, "height": 740}) as page:
        page.goto("/replay?lang=de")
        choose(page, played(game, 4))
        page.keyboard.press("End")
        assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_reduced_motion_makes_pieces_jump(browser: Browser, address: str) -> None:
    counts = {}
    for motion in ("no-preference", "reduce"):
        with tab(browser, address, reduced_motion=motion) as page:
            page.goto("/replay")
            page.evaluate(
                "() => { const of = Element.prototype.animate; window.slides = 0;"
                " Element.prototype.animate = function (...all)"
                " { window.slides += 1; return of.apply(this, all); } }"
            )
            record = played("packeis")
            choose(page, record)
            for _ in range(12):
                page.keyboard.press("ArrowRight")
            place(page).to_contain_text("turn 12")
            counts[motion] = page.evaluate("window.slides")
    assert (counts["reduce"], counts["no-preference"] > 0) == (0, True)
