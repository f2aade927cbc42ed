"""The command line of adapters: options of one kind are not for another."""

from __future__ import annotations

import pytest

from polynya_foreign.adapters.command import main


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gtp", "--set", "a=b"], "--set is for uci, not for gtp"),
        (["json", "--template", "bot.toml"], "--template is for lines, not for json"),
        (["lines", "--wants", "moved"], "--wants is for json, not for lines"),
        (["lines"], "the kind lines needs --template FILE"),
        (["lines", "--template", "/no/such"], "/no/such cannot be read"),
        (["uci", "--set", "a"], "an option is NAME=VALUE, not 'a'"),
        (["http"], "cannot be started"),
        (["json"], "/no/such cannot be started"),
    ],
)
def test_wrong_command_is_named(
    words: list[str], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--", "/no/such"]) == 1
    assert sentence in capfd.readouterr().err
