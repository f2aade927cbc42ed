"""Tokens: long enough, kept as hashes only, and never told to anybody."""

from __future__ import annotations

import hashlib

import pytest
import structlog
from tests.scripted import race_host, token

from polynya_server import ServerSettings
from polynya_server.sessions.tokens import Identity, TokenBook, hash_token, new_token


def test_a_token_has_256_bits_and_no_two_are_equal() -> None:
    tokens = {new_token() for _ in range(100)}
    assert {len(token) for token in tokens} == {43}
    assert len(tokens) == 100


def test_tokens_are_stored_as_sha256() -> None:
    assert hash_token("secret") == hashlib.sha256(b"secret").digest()


def test_a_new_token_takes_the_place_of_the_old_one() -> None:
    book = TokenBook()
    book.add("bot", hash_token("old"))
    book.add("bot", hash_token("new"))
    assert (book.proves("old", "bot"), book.proves("new", "bot")) == (None, Identity("bot"))
    assert (book.owner("old"), book.owner("new")) == (None, Identity("bot"))


def test_removed_name_has_no_token() -> None:
    book = TokenBook()
    book.add("bot", hash_token("secret"))
    book.remove("bot")
    assert ("bot" in book, book.owner("secret")) == (False, None)


def test_the_token_of_a_further_process_is_added_to_that_of_the_first() -> None:
    book = TokenBook()
    book.add("bot", hash_token("one"))
    book.add("bot", hash_token("two"), instance=2)
    assert (book.proves("one", "bot"), book.owner("two")) == (Identity("bot"), Identity("bot", 2))


def test_a_new_token_of_the_first_process_replaces_those_of_all() -> None:
    book = TokenBook()
    book.add("bot", hash_token("one"))
    book.add("bot", hash_token("two"), instance=2)
    book.add("bot", hash_token("new"))
    assert (book.owner("one"), book.owner("two")) == (None, None)


async def test_tokens_are_never_logged_or_sent() -> None:
    with structlog.testing.capture_logs() as logs:
        async with race_host("bot", open_registration=True) as host:
            await host.bot("bot")
            registered = await (await host.client()).hello(name="new")
            refused = await (await host.client()).hello(name="bot", token="guess")  # noqa: S106
    assert refused["code"] == "unauthorized"
    for secret in (token("bot"), registered["token"], "guess"):
        assert secret not in repr(logs)
        assert secret not in repr(refused)


@pytest.mark.parametrize("setting", ["heartbeat_ms", "max_frame", "message_burst"])
def test_a_setting_that_means_nothing_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match=setting):
        ServerSettings(**{setting: 0})  # type: ignore[arg-type]


def test_no_lag_and_any_port_are_meaningful() -> None:
    assert ServerSettings(lag_ms=0, port=0).lag_ms == 0
