"""TOML files as they are read: what is no file of ours is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from polynya_app.serve_settings import read_serve_settings
from polynya_common.errors import ConfigurationError
from polynya_contest.config.toml_files import read_toml
from polynya_contest.config.tournament_checks import load_configuration
from polynya_hosting.bots.versions import BotVersions

DEEP = {
    "lists": "options = { x = " + 1000 * "[" + 1000 * "]" + " }",
    "dotted keys": "options." + ".".join(1000 * "x") + " = 1",
    "a dotted table": "[options." + ".".join(5000 * "x") + "]",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize(
    "read", [load_configuration, BotVersions, lambda path: read_serve_settings(path, {})]
)
def test_a_deeply_nested_file_is_refused_wherever_toml_is_read(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        read(file)


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="/dev/zero is longer than"):
        read_toml(Path("/dev/zero"))


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "marked.toml"
    file.write_bytes(b"\xef\xbb\xbfport = 1\r\n")
    assert read_toml(file) == {"port": 1}
