"""Seeds: the documented derivations, so that anyone can check a published tournament."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from polynya_contest.pairing.schedule import bot_seed, match_seed


def test_a_seed_is_the_documented_hash() -> None:
    text = b"polynya match seed 1\n7\nround_robin/1/1/ann,bob"
    expected = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    assert expected == match_seed(7, "round_robin/1/1/ann,bob")


def test_a_seed_never_changes_between_versions() -> None:
    assert match_seed(0, "") == 0x26FD359B95DD47FF


@given(seed=st.integers(0, 2**64 - 1), block=st.text("abc/,0123", max_size=40))
def test_a_seed_fits_64_bits(seed: int, block: str) -> None:
    assert 0 <= match_seed(seed, block) < 2**64


def test_a_bots_seed_is_the_documented_hash() -> None:
    digest = hashlib.sha256(b"polynya bot seed 2\n7\nann\n1,2").digest()
    assert bot_seed(7, "ann", "1,2") == int.from_bytes(digest[:4], "big") % 2**31


@given(seed=st.integers(0, 2**64 - 1), name=st.text("abcXYZ019_.-", min_size=1, max_size=32))
def test_a_bots_seed_is_an_int_in_every_language(seed: int, name: str) -> None:
    assert 0 <= bot_seed(seed, name, "1") < 2**31
