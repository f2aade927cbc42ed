"""``polynya trace`` is the rules on standard input and output, to the letter of its description."""

import io
import json
import signal
import subprocess
from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_games import load


def test_each_line_is_answered_before_the_next_is_read(polynya: list[str]) -> None:
    with subprocess.Popen(
        [*polynya, "trace", "packeis", "--players", "2", "--seed", "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.stdin.write(json.dumps({"step": first["legal"][0]}) + "\n")
        second = json.loads(process.stdout.readline())
        process.stdin.write('{"forfeit": 5}\n')
        third = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(120) == 0
    state = load("packeis").setup(2, 3)
    assert first["state"] == state.to_json()
    assert second["state"] == state.apply(first["legal"][0]).to_json()
    assert list(third) == ["error"]


def test_a_closed_standard_input_is_the_end_of_input(polynya: list[str]) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *polynya, "trace", "packeis", "--players", "2"]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (0, 1, b"")


def test_a_reader_that_goes_away_is_no_traceback(polynya: list[str]) -> None:
    with subprocess.Popen(
        [*polynya, "trace", "packeis", "--players", "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"\n" * 100)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(120) == 128 + signal.SIGPIPE  # as a shell says of other programs


def test_trace_imports_only_what_it_needs(polynya: list[str]) -> None:
    heavy = "{'trio', 'sqlalchemy', 'rich', 'polynya_server'}"
    program = (
        "import sys; from polynya_app.application import run; "
        "run(['trace', 'packeis', '--players', '2']); "
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run(
        [polynya[0], "-c", program], stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    assert done.stdout.splitlines()[-1] == b"[]"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["chess", "--players", "2"], "no game 'chess' is installed"),
        (["packeis"], "--players is missing"),
        (["packeis", "--players", "5"], "2 to 4 players"),
        (["packeis", "--players", "2.0"], "a whole number is needed, not '2.0'"),
        (["packeis", "--players", "two"], "a whole number is needed"),
        (["packeis", "--players", "2", "--seed", "-1"], "that is not below 0, not '-1'"),
        (["packeis", "--players", "2", "--seed", str(2**64)], "2**64 - 1"),
        (["packeis", "--players", "2", "--option", "rows"], "is written key=value"),
        (["packeis", "--players", "2", "--option", "tiles=1"], "no option 'tiles'"),
        (["arktia", "--players", "2", *["--option", "tiles=1"] * 2], "given twice"),
        (["packeis", "--players", "2", "--state", "/nowhere"], "cannot be read"),
        (["packeis", "--players", "2", "more"], "unexpected argument 'more'"),
        (["packeis", "--players", "2", "--colour", "red"], "--colour"),
    ],
)
def test_bad_arguments_are_one_sentence_and_status_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["trace", *arguments]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert len(written.err.splitlines()) == 1
    assert sentence in written.err


def state_file(folder: Path, document: object) -> str:
    file = folder / "state.json"
    file.write_text(json.dumps(document))
    return str(file)


def test_a_state_is_where_the_trace_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("packeis")
    start = game.setup(2, 5)
    state = start.apply(start.legal_steps()[0]).to_json()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert run(["trace", "packeis", "--players", "2", "--state", state_file(tmp_path, state)]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == state


@pytest.mark.parametrize("document", [None, [], {"game": "packeis"}])
def test_invalid_state_is_refused(
    document: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = state_file(tmp_path, document)
    assert run(["trace", "packeis", "--players", "2", "--state", file]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("other", [["--seed", "0"], ["--option", "a=1"]])
def test_a_state_excludes_seed_and_options(
    other: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = state_file(tmp_path, load("packeis").setup(2).to_json())
    assert run(["trace", "packeis", "--players", "2", "--state", file, *other]) == 2
    assert "excludes" in capsys.readouterr().err


def test_players_must_agree_with_the_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = state_file(tmp_path, load("packeis").setup(3).to_json())
    assert run(["trace", "packeis", "--players", "2", "--state", file]) == 2
    assert "of 3 players, not of 2" in capsys.readouterr().err


def test_a_state_without_end_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "packeis", "--players", "2", "--state", "/dev/zero"]) == 2
    assert "/dev/zero holds no state: it is longer than" in capsys.readouterr().err
