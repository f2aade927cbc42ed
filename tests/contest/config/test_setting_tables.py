"""Settings in tables: what a file in the flat form before 0.3.0 is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from polynya_app.serve_settings import FLAG_SETTINGS, in_tables, read_serve_settings
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration

CUP = """
name = "cup"
game = "packeis"
clock = { move_ms = 1000 }
bots = [{ name = "one", external = true }, { name = "two", external = true }]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("upload_per_hour = 5", "`upload_per_hour` is `per_hour` in the table [uploads]"),
        ("uploads = 'uploads'", "`uploads` is `folder` in the table [uploads]"),
        ("sandbox = 'bubblewrap'", "`sandbox` is `driver` in the table [sandbox]"),
        ("sandbox_limits = { cores = 2 }", "`sandbox_limits` is `limits` in the table [sandbox]"),
        ("rating = 'elo'", "`rating` is `system` in the table [rating]"),
        ("[anchors]\nann = 1500", "`anchors` is `anchors` in the table [rating]"),
        ("metrics_port = 1", "`metrics_port` is `port` in the table [metrics]"),
        ("tournaments = 'cups'", "`tournaments` is `tournaments` in the table [operator]"),
    ],
)
def test_flat_key_of_a_server_is_refused_with_its_table(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError) as error:
        read_serve_settings(written(tmp_path, text), {})
    assert f"{sentence} since 0.3.0" in str(error.value)


def test_flat_key_of_a_tournament_is_refused_with_its_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as error:
        load_configuration(written(tmp_path, f"{CUP}k_factor = 24"))
    assert "`k_factor` is `k_factor` in the table [rating] since 0.3.0" in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[uploads]\nper_huor = 5", "unknown key uploads.per_huor; did you mean per_hour?"),
        ("[sandbox.limits]\ncors = 5", "unknown key sandbox.limits.cors; did you mean cores?"),
        ("[rating]\nby_name = false", "unknown key rating.by_name"),
        ("[uploads]\nper_hour = 0", "uploads.per_hour: 0 is not in the range 1 to 10000"),
        ("[metrics]\nport = 'x'", "metrics.port: a whole number is needed, not 'x'"),
        ("metrics = 3", "metrics: a table is needed, not 3"),
    ],
)
def test_mistake_in_a_table_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as error:
        read_serve_settings(written(tmp_path, text), {})
    assert sentence in str(error.value)


def test_flags_override_single_settings_of_a_table(tmp_path: Path) -> None:
    file = written(tmp_path, "[uploads]\nfolder = 'uploads'\nper_hour = 5\nper_day = 6")
    settings = read_serve_settings(file, in_tables({"upload_per_hour": 7, "k_first": 64.0}))
    uploads = settings.uploads
    assert (uploads.per_hour, uploads.per_day) == (7, 6)
    assert uploads.folder == str(tmp_path / "uploads")
    assert (settings.rating.k_first, settings.rating.k_factor) == (64, 16)


def test_no_two_settings_share_a_flag() -> None:
    names = [setting.name for setting in FLAG_SETTINGS]
    assert len(set(names)) == len(names)
