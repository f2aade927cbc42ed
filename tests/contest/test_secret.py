"""Secrets: the documented derivations, so that anyone can check a published tournament."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_contest.pairing.schedule import seed_of_rules_2
from polynya_contest.secret import Secret, ladder_content, tournament_content

KEY = bytes(range(32))
SECRET = Secret(KEY)


def derived(text: str, key: bytes = KEY) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def test_seed_is_the_documented_hmac() -> None:
    expected = int.from_bytes(derived("seed\nround_robin/1/1/ann,bob")[:8], "big")
    assert expected == SECRET.match_seed("round_robin/1/1/ann,bob")


def test_seed_never_changes_between_versions() -> None:
    assert Secret.of_seed(0).match_seed("") == 0x8CE5A788F3B6FC61


def test_bots_dice_follow_from_its_name_and_its_match() -> None:
    for number, text in ((None, "bot\nann\n"), (7, "bot\nann\n7")):
        expected = int.from_bytes(derived(text)[:4], "big") % 2**31
        assert expected == SECRET.bot_seed("ann", number), text


@given(value=st.binary(min_size=32, max_size=32), name=st.text("abcXYZ019_.-", max_size=32))
def test_bots_dice_are_an_int_in_every_language(value: bytes, name: str) -> None:
    assert 0 <= Secret(value).bot_seed(name) < 2**31


def test_lots_follow_from_the_round() -> None:
    assert derived("lots\n3") == SECRET.lots(3)


def test_beacon_changes_the_key() -> None:
    key = derived("beacon\n4 8 15")
    expected = int.from_bytes(derived("seed\nb", key)[:8], "big")
    assert expected == replace(SECRET, beacon="4 8 15").match_seed("b")


def test_commitment_to_a_tournament_is_the_documented_hash() -> None:
    text = (
        f"polynya-secret-1\n{KEY.hex()}\n"
        '{"description":{"game":"nim","rules":3},"field":["bob","ann"]}'
    )
    content = tournament_content({"rules": 3, "game": "nim"}, ["bob", "ann"])
    assert hashlib.sha256(text.encode()).hexdigest() == SECRET.commitment(content)


def test_commitment_to_a_month_of_ladders_is_the_documented_hash() -> None:
    text = f'polynya-secret-1\n{KEY.hex()}\n{{"month":"2026-12"}}'
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert expected == SECRET.commitment(ladder_content("2026-12"))


@given(seed=st.integers(0, 2**64 - 1))
def test_secret_of_a_named_seed_shows_it(seed: int) -> None:
    secret = Secret.of_seed(seed)
    assert bytes(24) + seed.to_bytes(8, "big") == secret.value
    assert secret.named_seed == seed


def test_random_secret_has_no_named_seed() -> None:
    assert Secret.new().named_seed is None
    assert Secret.new() != Secret.new()


@pytest.mark.parametrize("text", ["", "00", "AB" * 32, "ab" * 31, " " + "ab" * 32, "xy" * 32])
def test_text_that_is_no_secret_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        Secret.from_hex(text)


def test_seeds_of_0_3_0_are_as_they_were() -> None:
    text = b"polynya match seed 1\n7\nround_robin/1/1/ann,bob"
    expected = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    assert expected == seed_of_rules_2(7)("round_robin/1/1/ann,bob")
