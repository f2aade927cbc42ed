"""A match as one HTML file, opened in a browser that has no network."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect
from tests.web.conftest import OpenPages
from tests.web.records import fill, played

from polynya_app.application import run
from polynya_app.web_pages import replay_page
from polynya_server.records import MatchRecord, TurnRecord, encode_replay
from polynya_store import MatchFilter, Store

HOSTILE = "</script><script>document.title = 'taken'</script><b>&amp;\u2028"


def with_remarks(record: MatchRecord, remark: str) -> MatchRecord:
    """The record of a match whose bots said something in each turn."""
    events = [
        replace(one, info={"text": remark, "score": 10_000}) if isinstance(one, TurnRecord) else one
        for one in record.events
    ]
    return replace(record, events=events)


def opened(browser: Browser, file: Path) -> tuple[Page, list[str]]:
    """A file in a tab without a network; and what went wrong, or was asked for."""
    page = browser.new_context(offline=True).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(file.as_uri())
    return page, said


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_it_shows_the_match_without_a_network(browser: Browser, tmp_path: Path, game: str) -> None:
    record = with_remarks(played(game, 2, timeouts=(9,)), "hm")
    file = tmp_path / "match.html"
    file.write_bytes(replay_page(record, "en"))
    page, said = opened(browser, file)
    expect(page.locator(".board-drawing")).to_be_visible()
    expect(page.locator(".viewer-result")).to_contain_text("lost on time in turn 9")
    expect(page.locator(".tally-seat")).to_have_count(2)
    page.keyboard.press("Home")
    expect(page.locator(".viewer-place")).to_contain_text("0 of")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".viewer-place")).to_contain_text("1 of")
    assert page.locator(".viewer-remarks").inner_text().count("hm") > 0
    assert said == [file.as_uri()]


def test_all_that_bots_wrote_stays_text(browser: Browser, tmp_path: Path) -> None:
    record = with_remarks(played("packeis", 2), HOSTILE)
    software = {"name": HOSTILE, "version": HOSTILE}
    setup = replace(record.setup, match=HOSTILE)
    file = tmp_path / "match.html"
    file.write_bytes(replay_page(replace(record, setup=setup, detail=HOSTILE), "de"))
    assert software["name"] not in file.read_text()
    page, said = opened(browser, file)
    expect(page.locator(".board-drawing")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert "taken" not in page.title().split("(")[0]
    assert page.locator("script").count() == 3
    assert page.locator("b", has_text="&").count() == 0
    assert said == [file.as_uri()]


def test_the_command_writes_it_from_an_id_or_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = played("packeis", 2)
    Path("m.replay").write_bytes(encode_replay(record))
    words = ["replay", "export", "m.replay", "--html", "--language"]
    assert [run([*words, language]) for language in ("de", "fr")] == [0, 2]
    assert '<html lang="de"' in Path("m.html").read_text()
    assert "there is no language 'fr'; there are en and de" in capsys.readouterr().err
    assert run(["replay", "import", "m.replay", "--database", "new.sqlite"]) == 0
    with Store.open(Path("new.sqlite")) as store:
        match = store.matches.page(MatchFilter()).rows[0].match
    named = ["replay", "export", match, "--html", "--database", "new.sqlite"]
    assert run([*named, "--to", "pages"]) == 0
    assert [file.suffix for file in Path("pages").iterdir()] == [".html"]


def test_a_match_of_an_unknown_game_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played("packeis", 2)
    file = tmp_path / "m.replay"
    file.write_bytes(encode_replay(replace(record, setup=replace(record.setup, game="chess"))))
    assert run(["replay", "export", str(file), "--html", "--to", str(tmp_path)]) == 1
    assert "no game 'chess' is installed" in capsys.readouterr().err


async def test_a_match_is_downloaded_as_a_page_unless_its_result_is_hidden(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "site.sqlite", for_play=True) as store:
        await fill(store)
        match = store.matches.page(MatchFilter()).rows[0].match
        async with pages(store) as client:
            whole = (await client.get(f"/matches/{match}")).text
            answer = await client.get(f"/matches/{match}/html?lang=de")
            missing = await client.get("/matches/none/html")
    assert f'href="/matches/{match}/html"' in whole
    assert answer.headers["content-disposition"] == f'attachment; filename="{match}.html"'
    assert '<html lang="de"' in answer.text
    assert missing.status_code == 404
