"""Where a database is: paths and URLs told apart, and no password in anything that is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_common.database_address import (
    DatabaseUrl,
    beside,
    database_address,
    resolved_address,
)
from polynya_common.errors import ConfigurationError

SECRET = "s3cr3t"  # noqa: S105
URL = f"postgresql://ann:{SECRET}@db.example:5433/contest?sslmode=require"
SHOWN = "postgresql://ann@db.example:5433/contest?sslmode=require"


@pytest.mark.parametrize("text", ["ladder.sqlite", "./a/b.db", "/x:y/z", "odd name", "C:\\x"])
def test_a_path_is_a_path(text: str) -> None:
    assert database_address(text) == Path(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (URL, SHOWN),
        ("postgres://db.example/contest", "postgresql://db.example/contest"),
        (f"postgresql:///contest?user=ann&password={SECRET}", "postgresql:///contest?user=ann"),
        ("postgresql:///contest?host=/run/pg", "postgresql:///contest?host=/run/pg"),
        (f"postgresql://ann:{SECRET}@a:1,b:2/contest", "postgresql://ann@a:1,b:2/contest"),
        (f"postgresql://ann:[{SECRET}]@[::1]:1/contest", "postgresql://ann@[::1]:1/contest"),
        (f"postgresql://ann:\u2100{SECRET}@a/contest", "postgresql://ann@a/contest"),
        (f"postgresql://ann:{SECRET}?x=y@a/contest", "postgresql://ann@a/contest"),
        (f"postgresql://a/contest?sslpassword={SECRET}", "postgresql://a/contest"),
        (f"postgresql://a/contest?pass%77ord={SECRET}", "postgresql://a/contest"),
    ],
)
def test_a_url_is_shown_without_its_password(text: str, shown: str) -> None:
    address = database_address(text)
    assert str(address) == f"{address}" == shown
    assert SECRET not in repr(address)
    assert isinstance(address, DatabaseUrl)
    assert address.secret == text


@pytest.mark.parametrize(
    "text",
    [
        f"mysql://ann:{SECRET}@db.example/contest",
        f"sqlite:///{SECRET}",
        f"postgresql:/ann:{SECRET}@db.example/contest",
        f"postgresql://ann:a/{SECRET}@db.example/contest",
        f"postgresql://ann:a@{SECRET}@db.example/contest",
        f"postgresql://ann:%{SECRET}@db.example/contest",
        f"postgresql://ann:{SECRET} @db.example/contest",
        f"postgresql://ann:{SECRET}\x1b@db.example/contest",
        f"postgresql://ann:{SECRET}/a?b@db.example/contest",
        f"host=db.example dbname=contest password={SECRET}",
    ],
)
def test_what_cannot_be_read_is_refused_without_its_password(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError) as error:
        database_address(text)
    assert SECRET not in str(error.value)
    assert run(["ratings", "--database", text]) == 2
    told = "".join(capsys.readouterr())
    assert SECRET not in told
    assert str(error.value) in " ".join(told.split())


def test_a_server_that_is_not_there_is_told_without_the_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = f"postgresql://ann:{SECRET}@127.0.0.1:1/contest"
    assert run(["ratings", "--database", url]) == 1
    told = " ".join("".join(capsys.readouterr()).split())
    assert "postgresql://ann@127.0.0.1:1/contest" in told
    assert SECRET not in told


def test_a_description_names_a_url_or_a_path_of_its_folder(tmp_path: Path) -> None:
    assert resolved_address(URL, tmp_path) == URL
    assert resolved_address("x.sqlite", tmp_path) == str(tmp_path / "x.sqlite")


def test_logs_of_a_url_lie_in_the_working_folder_under_its_name(tmp_path: Path) -> None:
    assert beside(DatabaseUrl(URL), "-logs") == Path.cwd() / "contest-logs"
    assert beside(tmp_path / "x.sqlite", "-logs") == tmp_path / "x-logs"
