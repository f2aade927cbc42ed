"""Handing in a program on a bot's page, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.tournaments.uploads.handing_in import contest, pages
from tests.web.browsing import in_a_thread, tab

from polynya_tournaments.bots.templates import write_kit
from polynya_tournaments.store import Store
from polynya_tournaments.uploads.packing import pack
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.unpacking import Limits
from polynya_tournaments.uploads.upload_folder import UploadFolder


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


def test_a_version_is_handed_in_and_followed(
    browser: Browser, site: str, store: Store, archive: Path
) -> None:
    with tab(browser, site, locale="en") as page:
        page.goto("/bots/fish")
        form = page.locator("form[data-upload]")
        form.get_by_label("Token").fill("right")
        form.get_by_label("Archive").set_input_files(archive)
        form.get_by_role("button", name="Hand in").click()
        expect(form.get_by_role("status")).to_have_text("fish@0.1: waits")

        (upload,) = store.uploads.undecided()
        store.uploads.refuse(upload.number, "packeis: it forfeited by timeout")

        said = "fish@0.1: refused: packeis: it forfeited by timeout"
        expect(form.get_by_role("status")).to_have_text(said)


def test_a_wrong_token_is_said(browser: Browser, site: str, archive: Path) -> None:
    with tab(browser, site, locale="en") as page:
        page.goto("/bots/fish")
        form = page.locator("form[data-upload]")
        form.get_by_label("Token").fill("wrong")
        form.get_by_label("Archive").set_input_files(archive)
        form.get_by_role("button", name="Hand in").click()

        expect(form.get_by_role("status")).to_have_text("this is not the token of fish")


def test_the_owner_sees_why_a_version_was_refused(
    browser: Browser, site: str, store: Store, archive: Path, tmp_path: Path
) -> None:
    with archive.open("rb") as opened:
        upload = Reception(store, UploadFolder(tmp_path / "other"), Limits()).receive(
            "fish", opened
        )
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
