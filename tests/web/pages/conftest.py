"""Pages of recorded matches, for tests in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio
from tests.web.browsing import pages_in_a_thread
from tests.web.records import fill

from polynya_store import Store


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of pages with some matches of each game."""
    path = tmp_path_factory.mktemp("site") / "polynya.sqlite"
    with Store.open(path, for_play=True) as store:
        trio.run(fill, store)
        with pages_in_a_thread(store) as address:
            yield address
