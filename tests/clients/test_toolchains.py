"""What becomes of a test whose toolchain is not there."""

from __future__ import annotations

import pytest
from tests.clients import toolchains


def test_missing_toolchain_is_a_skip_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYNYA_REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="not installed: no-such-compiler"):
        toolchains.require("python3", "no-such-compiler")


def test_missing_toolchain_is_a_failure_where_all_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POLYNYA_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="not installed: no-such-compiler"):
        toolchains.require("python3", "no-such-compiler")
