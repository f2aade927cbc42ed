"""What tests share: time for examples, a folder for state, databases, and recorded matches."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings
from tests.postgresql import PostgreSQL, postgresql_server
from tests.recorded_matches import MakeRecord, launcher, play_at_random

from polynya_common.database_address import DatabaseAddress
from polynya_server.log import log
from polynya_store import Store, StoreJournal, open_journal

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where bots keep their tokens: not the user's folder, and empty at first."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def programs_heed_hang_ups() -> None:
    """Under ``nohup`` too: a handler, unlike ignoring, is not passed on to started programs."""
    number = getattr(signal, "SIGHUP", None)  # Windows has none
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


@pytest.fixture(autouse=True)
def logs_of_its_own() -> Iterator[None]:
    """Take back what a test configured: pytest closes the stderr that the logger had."""
    yield
    structlog.reset_defaults()
    log.set_up_by(lambda: None, 0)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server for all tests that want one."""
    with postgresql_server() as server:
        yield server


@pytest.fixture
def played() -> MakeRecord:
    """Plays a match at random and gives its record; see ``play_at_random`` for the arguments."""
    return play_at_random


@pytest.fixture
def address(tmp_path: Path, request: pytest.FixtureRequest) -> DatabaseAddress:
    """Where a new store is: a file, or on a server if ``POLYNYA_TEST_DATABASE=postgresql``."""
    if os.environ.get("POLYNYA_TEST_DATABASE") != "postgresql":
        return tmp_path / "polynya.sqlite"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new()


@pytest.fixture
def store(address: DatabaseAddress) -> Iterator[Store]:
    """A new store, opened to be played into."""
    with Store.open(address, for_play=True) as opened:
        yield opened


@pytest.fixture
async def journal(store: Store) -> AsyncIterator[StoreJournal]:
    """The journal of ``store``."""
    async with open_journal(store) as opened:
        yield opened


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, only to be read, with a match of two built-in bots by ``polynya match``."""
    database = tmp_path_factory.mktemp("recorded") / "match.sqlite"
    arguments = ["match", "greedy", "random", "--seed", "7", "--database", str(database)]
    arguments += ["--move-ms", "60000"]
    subprocess.run([*launcher(), *arguments], check=True, capture_output=True, timeout=300)
    return database


@pytest.fixture
def polynya() -> list[str]:
    """The words that start ``polynya`` with this interpreter."""
    return launcher()
