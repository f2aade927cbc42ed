"""``polynya tournament`` plays a description to its end, in two goes too, and shows the table."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest
from tests.descriptions import autumn

from polynya_app.application import run


def described(folder: Path, cycles: int) -> str:
    file = folder / "autumn.toml"
    file.write_text(autumn(cycles))
    return str(file)


def test_the_table_is_all_of_standard_output_and_the_second_run_repeats_it(
    polynya: list[str], tmp_path: Path
) -> None:
    command = [*polynya, "tournament", "run", described(tmp_path, cycles=1), "--json"]
    first = subprocess.run(command, capture_output=True, text=True, timeout=300)
    again = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (first.returncode, again.returncode) == (0, 0)
    table = json.loads(first.stdout)
    assert (table["played"], table["scheduled"], table["complete"]) == (2, 2, True)
    assert "listening on 127.0.0.1:" in first.stderr
    assert "2 of 2 matches" in first.stderr
    assert json.loads(again.stdout) == table
    assert again.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_tournament_can_be_continued(
    number: signal.Signals, polynya: list[str], tmp_path: Path
) -> None:
    description = described(tmp_path, cycles=60)
    command = [*polynya, "tournament", "run", description, "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stderr:
            if " of 120 matches" in line:
                break
        process.send_signal(number)
        said = process.stderr.read()
        table = json.loads(process.stdout.read())
        assert process.wait(120) == 130
    assert "stopping" in said
    assert "Traceback" not in said
    assert 0 < table["played"] < 120
    database = str(tmp_path / "polynya.sqlite")
    for command in (["replay", "verify", "--all"], ["ratings", "recompute", "--check"]):
        assert run([*command, "--database", database]) == 0


def test_tournament_whose_terminal_is_closed_ends_in_order(
    polynya: list[str], tmp_path: Path
) -> None:
    command = [*polynya, "tournament", "run", described(tmp_path, cycles=60)]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(command[0], command)  # noqa: S606 -- our own program
    shown = b""
    while b"/120" not in shown:
        shown += os.read(terminal, 4096)
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 130


def test_the_status_lists_what_a_database_holds(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "status", "--database", str(recorded), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["game"], row["players"], row["played"], row["scheduled"]) == ("packeis", 2, 2, 2)
    assert run(["tournament", "status", row["name"], "--database", str(recorded)]) == 0
    table = capsys.readouterr().out
    assert table.startswith(f"{row['name']}: packeis, 2 players, 2 of 2 matches played\n")
    assert {"greedy", "random"} <= set(table.split())


def test_a_tournament_that_is_not_there_is_named(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "status", "winter", "--database", str(recorded)]) == 1
    assert "holds no tournament winter" in capsys.readouterr().err


def test_a_wrong_key_in_a_description_names_the_right_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('name = "x"\ngame = "packeis"\nclok = { move_ms = 1 }\n')
    assert run(["tournament", "run", str(file)]) == 2
    assert "unknown key clok; did you mean clock?" in capsys.readouterr().err


def test_an_argument_in_place_of_the_descriptions_value_is_checked_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    description = described(tmp_path, cycles=1)
    assert run(["tournament", "run", description, "--port", "70000"]) == 2
    assert "port: 70000 is not in the range" in capsys.readouterr().err


def test_the_databases_folder_is_made_where_the_description_names_it(
    polynya: list[str], tmp_path: Path
) -> None:
    description = Path(described(tmp_path, cycles=1))
    description.write_text('database = "out/cup.sqlite"\n' + description.read_text())
    command = [*polynya, "tournament", "run", str(description)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "cup.sqlite").is_file()


def test_the_folder_of_a_mistyped_database_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "no-such-folder" / "x.sqlite"
    words = ["tournament", "run", described(tmp_path, cycles=1), "--database", str(database)]
    assert run(words) == 1
    assert f"there is no folder {database.parent} for the database" in capsys.readouterr().err
    assert not database.parent.exists()


def test_status_says_why_matches_were_not_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(
        'name = "cup"\ngame = "icecult"\noptions = { turn_limit = 2 }\nrestarts = 0\n'
        'clock = { move_ms = 60_000 }\n[[bots]]\nname = "ann"\nbuiltin = "random"\n'
        '[[bots]]\nname = "bob"\ncommand = ["/bin/sh", "-c", "echo no engine found"]\n',
        encoding="utf-8",
    )
    assert run(["tournament", "run", str(path)]) == 1
    capsys.readouterr()
    database = ["--database", str(tmp_path / "polynya.sqlite")]
    assert run(["tournament", "status", "cup", *database]) == 0
    assert "bot bob ended by itself with exit code 0, in the last of 1 starts" in (
        " ".join(capsys.readouterr().out.split())
    )


def test_tournament_with_a_beacon_is_played_once_its_value_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    description, database = tmp_path / "autumn.toml", str(tmp_path / "autumn.sqlite")
    description.write_text(
        'beacon = "the lottery of 12 December"' + autumn(1).replace("seed = 3", "")
    )
    command = ["tournament", "run", str(description), "--database", database, "--json"]
    assert run(command) == 1
    told = capsys.readouterr().err
    assert run(["tournament", "status", "autumn", "--database", database, "--json"]) == 0
    (secret,) = json.loads(capsys.readouterr().out)["secrets"]
    assert secret["commitment"] in told
    assert secret["secret"] is None
    assert run(["tournament", "beacon", "autumn", "4 8 15", "--database", database]) == 0
    assert run(command) == 0
    capsys.readouterr()
    bundle = str(tmp_path / "autumn.zip")
    assert run(["tournament", "report", "autumn", "--bundle", bundle, "--database", database]) == 0
    assert run(["tournament", "verify", bundle]) == 0
    assert run(["tournament", "status", "autumn", "--database", database, "--json"]) == 0
    captured = capsys.readouterr().out
    assert '"beacon":"4 8 15"' in captured.replace(": ", ":")
