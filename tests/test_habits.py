"""The files by which a public host and the maintainers work: valid, and fit for use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.folders import ROOT

GITHUB = ROOT / ".github"

SCHEMAS = [
    ("vendor.github-workflows", "workflows/*.yml"),
    ("custom.github-workflows-require-timeout", "workflows/*.yml"),
    ("vendor.dependabot", "dependabot.yml"),
    ("vendor.github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ("vendor.github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
]
"""A schema that check-jsonschema brings, and the files that it is for."""


@pytest.mark.parametrize(("schema", "files"), SCHEMAS)
def test_files_for_the_public_host_follow_their_schema(schema: str, files: str) -> None:
    check = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema)
    checked = subprocess.run(
        [*check, *sorted(GITHUB.glob(files))], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_actionlint_finds_nothing_in_the_workflows() -> None:
    require("go")
    linter = ("go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
    workflows = map(str, sorted(GITHUB.glob("workflows/*.yml")))
    words = [*linter, "-shellcheck=", "-pyflakes=", *workflows]
    checked = subprocess.run(words, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_changelog_gets_an_entry_with_each_fragment(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "changelog.d", tmp_path / "changelog.d")
    (tmp_path / "changelog.d" / "penguins.added.md").write_text("Penguins dive.\n")
    fragments = list((tmp_path / "changelog.d").glob("*.*.md"))
    texts = [path.read_text(encoding="utf-8").split("\n")[0] for path in fragments]

    words = ("build", "--yes", "--version", "9.0.0", "--date", "2030-01-31", "--dir", tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(
        [sys.executable, "-m", "towncrier", *words], cwd=tmp_path, check=True, capture_output=True
    )

    changelog = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = changelog.split("## 9.0.0 (2030-01-31)\n")[1].split("\n## ")[0]
    assert [text for text in texts if text not in entry] == []
    assert "### Added\n" in entry
    assert [path.name for path in fragments if path.exists()] == []


def test_each_fragment_is_of_a_kind_that_the_changelog_has() -> None:
    kinds = {"added", "changed", "fixed", "removed"}
    wrong = [
        path.name
        for path in (ROOT / "changelog.d").iterdir()
        if path.name not in {"README.md", "template.md.jinja"}
        and (path.name.count(".") != 2 or path.name.split(".")[1] not in kinds)
    ]
    assert wrong == []


def test_lock_files_name_public_hosts_only() -> None:
    hosts = {"https://pypi.org", "https://files.pythonhosted.org"}
    text = (ROOT / "uv.lock").read_text(encoding="utf-8")
    urls = [word.strip('",') for word in text.split() if word.startswith(('"http:', '"https:'))]
    assert urls != []
    assert [url for url in urls if "/".join(url.split("/")[:3]) not in hosts] == []
    assert "://" not in (ROOT / "constraints.txt").read_text(encoding="utf-8")
