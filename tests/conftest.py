"""What all tests have: examples for as long as they take, and a PostgreSQL server."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from tests.postgresql import PostgreSQL, postgresql_server

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server for all tests that want one."""
    with postgresql_server() as server:
        yield server
