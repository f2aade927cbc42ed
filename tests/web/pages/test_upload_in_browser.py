"""Uploading a program on a bot's page, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
import trio
from playwright.sync_api import Browser, Page, expect
from tests.tournaments.uploads.upload_contest import contest, pages
from tests.web.axe import axe_findings
from tests.web.browsing import in_a_thread, tab
from tests.web.records import played

from polynya_hosting.kits.templates import write_kit
from polynya_server import encode_replay
from polynya_store import Store
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.upload_folder import UploadFolder

SIZES = [{"width": 390, "height": 844}, {"width": 1440, "height": 900}]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contest(tmp_path) as opened:
        yield opened


@pytest.fixture
def site(store: Store, tmp_path: Path) -> Iterator[str]:
    with in_a_thread(partial(pages, store, tmp_path / "uploads")) as address:
        yield address


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    write_kit("python", "packeis", tmp_path / "fish")
    packed = tmp_path / "fish.tar.gz"
    packed.write_bytes(pack(tmp_path / "fish", Limits()))
    return packed


def test_a_version_is_uploaded_and_followed(
    browser: Browser, site: str, store: Store, archive: Path
) -> None:
    with tab(browser, site, locale="en") as page:
        page.goto("/bots/fish")
        page.locator("#upload-new summary").click()
        form = page.locator("form[data-upload]")
        form.get_by_label("Token").fill("right")
        form.get_by_label("Archive").set_input_files(archive)
        form.get_by_role("button", name="Upload").click()
        expect(form.get_by_role("status")).to_have_text("fish@0.1: waits")

        (upload,) = store.uploads.undecided()
        store.uploads.refuse(upload.number, "packeis: it forfeited by timeout")

        said = "fish@0.1: refused: packeis: it forfeited by timeout"
        expect(form.get_by_role("status")).to_have_text(said)


def test_a_wrong_token_is_said(browser: Browser, site: str, archive: Path) -> None:
    with tab(browser, site, locale="en") as page:
        page.goto("/bots/fish")
        page.locator("#upload-new summary").click()
        form = page.locator("form[data-upload]")
        form.get_by_label("Token").fill("wrong")
        form.get_by_label("Archive").set_input_files(archive)
        form.get_by_role("button", name="Upload").click()

        expect(form.get_by_role("status")).to_have_text("this is not the token of fish")


def test_the_owner_sees_why_a_version_was_refused(
    browser: Browser, site: str, store: Store, archive: Path, tmp_path: Path
) -> None:
    with archive.open("rb") as opened:
        reception = Reception(store, UploadFolder(tmp_path / "other"), Limits())
        upload = trio.run(reception.receive, "fish", opened)
    store.uploads.log(upload.number, "bot.c:3: error: <b>fish</b>")
    store.uploads.refuse(upload.number, "build[0] ended by itself with exit code 2")

    with tab(browser, site, locale="en") as page:
        page.goto("/bots/fish")
        expect(page.get_by_role("cell", name="refused")).to_be_visible()
        expect(page.get_by_text("exit code 2")).to_have_count(0)
        owner = page.locator("form", has=page.get_by_role("button", name="Show"))
        owner.get_by_label("Token").fill("right")
        owner.get_by_role("button").click()

        expect(page.get_by_text("build[0] ended by itself with exit code 2")).to_be_visible()
        page.get_by_text("What was printed").click()
        expect(page.get_by_text("bot.c:3: error: <b>fish</b>")).to_be_visible()


@pytest.fixture
def versions(store: Store, tmp_path: Path) -> None:
    """Versions 1 and 2 of fish are accepted; 3 is refused, with a match of its validation."""
    folder = UploadFolder(tmp_path / "uploads")
    folder.prepare()
    for version in ("1", "2", "3"):
        sha256 = folder.keep(BytesIO(f"PK {version}".encode()))
        upload = store.uploads.receive("fish", version, "c", ["packeis"], sha256)
        if version == "3":
            replay = encode_replay(played("packeis", 2, timeouts=(3,)))
            store.uploads.log(upload.number, "it is built", replay)
            store.uploads.refuse(upload.number, "packeis: it forfeited by timeout")
        else:
            store.uploads.accept(upload.number, version)


def open_owners_page(page: Page) -> None:
    page.goto("/bots/fish")
    owner = page.locator("form", has=page.get_by_role("button", name="Show"))
    owner.get_by_label("Token").fill("right")
    owner.get_by_role("button").click()
    expect(page.get_by_role("heading", name="Uploaded versions")).to_be_visible()


@pytest.mark.usefixtures("versions")
def test_an_older_version_is_chosen_with_one_click(
    browser: Browser, site: str, store: Store
) -> None:
    with tab(browser, site, locale="en") as page:
        open_owners_page(page)
        page.get_by_role("button", name="Let it play").click()

        expect(page.get_by_text("1 plays from now on.")).to_be_visible()
        plays = page.get_by_role("row").filter(has=page.get_by_text("plays", exact=True))
        expect(plays.get_by_role("cell").first).to_contain_text("1")
    assert store.uploads.playing()["fish"].version == "1"


@pytest.mark.usefixtures("versions")
def test_a_version_is_removed_after_a_question(browser: Browser, site: str, store: Store) -> None:
    with tab(browser, site, locale="en") as page:
        open_owners_page(page)
        row = page.get_by_role("row").filter(has_text="refused")
        row.locator("summary", has_text="Remove").click()
        row.get_by_role("button", name="Remove").click()

        expect(page.get_by_text("3 is removed.")).to_be_visible()
    assert store.uploads.of_bot("fish", "3")[0].state == "removed"


@pytest.mark.usefixtures("versions")
def test_the_log_of_a_bot_that_the_server_runs_is_shown(
    browser: Browser, site: str, tmp_path: Path
) -> None:
    logs = UploadFolder(tmp_path / "uploads").logs
    logs.mkdir()
    (logs / "fish.log").write_text("bot.py: I see a floe\n")

    with tab(browser, site, locale="en") as page:
        open_owners_page(page)

        expect(page.get_by_text("bot.py: I see a floe")).to_be_visible()


@pytest.mark.usefixtures("versions")
def test_the_match_of_a_validation_is_shown(browser: Browser, site: str) -> None:
    with tab(browser, site, locale="en") as page:
        open_owners_page(page)
        page.get_by_role("button", name="Show its match").click()

        expect(page.locator(".viewer-place")).to_contain_text("turn")
        expect(page.locator("#viewer")).to_contain_text("bot0")


@pytest.mark.usefixtures("versions")
def test_an_archive_is_downloaded_by_its_owner(browser: Browser, site: str) -> None:
    with tab(browser, site, locale="en") as page:
        open_owners_page(page)
        with page.expect_download() as download:
            page.get_by_role("row").filter(has_text="refused").get_by_role(
                "button", name="Download"
            ).click()

        assert download.value.suggested_filename == "fish-3.zip"
        assert download.value.path().read_bytes() == b"PK 3"


@pytest.mark.usefixtures("versions")
def test_a_page_without_the_key_does_nothing(browser: Browser, site: str, store: Store) -> None:
    with tab(browser, site, locale="en") as page:
        headers = {"origin": site}
        form: dict[str, str | float | bool] = {"key": "guessed", "action": "use", "version": "1"}
        used = page.request.post("/bots/fish", form=form, headers=headers)
        assert "show the token of fish again" in used.text()
        match = page.request.post("/uploads/3/match", form=form, headers=headers)
        archive = page.request.post("/uploads/3/archive", form=form, headers=headers)

    assert [used.status, match.status, archive.status] == [403, 403, 403]
    assert store.uploads.playing()["fish"].version == "2"


@pytest.mark.usefixtures("versions")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: size["width"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_axe_finds_nothing_on_the_owners_page(
    browser: Browser, site: str, size: dict[str, int], language: str
) -> None:
    with tab(browser, site, viewport=size, locale=language) as page:
        page.goto("/bots/fish")
        owner = page.locator("form[method=post]:has(input[name=token])")
        owner.locator("input[name=token]").fill("right")
        owner.get_by_role("button").click()
        expect(page.locator("#uploads")).to_be_visible()
        page.wait_for_load_state("networkidle")
        violations = axe_findings(page)
        width = page.evaluate("document.documentElement.scrollWidth")

    assert violations == []
    assert width <= size["width"]
