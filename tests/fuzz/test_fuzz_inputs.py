"""The fuzzers' inputs, without a fuzzer: no input that was ever of interest fails any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.fuzz import fuzz_codec, fuzz_connection, inputs

Target = Callable[[bytes], None]


@pytest.mark.parametrize(
    ("target", "given"),
    [(fuzz_codec.target, inputs.codec), (fuzz_connection.target, inputs.connection)],
)
def test_no_known_input_fails(target: Target, given: Callable[[], list[bytes]]) -> None:
    for data in given():
        target(data)


@pytest.mark.parametrize("target", inputs.TARGETS)
def test_there_are_inputs_that_a_fuzzer_has_found(target: str) -> None:
    assert len(inputs.found(target)) > 0


def test_a_connection_is_opened_at_both_ends_in_all_states() -> None:
    opened = {
        (bool(first & 1), fuzz_connection.opened(first).state.value) for first in inputs.OPENINGS
    }
    assert opened == {
        (False, "awaiting hello"),
        (False, "player joining"),
        (False, "spectator joining"),
        (False, "player"),
        (False, "spectator"),
        (True, "player joining"),
        (True, "spectator joining"),
        (True, "player"),
        (True, "spectator"),
    }


@pytest.mark.parametrize(
    "payload",
    [b"\x81\xa1a\xc4\x01x", b"\x82\xa1a\x01\xa1a\x01", b"\x90", b"\x81\x01\x01", b"\x91" * 20],
)
def test_forbidden_frames_fail_the_check_of_form(payload: bytes) -> None:
    with pytest.raises((AssertionError, ValueError)):
        fuzz_codec.check_form(payload)
