"""A server that loses its database alone: with a standby it sends its bots there, else it plays."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

import pytest
from tests.network_link import NetworkLink, network_link
from tests.postgresql import USER, PostgreSQL
from tests.served import Serving, bot, free_ports, serving, started
from tests.tournaments.postgresql.test_standby import check, line_of, two_bots

from polynya_common.database_address import DatabaseUrl

WORDS = ("--move", "60000", "--open-registration")
PATIENCE_S = 120
SIGNS_OF_LIFE = 3


@pytest.fixture
def url(postgresql: PostgreSQL) -> DatabaseUrl:
    return postgresql.new()


def through(link: NetworkLink, url: DatabaseUrl) -> DatabaseUrl:
    """The same database, over the link."""
    return DatabaseUrl(f"postgresql://{USER}@127.0.0.1:{link.port}/{url.name}")


def health(port: int) -> dict[str, Any]:
    """What ``/health`` says; nothing when the server has ended, or ends as it answers."""
    try:
        try:
            answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return dict(json.load(answer))
    except (OSError, HTTPException):
        return {}


@pytest.mark.parametrize("end", [NetworkLink.lose, NetworkLink.cut])
def test_bots_of_a_server_that_is_cut_off_play_on_the_standby(
    polynya: list[str],
    url: DatabaseUrl,
    postgresql: PostgreSQL,
    end: Callable[[NetworkLink], None],
) -> None:
    first_port, second_port, metrics = free_ports(3)
    with (
        network_link(postgresql.folder / ".s.PGSQL.5432") as link,
        serving(
            polynya, through(link, url), *WORDS, "--metrics-port", str(metrics), port=first_port
        ) as first,
        started(polynya, url, *WORDS, "--standby", port=second_port) as process,
        two_bots((first_port, second_port)),
    ):
        assert "standing by: process" in line_of(process)
        first.read_until("a match is over")
        until_seen(postgresql, url)
        began_s = time.monotonic()
        end(link)
        told = set()
        while (found := health(metrics)) != {}:
            told.add(found["status"].rpartition("; ")[2].rpartition(" in ")[0])
            assert time.monotonic() - began_s < PATIENCE_S
        left_s = time.monotonic() - began_s
        assert "another server stands by, and this one stops" in told
        second = Serving(process)
        second.read_until("a match is over")
        played_s = time.monotonic() - began_s
        print(f"left after {left_s:.1f} s, first result after {played_s:.1f} s")
        link.restore()
        link.cut()  # as TCP gives up a connection in which nothing passes
        rest = first.log.read()
        assert "another server stands by, which may have taken over: this one stops" in rest
        assert first.process.wait(PATIENCE_S) == 1
        assert second.stop()[0] == 0
    check(url, postgresql)


def until_seen(postgresql: PostgreSQL, url: DatabaseUrl) -> None:
    """Return when the server that plays has surely been told that another one waits.

    The sign of life that is under way may have looked before the other one waited, and the answer
    to the next one may still be on its way to the server: that has arrived when a third is written.
    """
    seen = "SELECT max(seen_ms) FROM play_sessions"
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"
    end_s = time.monotonic() + PATIENCE_S
    while postgresql.execute(waits, url.name) == [(0,)]:
        assert time.monotonic() < end_s
    for _ in range(SIGNS_OF_LIFE):
        last = postgresql.execute(seen, url.name)
        while postgresql.execute(seen, url.name) == last:
            assert time.monotonic() < end_s


def test_server_that_is_cut_off_plays_on_without_a_standby(
    polynya: list[str], url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    [metrics] = free_ports(1)
    with (
        network_link(postgresql.folder / ".s.PGSQL.5432") as link,
        serving(polynya, through(link, url), *WORDS, "--metrics-port", str(metrics)) as server,
        bot(server.port, "ada"),
        bot(server.port, "bob"),
    ):
        server.read_until("a match is over")
        link.lose()
        began_s = time.monotonic()
        while time.monotonic() - began_s < 20:
            assert "stands by" not in health(metrics)["status"]
        link.restore()
        server.read_until("a match is over")
        assert server.stop()[0] == 0
    check(url, postgresql)
