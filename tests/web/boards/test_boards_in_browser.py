"""The boards in a browser: what of a position can be seen, and that every legal step can be picked.

The positions are the test vectors of the games, which hold every special case of the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.folders import VECTORS_OF_GAMES
from tests.web.browsing import tab

from polynya_games import load

GAMES = ("packeis", "arktia", "icecult")

OPEN = """
async ({ module, players }) => {
  const { createBoard } = await import(`/static/boards/${module}.js`);
  window.words ??= JSON.parse(document.getElementById("texts").textContent);
  const place = document.createElement("div");
  place.id = "board";
  document.body.replaceChildren(place);
  const seats = Array.from({ length: players }, (_, seat) => ({ seat, name: `bot${seat}` }));
  window.picked = [];
  window.board = createBoard(place, { texts: window.words, seats });
}
"""

WALK = """
({ state, steps }) => {
  const back = window.words["board.choose.back"];
  const buttons = () => [...document.querySelectorAll(".choice-buttons button")];
  const places = () => [
    ...document.querySelectorAll("#board .pickable[tabindex]"),
    ...buttons().filter((button) => button.textContent !== back),
  ];
  const press = (place) => place.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const made = new Set();
  const walk = (path) => {
    let step = null;
    window.board.show(state);
    window.board.choose(steps, (taken) => { step = taken; });
    for (const index of path) press(places()[index]);
    if (step !== null) return made.add(JSON.stringify(step));
    if (path.length > 3) throw new Error("a step takes more than three stages");
    places().forEach((_, index) => walk([...path, index]));
  };
  walk([]);
  return [...made].map((step) => JSON.parse(step));
}
"""
"""All steps that can be made by pressing what may be pressed, one after another."""

LISTED = """
({ state, steps }) => {
  const made = [];
  for (let index = 0; index < steps.length; index += 1) {
    window.board.show(state);
    window.board.choose(steps, (step) => made.push(step));
    document.querySelectorAll(".choice-list li button")[index].click();
  }
  return made;
}
"""
"""All steps that can be made from the list of words."""


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with tab(browser, address) as opened:
        opened.goto("/replay?lang=en")
        yield opened


def vectors(game: str) -> list[dict[str, Any]]:
    lines = (VECTORS_OF_GAMES / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def special_cases(game: str) -> list[dict[str, Any]]:
    """One position for each set of verbs that may be played, phase and number of players."""
    chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
    for vector in vectors(game):
        state, verbs = vector["state"], {step[0] for step in vector["legal"]}
        if verbs:
            chosen.setdefault((state["players"], state["phase"], frozenset(verbs)), vector)
    return list(chosen.values())


def show(page: Page, game: str, state: dict[str, Any], **context: Any) -> None:
    page.evaluate(OPEN, {"module": game, "players": state["players"]})
    page.evaluate("([state, context]) => window.board.show(state, context)", [state, context])


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_step_can_be_picked_on_the_board(page: Page, game: str) -> None:
    for vector in special_cases(game):
        show(page, game, vector["state"])
        made = page.evaluate(WALK, {"state": vector["state"], "steps": vector["legal"]})
        assert sorted(vector["legal"]) == sorted(made), vector["about"]


@pytest.mark.parametrize("module", [*GAMES, "plain"])
def test_every_legal_step_can_be_picked_from_the_list_of_words(page: Page, module: str) -> None:
    for vector in special_cases("arktia" if module == "plain" else module)[:6]:
        show(page, module, vector["state"])
        made = page.evaluate(LISTED, {"state": vector["state"], "steps": vector["legal"]})
        assert vector["legal"] == made, vector["about"]


def test_a_step_can_be_picked_with_the_keyboard_alone(page: Page) -> None:
    start = load("packeis").setup(2, 7)
    while start.to_json()["phase"] == "placement":
        start = start.apply(start.legal_steps()[0])
    state, steps = start.to_json(), start.legal_steps()
    show(page, "packeis", state)
    page.evaluate(
        "(steps) => window.board.choose(steps, (step) => window.picked.push(step))", steps
    )
    first = page.locator(".pickable").first
    first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".picked")).to_have_count(0)
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".picked")).to_have_count(1)
    page.keyboard.press("Enter")
    [step] = page.evaluate("window.picked")
    assert step in [list(one) for one in steps]
    expect(page.locator(".board-choice")).to_be_hidden()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_step_has_words_of_its_own(page: Page, game: str, language: str) -> None:
    page.goto(f"/replay?lang={language}")
    for vector in special_cases(game):
        show(page, game, vector["state"])
        words = page.evaluate(
            "(steps) => steps.map((step) => window.board.describe(step))", vector["legal"]
        )
        assert len(set(words)) == len(vector["legal"]), vector["about"]
        assert [said for said in words if "board." in said or "{" in said] == []


def test_packeis_shows_what_is_left_of_floes_fish_and_penguins(page: Page) -> None:
    for vector in vectors("packeis")[::10]:
        state = vector["state"]
        show(page, "packeis", state)
        floes = [fish for fish in state["fish"] if fish > 0]
        expect(page.locator(".board-drawing .cell .floe")).to_have_count(len(floes))
        expect(page.locator(".board-drawing .cell .gone")).to_have_count(60 - len(floes))
        expect(page.locator(".board-drawing .fish")).to_have_count(sum(floes))
        shown = page.locator(".penguin .seat-number").all_text_contents()
        standing = [str(seat) for seat, cells in enumerate(state["penguins"]) for cell in cells]
        assert sorted(shown) == standing
        caught = page.locator(".counted b").all_text_contents()
        expected = zip(state["fish_caught"], state["floes_caught"], strict=True)
        assert caught == [str(number) for pair in expected for number in pair]


def test_packeis_marks_the_last_move_and_what_it_cost(page: Page) -> None:
    state = load("packeis").setup(2, 7)
    while state.to_json()["phase"] == "placement":
        state = state.apply(state.legal_steps()[0])
    step = next(step for step in state.legal_steps() if step[0] == "move")
    before, after = state.to_json(), state.apply(step).to_json()
    show(page, "packeis", after, step=list(step), seat=0, before=before)
    expect(page.locator(".mark.move")).to_have_count(1)
    gone = sum(1 for one, other in zip(before["fish"], after["fish"], strict=True) if one > other)
    expect(page.locator(".gone.now")).to_have_count(gone)


def test_arktia_shows_towers_differently(page: Page) -> None:
    drawn: dict[str, set[tuple[int, ...]]] = {}
    for vector in vectors("arktia")[::6]:
        state = vector["state"]
        show(page, "arktia", state)
        stacks = [stack for stack in state["stacks"] if stack]
        towers = page.evaluate(
            """() => [...document.querySelectorAll(".pieces > .tower")].map((tower) =>
                ["globe", "side", "hole", "front"].map(
                    (part) => tower.querySelectorAll(`.muglu-${part}`).length))"""
        )
        assert len(stacks) == len(towers)
        for stack, parts in zip(stacks, towers, strict=True):
            drawn.setdefault("".join(kind for _, kind in stack), set()).add(tuple(parts))
    assert set(drawn) == {"G", "D", "T", "DG", "TD", "GT", "TDG"}
    pictures = [picture for pictures in drawn.values() for picture in pictures]
    assert len(pictures) == len(set(pictures)) == len(drawn)


def test_arktia_shows_which_muglus_a_step_took(page: Page) -> None:
    taken = 0
    for vector in [one for one in vectors("arktia") if one["state"]["owes"] == "keep"]:
        before = vector["state"]
        for step in vector["legal"][:2]:
            state = load("arktia").state_from_json(before).apply(tuple(step))
            after = state.to_json()
            show(page, "arktia", after, step=step, seat=before["to_move"], before=before)
            lost = sum(map(len, before["stacks"])) - sum(map(len, after["stacks"]))
            expect(page.locator(".taken .seat-number")).to_have_count(lost)
            taken += lost
    assert taken > 0


def test_arktia_marks_exactly_what_may_be_melted(page: Page) -> None:
    owed = [vector for vector in vectors("arktia") if vector["state"]["owes"] == "melt"]
    assert owed
    for vector in owed[::4]:
        show(page, "arktia", vector["state"])
        thin = page.evaluate(
            """() => [...document.querySelectorAll(".cell.thin")].map(
                (cell) => Number(cell.dataset.target.split(":")[1]))"""
        )
        assert [step[1] for step in vector["legal"]] == sorted(thin), vector["about"]


def test_icecult_shows_every_face_of_every_block(page: Page) -> None:
    for vector in vectors("icecult")[::20]:
        state = vector["state"]
        show(page, "icecult", state)
        nets = page.evaluate(
            """() => [...document.querySelectorAll(".net")].map((net) =>
                [...net.querySelectorAll(".net-face")].map((face) =>
                    face.querySelector(".seat-number")?.textContent
                    ?? (face.querySelector(".face-circle") ? "4" : "5")))"""
        )
        assert [[str(face[0]) for face in block] for block in state["blocks"]] == nets


def test_icecult_shows_every_pawn_where_it_is(page: Page) -> None:
    for vector in vectors("icecult")[::20]:
        state = vector["state"]
        show(page, "icecult", state)
        stacks = page.evaluate(
            """() => [...document.querySelectorAll(".stack")].map((stack) =>
                [...stack.querySelectorAll(".pawn-number")].map(
                    (pawn) => Number(pawn.textContent)))"""
        )
        assert [stack for path in "NESW" for stack in state["paths"][path]] == stacks
        homes = page.evaluate(
            """() => [...document.querySelectorAll(".home-row")].map(
                (row) => row.querySelectorAll(".pawn").length)"""
        )
        counts = zip(state["start"], state["goal"], strict=True)
        assert [count for pair in counts for count in pair] == homes


def test_list_of_one_step_says_step(page: Page) -> None:
    vector = special_cases("packeis")[0]
    show(page, "packeis", vector["state"])
    for count, words in ((1, "As a list: 1 step"), (2, "As a list: 2 steps")):
        steps = vector["legal"][:count]
        page.evaluate("(steps) => window.board.choose(steps, () => {})", steps)
        expect(page.locator(".choice-list summary")).to_have_text(words)


SMALL_TEXT = """
(smallest) => [...document.querySelectorAll("#board text")]
    .filter((text) => text.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((text) => [
      text.textContent,
      parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
    ])
    .filter(([, size]) => size < smallest)
"""
SMALL_TARGETS = """
(smallest) => [...document.querySelectorAll("#board .pickable[tabindex], .choice-buttons button")]
    .map((one) => [one.dataset.target ?? one.textContent, one.getBoundingClientRect()])
    .filter(([, box]) => box.width < smallest || box.height < smallest)
    .map(([name, box]) => [name, box.width, box.height])
"""
TELEPHONE = {"width": 390, "height": 844}


def test_icecult_can_be_read_and_tapped_on_a_telephone(browser: Browser, address: str) -> None:
    with tab(browser, address, viewport=TELEPHONE) as page:
        page.goto("/replay?lang=en")
        for vector in special_cases("icecult"):
            show(page, "icecult", vector["state"])
            assert page.evaluate(SMALL_TEXT, 8.5) == [], vector["about"]
            page.evaluate("(steps) => window.board.choose(steps, () => {})", vector["legal"])
            assert page.evaluate(SMALL_TARGETS, 24) == [], vector["about"]
            made = page.evaluate(WALK, {"state": vector["state"], "steps": vector["legal"]})
            assert sorted(vector["legal"]) == sorted(made), vector["about"]


def test_icecult_start_reacts_all_over(browser: Browser, address: str) -> None:
    with tab(browser, address, viewport=TELEPHONE) as page:
        page.goto("/replay?lang=en")
        [vector] = [
            one
            for one in special_cases("icecult")
            if any(step[0] == "advance" and step[2] == 0 for step in one["legal"])
        ][:1]
        show(page, "icecult", vector["state"])
        steps = [step for step in vector["legal"] if step[0] == "advance" and step[2] == 0][:1]
        page.evaluate(
            "(steps) => window.board.choose(steps, (step) => window.picked.push(step))", steps
        )
        while not page.evaluate("window.picked.length"):
            box = page.locator(".pickable[tabindex]").last.bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert steps == page.evaluate("window.picked")


def test_icecult_shows_hidden_faces_on_a_telephone(browser: Browser, address: str) -> None:
    with tab(browser, address, viewport=TELEPHONE) as page:
        page.goto("/replay?lang=en")
        show(page, "icecult", vectors("icecult")[0]["state"])
        page.get_by_text("The blocks unfolded").click()
        expect(page.locator(".net-alone").first).to_be_visible()
        expect(page.locator(".net-alone .net-face")).to_have_count(4 * 6)


def test_a_choice_outlasts_another_size_of_the_window(browser: Browser, address: str) -> None:
    with tab(browser, address) as page:
        page.goto("/replay?lang=en")
        vector = special_cases("icecult")[0]
        show(page, "icecult", vector["state"])
        page.evaluate("(steps) => window.board.choose(steps, () => {})", vector["legal"])
        page.set_viewport_size({"width": 390, "height": 844})
        expect(page.locator(".board.small .pickable").first).to_be_visible()
        expect(page.locator(".choice-list li")).to_have_count(len(vector["legal"]))


def test_icecult_marks_the_whole_turn_on_each_frame(page: Page) -> None:
    vector = next(one for one in vectors("icecult") if one["legal"])
    state = vector["state"]
    earlier = [{"step": ["tip", pair, pair], "before": state} for pair in "NS"]
    show(page, "icecult", state, step=None, earlier=earlier)
    expect(page.locator(".mark.here.earlier")).to_have_count(2)


def test_a_game_without_a_board_is_shown_as_text(page: Page) -> None:
    state = {"players": 2, "to_move": 1, "heaps": [3, 4, 5], "note": "<b>not bold</b>"}
    show(page, "plain", state)
    expect(page.locator(".plain-state")).to_contain_text("heaps [3, 4, 5]")
    expect(page.locator(".plain-state")).to_contain_text("<b>not bold</b>")
    expect(page.locator(".plain-state b")).to_have_count(0)


def test_a_game_with_rows_of_text_is_shown_by_them(page: Page) -> None:
    state = {"players": 2, "to_move": 1, "heaps": [3]}
    show(page, "plain", state, rows=["*0  ooo", "<b>not bold</b>"])
    expect(page.locator("pre.text-board")).to_have_text("*0  ooo\n<b>not bold</b>")
    expect(page.locator(".plain-state .tree")).to_have_count(0)
