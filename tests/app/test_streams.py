"""What commands write costs no result, wherever standard output and error lead."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from polynya_app.console.output import ERRORS, write_table
from polynya_store import Store

COMMAND = [sys.executable, "-c", "from polynya_app import main; main()"]


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_table_is_written_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, errors=ERRORS)
    monkeypatch.setattr(sys, "stdout", stream)
    write_table(["bot", ">Elo"], [["greedy", "\N{INFINITY}"], ["random", "\N{EN DASH}"]])
    stream.flush()
    lines = written.getvalue().decode(encoding).splitlines()
    assert "| greedy | inf |" in lines
    assert "| random |   - |" in lines


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_closed_stream_is_no_place_for_a_database(descriptor: int, tmp_path: Path) -> None:
    database = tmp_path / "db"
    add = [*COMMAND, "bots", "add", "ada", "--database", str(database)]
    process = subprocess.run(
        ["sh", "-c", f'exec "$@" {descriptor}>&-', "sh", *add],
        check=False,
        timeout=60,
        stdout=subprocess.PIPE,
    )
    assert process.returncode == 0
    with Store.open(database) as store:
        assert [row.name for row in store.bots.all()] == ["ada"]


@pytest.mark.parametrize("command", [["--help"], ["match", "--help"], ["games", "list"]])
def test_a_reader_that_has_gone_ends_a_command_quietly(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [*COMMAND, *command], check=False, timeout=60, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (128 + signal.SIGPIPE, b"")


def test_standard_error_without_a_reader_costs_no_command(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    missing = ["bots", "list", "--database", str(tmp_path / "missing")]
    process = subprocess.run([*COMMAND, *missing], check=False, timeout=60, stderr=writer)
    os.close(writer)
    assert process.returncode == 1
