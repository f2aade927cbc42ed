"""The hosting page has every setting as it is, and every figure that the server tells."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from polynya_server.metrics.prometheus import ServerCollector
from polynya_server.settings import SETTINGS, Setting
from polynya_server.testing import race_host
from polynya_tournaments.cli.flags.setting_flags import default_of
from polynya_tournaments.cli.serve_settings import SERVE_SETTINGS, read_serve_settings

PAGE = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text(encoding="utf-8")
OF_A_STANDING_SERVER = {
    "port": "4242 (0 in a tournament)",
    "open_registration": "on loopback only",
}


@pytest.mark.parametrize("setting", [*SERVE_SETTINGS, *SETTINGS], ids=lambda each: each.name)
def test_every_setting_stands_with_its_default_and_meaning(setting: Setting) -> None:
    default = OF_A_STANDING_SERVER.get(setting.name) or default_of(setting)
    assert f"| `{setting.name}` | {default} | {setting.meaning} |" in PAGE


async def test_the_figures_that_are_explained_are_those_that_are_told() -> None:
    async with race_host() as host:
        families = list(ServerCollector(host.server).collect())
    told = {f"{f.name}_total" if f.type == "counter" else f.name for f in families}
    explained = PAGE.partition("| figure |")[2].partition("The counters begin")[0]
    assert set(re.findall(r"`(polynya_\w+)`", explained)) == told


def test_the_example_of_settings_is_read(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(game = .*?)```", PAGE, re.DOTALL)
    path = tmp_path / "ladder.toml"
    path.write_text(example, encoding="utf-8")
    assert read_serve_settings(path, {}).grace_ms == tomllib.loads(example)["grace_ms"] == 20_000
