"""What a command says where the packages of an extra are missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_common import extras
from polynya_common.errors import TournamentError
from polynya_common.extras import missing_package, require_packages

BUNDLE = Path(__file__).parents[1] / "fixtures" / "v0_3_0" / "swiss.zip"

SWISS = """
name = "cup"
game = "packeis"
clock = { move_ms = 1000 }
format = "swiss"
[swiss]
rounds = 1
[[bots]]
name = "one"
builtin = "random"
[[bots]]
name = "two"
builtin = "random"
"""


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let imports of a package fail as they do where it is not installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


def test_a_missing_package_is_named_with_what_to_do_and_without_a_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without("numpy", monkeypatch)
    with pytest.raises(TournamentError) as refused:
        require_packages("PIL", "numpy")
    assert str(refused.value) == (
        "a report needs numpy, which is not installed: "
        "python -m pip install --editable '.[report]' in your checkout, by its Python"
    )


def test_an_installation_without_a_checkout_gets_the_extra_of_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    assert extras.how_to_install("rl") == (
        "python -m pip install 'polynya[rl]', by the Python that runs polynya"
    )


def test_a_module_of_no_extra_is_a_bug_and_not_a_missing_package() -> None:
    assert missing_package(ModuleNotFoundError("no module", name="polynya_server.gone")) is None


@pytest.mark.parametrize(
    ("package", "extra", "words"),
    [
        ("starlette", "web", ["serve", "--web-port", "0", "--port", "0", "--database", "x.sqlite"]),
        ("prometheus_client", "web", ["serve", "--metrics-port", "0", "--port", "0"]),
        ("hypercorn", "web", ["web", "--database", "x.sqlite"]),
        ("py4swiss", "swiss", ["tournament", "run", "swiss.toml", "--database", "x.sqlite"]),
        ("cryptography", "proof", ["tournament", "keygen", "--key", "x.key"]),
    ],
)
def test_a_command_says_which_extra_it_needs(
    package: str,
    extra: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swiss.toml").write_text(SWISS, encoding="utf-8")
    assert run(["bots", "add", "one", "--database", "x.sqlite"]) == 0
    without(package, monkeypatch)
    assert run(words) == 1
    assert f"'.[{extra}]'" in capsys.readouterr().err


def test_module_that_is_missing_in_the_middle_of_a_command_is_named_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without("py4swiss", monkeypatch)
    assert run(["tournament", "verify", str(BUNDLE)]) == 1
    assert "'.[swiss]'" in capsys.readouterr().err


def test_every_group_of_commands_shows_its_help_without_the_extras(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("cryptography", "hypercorn", "jinja2", "py4swiss", "starlette"):
        without(package, monkeypatch)
    assert run(["tournament", "--help"]) == 0
    assert "verify" in capsys.readouterr().out
