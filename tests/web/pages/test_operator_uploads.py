"""The operator's pages of uploads: what they show, what is done there, and how they look."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, expect
from tests.scripted.scripted_referee import record_of, setup_of
from tests.tournaments.uploads.upload_contest import contest, pages
from tests.web.axe import axe_findings
from tests.web.browsing import in_a_thread, tab

from polynya_server import encode_replay, hash_token
from polynya_store import Store
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.upload_folder import UploadFolder

TOKEN = "the-operators-own-token"  # noqa: S105
HOSTILE = '<img src=x onerror="document.title=1">'
SIZES = [{"width": 390, "height": 844}, {"width": 1440, "height": 900}]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Versions in every state: 1 to 3 of fish are accepted, refused, disabled; 4 waits."""
    folder = UploadFolder(tmp_path / "uploads")
    folder.prepare()
    with contest(tmp_path) as opened:
        for version in ("1", "2", "3", "4"):
            sha256 = folder.keep(BytesIO(f"PK {version}".encode()))
            upload = opened.uploads.receive(
                "fish", version, HOSTILE[:32], ["packeis"], sha256, 2**20, "192.0.2.1"
            )
            if version in "13":
                opened.uploads.accept(upload.number, version, 3 * 2**20)
        opened.uploads.log(
            2, f"bot.c:3: {HOSTILE}", encode_replay(record_of(setup_of("m-1", "fish", "a"), [1, 2]))
        )
        opened.uploads.refuse(2, f"build[0] ended: {HOSTILE}")
        opened.uploads.disable("fish", "3", "it fills the disk")
        yield opened


def control() -> OperatorControl:
    return OperatorControl(hash_token(TOKEN))


class Operator:
    """A browser's session, without a browser."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def page(self, more: str = "") -> str:
        answer = await self.client.get(f"/operator/uploads{more}")
        assert answer.status_code == 200, answer.text
        return answer.text

    async def do(self, action: str, **fields: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', await self.page())
        assert found is not None
        form = {"csrf": found[1], "action": action, **fields}
        answer = await self.client.post("/operator/uploads", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/operator/uploads")
        return await self.page()


@asynccontextmanager
async def operating(store: Store, folder: Path) -> AsyncIterator[Operator]:
    async with (
        pages(store, folder, control=control()) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        await client.post("/operator/login", data={"token": TOKEN})
        yield Operator(client)


def states(store: Store) -> dict[str, str]:
    return {one.version: one.again or one.state for one in store.uploads.of_bot("fish")}


async def test_versions_the_queue_the_disk_and_the_limits_are_shown(
    store: Store, tmp_path: Path
) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        page = await operator.page()

    for words in ("fish@1", "fish@4", "192.0.2.1", "it fills the disk", "Rebuild all"):
        assert words in page
    assert "All archives have 4.2 MB, all programs 6.3 MB." in page
    assert re.search(r"Uploads of a bot in an hour</th><td class=\"number\">20<", page)
    assert HOSTILE not in page


async def test_list_is_narrowed_to_a_bot(store: Store, tmp_path: Path) -> None:
    store.uploads.receive("cod", "7", "c", ["packeis"], "x")
    async with operating(store, tmp_path / "uploads") as operator:
        page = await operator.page("?name=cod")

    listed = page.partition("Uploaded versions</h2>")[2]
    assert ("cod@7" in listed, "fish@1" in listed) == (True, False)


async def test_version_is_disabled_with_a_reason_and_reinstated(
    store: Store, tmp_path: Path
) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        disabled = await operator.do("disable", number="1", why="it spoils matches")
        assert "fish@1 plays no more." in disabled
        assert store.uploads.get(1).detail == "it spoils matches"
        assert "fish@1 is built again." in await operator.do("rebuild", number="1")

    assert states(store) == {"1": "received", "2": "refused", "3": "disabled", "4": "received"}


async def test_older_version_is_chosen(store: Store, tmp_path: Path) -> None:
    store.uploads.accept(4, "4")
    async with operating(store, tmp_path / "uploads") as operator:
        assert "fish@1 plays from now on." in await operator.do("use", number="1")

    assert store.uploads.playing()["fish"].version == "1"


async def test_all_accepted_versions_are_built_again(store: Store, tmp_path: Path) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        page = await operator.do("rebuild_all")

    assert "1 version is built again." in page
    assert states(store)["1"] == "received"
    assert store.uploads.playing()["fish"].version == "1"


async def test_build_is_cancelled_and_a_version_removed(store: Store, tmp_path: Path) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        assert "The build of fish@4 is cancelled." in await operator.do("cancel", number="4")
        assert "fish@2 is removed." in await operator.do("remove", number="2")

    assert states(store) == {"1": "accepted", "2": "removed", "3": "disabled", "4": "refused"}


@pytest.mark.parametrize(
    ("action", "number", "sentence"),
    [
        ("use", "2", "there is no accepted version 2 of fish"),
        ("cancel", "1", "the upload 1 waits for nothing: it is decided"),
        ("disable", "99", "there is no upload 99"),
    ],
)
async def test_what_cannot_be_done_is_said(
    action: str, number: str, sentence: str, store: Store, tmp_path: Path
) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        assert sentence in await operator.do(action, number=number)


async def test_one_version_is_shown_with_its_log_and_its_archive(
    store: Store, tmp_path: Path
) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        page = await operator.page("/2")
        archive = await operator.client.get("/operator/uploads/2/archive")
        missing = await operator.client.get("/operator/uploads/99")

    assert "bot.c:3: &lt;img" in page
    assert "m-1" in page
    assert (archive.content, archive.headers["cache-control"]) == (b"PK 2", "no-store")
    assert archive.headers["content-disposition"] == 'attachment; filename="fish-2.zip"'
    assert missing.status_code == 404


@pytest.mark.parametrize("path", ["", "/2", "/2/archive"])
async def test_nothing_is_shown_without_a_session(path: str, store: Store, tmp_path: Path) -> None:
    async with (
        pages(store, tmp_path / "uploads", control=control()) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        shown = await client.get(f"/operator/uploads{path}")
        done = await client.post("/operator/uploads", data={"action": "rebuild_all", "csrf": ""})

    assert (shown.status_code, done.status_code) == (401, 401)


async def test_nothing_is_done_without_the_sessions_secret(store: Store, tmp_path: Path) -> None:
    async with operating(store, tmp_path / "uploads") as operator:
        form = {"action": "remove", "number": "1", "csrf": "guessed"}
        answer = await operator.client.post("/operator/uploads", data=form)

    assert (answer.status_code, states(store)["1"]) == (403, "accepted")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size["width"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_axe_finds_nothing_and_the_page_is_no_wider_than_the_window(
    browser: Browser, store: Store, tmp_path: Path, size: dict[str, int], language: str
) -> None:
    opening = partial(pages, store, tmp_path / "uploads", control=control())
    with (
        in_a_thread(opening) as address,
        tab(browser, address, viewport=size, locale=language) as page,
    ):
        page.goto("/operator")
        page.locator("input[name=token]").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".operator-head")).to_be_visible()
        found: list[tuple[object, ...]] = []
        for path in ("/operator/uploads", "/operator/uploads/2"):
            page.goto(path)
            page.wait_for_load_state("networkidle")
            found += [(path, *finding) for finding in axe_findings(page)]
            found += [
                (path, width)
                for width in [page.evaluate("document.documentElement.scrollWidth")]
                if width > size["width"]
            ]
    assert found == []
