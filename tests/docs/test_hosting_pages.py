"""The pages for hosts: settings, metrics, the example of a file, the recipe of an evening."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from tests.folders import DOCS, ROOT
from tests.scripted import race_host

from polynya_app.commands.play.serve import database_gauges
from polynya_app.serve_settings import read_serve_settings
from polynya_server.metrics.metrics_http import ServerCollector
from polynya_store import Store

PAGES = DOCS / "hosting"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_tables_of_settings_are_those_that_the_script_writes() -> None:
    command = [sys.executable, str(DOCS / "settings_tables.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_alerts_name_documented_metrics_and_are_rules_of_prometheus() -> None:
    text = (ROOT / "examples/server/alerts.yaml").read_text(encoding="utf-8")
    [group] = yaml.safe_load(text)["groups"]
    explained = re.findall(r"`(polynya_\w+)`", page("operating"))
    named = set(re.findall(r"polynya_\w+", " ".join(rule["expr"] for rule in group["rules"])))
    assert {re.sub(r"_seconds_(count|sum|bucket)$", "_seconds", one) for one in named} <= set(
        explained
    )
    for rule in group["rules"]:
        assert rule.keys() <= {"alert", "expr", "for", "annotations"}
        assert rule["annotations"].keys() == {"summary"}
        assert rule["expr"].count("(") == rule["expr"].count(")")


async def test_documented_metrics_are_the_exported_ones(tmp_path: Path) -> None:
    async with race_host() as host:
        families = list(ServerCollector(host.server).collect())
    told = {f"{f.name}_total" if f.type == "counter" else f.name for f in families}
    with Store.open(tmp_path / "contest.sqlite", create=True) as store:
        told |= {f"polynya_{name}" for name, _, _ in database_gauges(store)}
    explained = page("operating").partition("| figure |")[2].partition("The counters begin")[0]
    assert set(re.findall(r"`(polynya_\w+)`", explained)) == told


def test_the_example_of_settings_is_read(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(game = .*?)```", page("settings"), re.DOTALL)
    path = tmp_path / "ladder.toml"
    path.write_text(example, encoding="utf-8")
    assert read_serve_settings(path, {}).grace_ms == tomllib.loads(example)["grace_ms"] == 20_000


def sections(text: str) -> Mapping[str, str]:
    """The sections of a page by their headings."""
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(section: str) -> str:
    """The commands of a section as a script, without those that install and check the machine."""
    lines = re.findall(r"^    (\S.*)$", section, re.MULTILINE)
    return "\n".join(line for line in lines if not line.startswith(("pip ", "polynya doctor")))


def test_the_recipe_of_an_evening_plays_a_swiss_and_a_final_of_its_best(tmp_path: Path) -> None:
    recipe = sections(page("contest-in-one-evening"))
    for description in re.findall(r"```toml\n(.*?)```", recipe["Prepare"], re.DOTALL):
        name = tomllib.loads(description)["name"]
        free = description.replace("port = 4242", "port = 0")
        (tmp_path / f"{name}.toml").write_text(free, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in ("Prepare", "Rehearse", "Give out tokens"):
        script = ["sh", "-e", "-c", commands(recipe[step])]
        done = subprocess.run(
            script, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
    status = "polynya tournament status final --database rehearsal.sqlite --json"
    table = json.loads(
        subprocess.check_output(
            status.split(), cwd=tmp_path, env=os.environ | {"PATH": path}, text=True
        )
    )
    finalists = (tmp_path / "finalists.txt").read_text(encoding="utf-8").split()
    assert table["over"]
    assert len(finalists) == 8
    assert set(finalists) == set(table["bots"])
    tokens = [line.split() for line in (tmp_path / "tokens.txt").read_text("utf-8").splitlines()]
    assert [name for name, token in tokens if len(token) >= 40] == [
        f"bot{number:02}" for number in range(1, 25)
    ]
