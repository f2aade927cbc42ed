"""Game servers note in the database where they are and that they live; readers see who does."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from tests.store.kinds import file_only, postgresql_only

from polynya_common.database_address import DatabaseAddress
from polynya_store import GameServer, Store, game_servers
from polynya_store.game_servers import BEAT_S, MISSED

SERVER = GameServer(
    id="a" * 32,
    host="127.0.0.1",
    port=4242,
    machine="fox",
    certificate=None,
    game="packeis",
    players=2,
    tournament=None,
    live_delay_ms=0,
    began_ms=1,
)
AN_HOUR_MS = 3_600_000
TIME_NS = time.time_ns


def skew(monkeypatch: pytest.MonkeyPatch, by_ms: int) -> None:
    """Let the clock of this machine be wrong."""
    monkeypatch.setattr(time, "time_ns", lambda: TIME_NS() + by_ms * 1_000_000)


def pass_(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let time pass for the reader."""
    now = time.monotonic()
    monkeypatch.setattr(game_servers, "monotonic", lambda: now + seconds)


def test_server_is_listed_until_it_stops(store: Store) -> None:
    servers = store.game_servers
    servers.note(SERVER)
    assert servers.living() == [SERVER]
    servers.forget(SERVER)
    assert servers.living() == []


def test_silent_server_is_gone_after_the_missed_heartbeats(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = store.game_servers
    servers.note(SERVER)
    assert servers.living() == [SERVER]
    pass_(monkeypatch, BEAT_S * MISSED - 1)
    assert servers.living() == [SERVER]
    pass_(monkeypatch, BEAT_S * MISSED + 1)
    assert servers.living() == []


@file_only
@pytest.mark.parametrize("by_ms", [-AN_HOUR_MS, AN_HOUR_MS])
def test_server_is_seen_from_its_next_heartbeat_on_after_the_clock_was_set(
    store: Store, monkeypatch: pytest.MonkeyPatch, by_ms: int
) -> None:
    servers = store.game_servers
    skew(monkeypatch, by_ms)
    servers.note(SERVER)
    skew(monkeypatch, 0)
    assert servers.living() == []
    skew(monkeypatch, by_ms + 1)
    servers.note(SERVER)
    assert servers.living() == [SERVER]


@postgresql_only
@pytest.mark.parametrize("by_ms", [-48 * AN_HOUR_MS, 48 * AN_HOUR_MS])
def test_server_on_a_machine_with_a_wrong_clock_is_seen_and_forgets_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch, by_ms: int
) -> None:
    other = replace(SERVER, id="b" * 32)
    store.game_servers.note(SERVER)
    skew(monkeypatch, by_ms)
    store.game_servers.note(other)
    skew(monkeypatch, 0)
    assert store.game_servers.living() == [SERVER, other]


def test_server_that_shows_matches_later_is_known_for_that_much_longer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = store.game_servers
    later = replace(SERVER, live_delay_ms=60_000)
    servers.note(later)
    assert servers.living() == [later]
    pass_(monkeypatch, 59 + BEAT_S * MISSED)
    assert servers.living() == [later]
    pass_(monkeypatch, 61 + BEAT_S * MISSED)
    assert servers.living() == []


def test_server_on_all_addresses_is_reached_by_the_name_of_its_machine() -> None:
    assert SERVER.address == "127.0.0.1:4242"
    assert replace(SERVER, host="0.0.0.0").address == "fox:4242"  # noqa: S104
    assert replace(SERVER, host="::1").address == "[::1]:4242"


def test_new_database_has_none(address: DatabaseAddress) -> None:
    with Store.open(address, for_play=True) as store:
        assert store.game_servers.living() == []
