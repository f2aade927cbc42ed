"""Settings of earlier versions that do nothing any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.folders import ROOT

from polynya_app.application import run
from polynya_contest.config.retired_settings import RetiredSettingWarning, without_retired
from polynya_contest.config.toml_files import read_toml
from polynya_contest.config.tournament_checks import load_configuration
from polynya_server import ServerSettings

DEMO = ROOT / "tournaments" / "examples" / "demo.toml"


def test_retired_setting_is_taken_out_with_a_warning_that_says_why() -> None:
    document = {"server": {"private_epoll": True, "lag_ms": 50}, "game": "packeis"}
    with pytest.warns(RetiredSettingWarning) as warned:
        kept = without_retired(document)
    assert kept == {"server": {"lag_ms": 50}, "game": "packeis"}
    sentences = [str(one.message).partition(":")[0] for one in warned]
    assert sentences == ["the setting server.private_epoll does nothing any more"]


def test_document_without_retired_settings_is_kept_as_it_is() -> None:
    document = read_toml(DEMO)
    assert document == without_retired(document)


def test_table_that_is_no_table_is_left_to_the_checks_of_its_reader() -> None:
    assert without_retired({"server": 7}) == {"server": 7}


def test_description_with_a_retired_setting_describes_its_tournament(tmp_path: Path) -> None:
    file = tmp_path / "demo.toml"
    text = DEMO.read_text(encoding="utf-8")
    file.write_text(text + "\n[server]\nprivate_epoll = true\n", encoding="utf-8")
    with pytest.warns(RetiredSettingWarning):
        configuration = load_configuration(file)
    assert configuration.server == ServerSettings()


def test_host_reads_the_warning_of_a_retired_switch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["serve", "--no-private-epoll", "--tournaments", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith(
        "polynya: warning: the setting server.private_epoll does nothing any more"
    )
