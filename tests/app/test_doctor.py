"""What the doctor says of a machine, from both sides of each of its bounds."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from polynya_app import diagnostics
from polynya_app.application import run
from polynya_app.diagnostics import Finding, examine

HERE = Path("/srv")


@pytest.mark.parametrize(
    ("finding", "verdict"),
    [
        (diagnostics.python_version((3, 11, 0)), "good"),
        (diagnostics.python_version((3, 10, 14)), "bad"),
        (diagnostics.sqlite_version((3, 35, 0)), "good"),
        (diagnostics.sqlite_version((3, 34, 1)), "bad"),
        (diagnostics.file_descriptors(4096, 4096), "good"),
        (diagnostics.file_descriptors(resource.RLIM_INFINITY, resource.RLIM_INFINITY), "good"),
        (diagnostics.file_descriptors(4095, 4096), "fair"),
        (diagnostics.file_descriptors(256, 4096), "fair"),
        (diagnostics.file_descriptors(255, resource.RLIM_INFINITY), "bad"),
        (diagnostics.processes(256), "good"),
        (diagnostics.processes(255), "fair"),
        (diagnostics.cores(1), "fair"),
        (diagnostics.cores(2), "good"),
        (diagnostics.shared_cores(0, 0.02), "good"),
        (diagnostics.shared_cores(0, None), "good"),
        (diagnostics.shared_cores(2, 0.0), "fair"),
        (diagnostics.shared_cores(0, 0.021), "fair"),
        (diagnostics.governors(frozenset()), "good"),
        (diagnostics.governors(frozenset({"performance"})), "good"),
        (diagnostics.governors(frozenset({"performance", "powersave"})), "fair"),
        (diagnostics.ends_of_bots(True), "good"),
        (diagnostics.ends_of_bots(False), "fair"),
        (diagnostics.clock_source("tsc"), "good"),
        (diagnostics.clock_source("hpet"), "fair"),
        (diagnostics.clock_source(None), "fair"),
        (diagnostics.arrival_times(True), "good"),
        (diagnostics.arrival_times(False), "fair"),
        (diagnostics.swap(1_000_000, 1_000_000 - 99 * 1024), "good"),
        (diagnostics.swap(1_000_000, 1_000_000 - 100 * 1024), "fair"),
        (diagnostics.disk_space(2_000, HERE), "good"),
        (diagnostics.disk_space(1_999, HERE), "fair"),
        (diagnostics.disk_space(200, HERE), "fair"),
        (diagnostics.disk_space(199, HERE), "bad"),
        (diagnostics.judged_sync(20.0, HERE), "good"),
        (diagnostics.judged_sync(20.1, HERE), "fair"),
    ],
)
def test_each_bound_is_judged(finding: Finding, verdict: str) -> None:
    assert finding.verdict == verdict
    assert finding.sentence.endswith(".")


def test_failed_check_says_what_to_do() -> None:
    assert diagnostics.file_descriptors(1024, 524288).sentence == (
        "A process may open 1024 files, and each connection is one: raise the limit with "
        "'ulimit -n' (up to 524288) or LimitNOFILE= in the systemd unit."
    )


def test_a_folder_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    finding = diagnostics.sync_time(tmp_path / "none")
    assert (finding.subject, finding.verdict) == ("disk", "bad")
    assert "cannot be written: No such file or directory" in finding.sentence


def test_the_whole_machine_is_examined_and_nothing_is_left_behind(tmp_path: Path) -> None:
    findings = examine(tmp_path)
    assert len({finding.subject for finding in findings}) == len(findings) == 13
    assert list(tmp_path.iterdir()) == []


def test_the_command_fails_if_and_only_if_something_is_bad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for verdict, code in (("fair", 0), ("bad", 1)):
        finding = diagnostics.cores(1) if verdict == "fair" else diagnostics.disk_space(0, HERE)
        monkeypatch.setattr(
            "polynya_app.commands.inspection.doctor.examine", lambda _, f=finding: [f]
        )
        assert run(["doctor", "--folder", str(tmp_path), "--json"]) == code
        assert [row["verdict"] for row in json.loads(capsys.readouterr().out)] == [verdict]
        assert run(["doctor", "--folder", str(tmp_path)]) == code
        assert finding.sentence in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--folder", "no-such-folder"]) == 2
    assert "there is no folder no-such-folder" in capsys.readouterr().err
