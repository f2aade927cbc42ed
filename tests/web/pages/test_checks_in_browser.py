"""The reader's browser checks secrets and deals against their commitments."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, expect
from tests.evidence.bundles.published import name_of
from tests.evidence.bundles.test_deals import database, example_games
from tests.web.browsing import pages_in_a_thread, tab

from polynya_store import Store, schema

__all__ = ["database", "example_games"]


@pytest.fixture
def copy(database: Path, tmp_path: Path) -> Path:
    """A database whose tournament is over, to change."""
    return Path(shutil.copy(database, tmp_path / "contest.sqlite"))


def alter(path: Path, **values: str) -> None:
    """Change what is recorded of the secret."""
    with Store.open(path, for_play=True) as store, store.database.writing() as connection:
        connection.execute(sa.update(schema.secrets).values(**values))


@contextmanager
def opened(path: Path) -> Iterator[tuple[str, str]]:
    """The address of the pages, and the name of the tournament."""
    with Store.open(path) as store, pages_in_a_thread(store) as address:
        yield address, name_of(store)


def said(browser: Browser, path: Path, page_of: str, script: str = "") -> str:
    """What a check says on the page of the tournament, or of a match."""
    with opened(path) as (address, name), tab(browser, address, locale="en") as page:
        page.add_init_script(script)
        page.goto(page_of.format(name=name))
        for summary in page.locator("summary", has_text="Where set-ups come from").all():
            summary.click()
        check = page.locator("[data-check]")
        if not script:
            check.get_by_role("button", name="Check").click()
        result = check.locator("output")
        expect(result).not_to_be_empty()
        return result.text_content() or ""


TOURNAMENT, MATCH = "/tournaments/{name}", "/matches/{name}-1"


@pytest.mark.parametrize(
    ("page_of", "sentence"),
    [
        (TOURNAMENT, "It holds: the commitment is to this secret"),
        (MATCH, "It holds: the commitment is to this deal, and the deal follows from the secret."),
    ],
)
def test_a_right_secret_holds(browser: Browser, copy: Path, page_of: str, sentence: str) -> None:
    assert sentence in said(browser, copy, page_of)


@pytest.mark.parametrize("page_of", [TOURNAMENT, MATCH])
def test_a_wrong_secret_does_not_hold(browser: Browser, copy: Path, page_of: str) -> None:
    alter(copy, secret="ab" * 32)
    assert "It does not hold" in said(browser, copy, page_of)


def test_deal_of_an_attempt_that_a_crash_ended_follows_from_secret_and_beacon(
    browser: Browser, copy: Path
) -> None:
    alter(copy, beacon="4 8 15 16 23 42")
    matches, replays = schema.matches, schema.replays
    with Store.open(copy, for_play=True) as store, store.database.writing() as connection:
        first = sa.select(sa.func.min(matches.c.id)).scalar_subquery()
        connection.execute(sa.delete(replays).where(replays.c.match_id == first))
        connection.execute(sa.update(matches).where(matches.c.id == first).values(reason="aborted"))
    assert "the deal follows from the secret" in said(browser, copy, MATCH)


@pytest.mark.parametrize("page_of", [TOURNAMENT, MATCH])
def test_page_without_encryption_says_that_it_cannot_be_checked(
    browser: Browser, copy: Path, page_of: str
) -> None:
    """As over plain http from another host, where a browser gives scripts no WebCrypto."""
    without = 'Object.defineProperty(Crypto.prototype, "subtle", { value: undefined });'
    assert "Open it with https" in said(browser, copy, page_of, without)
