"""``polynya match`` starts bots from their names or command lines and says how they did."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_app.commands.play.match import configurations
from polynya_common.errors import ConfigurationError
from polynya_contest.config.bot_names import command_words, unique_name
from polynya_contest.config.tournament_configuration import BotConfiguration


def test_a_built_in_name_is_that_bot() -> None:
    assert configurations(["greedy"]) == [BotConfiguration(name="greedy", builtin="greedy")]


def test_a_command_is_named_after_the_file_in_it(tmp_path: Path) -> None:
    file = tmp_path / "my bot.py"
    file.touch()
    assert configurations([f"{sys.executable} '{file}' --fast"]) == [
        BotConfiguration(name="my_bot", command=[sys.executable, str(file), "--fast"])
    ]


def test_a_command_without_a_file_is_named_after_its_program() -> None:
    assert [bot.name for bot in configurations(["/bin/sh -c true"])] == ["sh"]


def test_a_command_that_runs_another_program_is_named_after_that() -> None:
    commands = ["env adapt gtp -- gnugo --mode gtp", "env adapt uci -- stockfish"]
    assert [bot.name for bot in configurations(commands)] == ["gnugo", "stockfish"]


@pytest.mark.parametrize(
    "file", ["bot", "build/bot", "target/release/bot", "dist/bot.js", "src/main.py"]
)
def test_bots_of_two_starter_kits_are_named_after_their_folders(file: str, tmp_path: Path) -> None:
    for kit in ("one", "two"):
        program = tmp_path / kit / file
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    commands = [f"'{tmp_path / kit / file}'" for kit in ("one", "two")]
    assert [bot.name for bot in configurations(commands)] == ["one", "two"]
    through_another = [f"env {command}" for command in commands]
    assert [bot.name for bot in configurations(through_another)] == ["one", "two"]


def test_names_that_are_given_are_those_of_the_first_bots() -> None:
    bots = configurations(["greedy", "random", "random"], names=["random", "Ada"])
    assert [(bot.name, bot.builtin) for bot in bots] == [
        ("random", "greedy"),
        ("Ada", "random"),
        ("random-2", "random"),
    ]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["ada", "ADA"], "'ADA' cannot be the bot's name: another bot is called ada already"),
        (["a b"], "'a b' cannot be the bot's name: a name is 1"),
        (["a", "b", "c"], "--name: 3 names are given to 2 bots"),
    ],
)
def test_names_that_bots_cannot_have_are_refused(names: list[str], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        configurations(["greedy", "random"], names=names)


def test_given_names_are_those_of_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["match", "greedy", "greedy", "--name", "one", "--name", "two", "--json"]
    assert run([*arguments, "--move-ms", "60000"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {bot["name"] for bot in result["bots"]} == {"one", "two"}


def test_a_file_that_may_not_be_executed_is_named_with_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.touch(mode=0o644)
    with pytest.raises(ConfigurationError, match=f"'chmod \\+x {file}' lets it"):
        configurations([str(file)])


def test_the_same_bot_may_play_against_itself() -> None:
    assert [bot.name for bot in configurations(["greedy"] * 3)] == [
        "greedy",
        "greedy-2",
        "greedy-3",
    ]


def test_a_match_of_three_ends_with_the_scores_of_all(polynya: list[str]) -> None:
    arguments = ["match", "greedy", "random", "random", "--games", "2", "--json", "--seed", "5"]
    arguments += ["--move-ms", "60000"]
    done = subprocess.run([*polynya, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert done.stderr.startswith("listening on 127.0.0.1:")
    result = json.loads(done.stdout)
    assert (result["game"], result["seed"], result["complete"]) == ("packeis", 5, True)
    assert result["played"] == 3, "rounded up to one match for each rotation of the seats"
    assert {bot["name"] for bot in result["bots"]} == {"greedy", "random", "random-2"}
    assert sum(bot["points"] for bot in result["bots"]) == 3 * 3
    assert [bot["games"] for bot in result["bots"]] == [3, 3, 3]


def test_a_match_is_repeated_by_its_seed(polynya: list[str]) -> None:
    arguments = ["match", "greedy", "random", "--seed", "7", "--move-ms", "60000", "--json"]
    results = [
        json.loads(subprocess.run([*polynya, *arguments], capture_output=True, timeout=300).stdout)
        for _ in range(2)
    ]
    first, again = results
    assert first == again
    assert first["played"] == 2
    assert first["elo"]["bot"] == first["bots"][0]["name"]
    assert 0 < first["elo"]["superiority"] < 1


def test_a_bot_that_crashes_is_shown_with_its_last_words(
    polynya: list[str], tmp_path: Path
) -> None:
    bot = tmp_path / "crashing.py"
    bot.write_text('raise SystemExit("no \\x1b[31mconfiguration")\n')
    command = [*polynya, "match", "greedy", f"{sys.executable} {bot}", "--logs", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "crashing" in done.stderr
    assert "no ?[31mconfiguration" in done.stderr
    assert "Traceback" not in done.stderr
    assert "configuration" in (tmp_path / "crashing.log").read_text()


def test_last_output_of_a_bot_is_shown_without_log_files(
    polynya: list[str], tmp_path: Path
) -> None:
    bot = tmp_path / "crashing.py"
    bot.write_text('raise SystemExit("no configuration")\n')
    command = [*polynya, "match", "greedy", f"{sys.executable} {bot}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "it wrote last: no configuration" in done.stderr
    assert ".log" not in done.stderr


def test_a_recorded_match_is_rated(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ratings", "--database", str(recorded), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["bot"]: row["games"] for row in rows} == {"greedy": 2, "random": 2}
    assert sum(row["rating"] for row in rows) == pytest.approx(3000)
    assert rows[0]["rating"] >= rows[1]["rating"]


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert unique_name("match", ["match", "match-2"]) == "match-3"


def test_a_sequential_test_ends_with_its_decision(polynya: list[str]) -> None:
    test = ["--sprt", "elo0=0", "elo1=400", "alpha=0.2", "beta=0.2", "--games", "200"]
    clock = ["--move-ms", "60000"]
    command = [*polynya, "match", "greedy", "random", *test, *clock, "--seed", "5", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    result = json.loads(done.stdout)
    assert (done.returncode, result["complete"]) == (0, True)
    found = result["sprt"]
    decision = "H1" if found["llr"] >= found["upper"] else "H0"
    assert found["decision"] == decision
    assert found["llr"] >= found["upper"] or found["llr"] <= found["lower"]
    assert 2 * sum(found["pentanomial"]) == result["played"] < 200
    assert "log-likelihood ratio" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["elo0=0", "elo2=10"], "unknown key elo2; did you mean"),
        (["elo0=10", "elo1=0"], "sprt.elo1: 0 is too low"),
        (["elo0=0"], "the key elo1 is missing"),
        (["elo0"], "--sprt is written key=value"),
    ],
)
def test_a_wrong_test_is_explained(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", "greedy", "random", "--sprt", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("games", "sprt"),
    [("10000001", ()), ("0", ()), ("10000001", ("--sprt", "elo0=0", "elo1=10"))],
)
def test_too_many_games_are_refused_by_the_option_that_asks_for_them(
    capsys: pytest.CaptureFixture[str], games: str, sprt: tuple[str, ...]
) -> None:
    assert run(["match", "random", "random", "--games", games, *sprt]) == 2
    assert f"--games: {games} is not in the range 1 to 10000000" in capsys.readouterr().err


def test_a_program_and_its_script_as_two_bots_are_named_as_forgotten_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "good.py"
    script.touch()
    assert run(["match", "greedy", sys.executable, str(script)]) == 2
    assert f"one bot in quotes, '{sys.executable} {script}'" in capsys.readouterr().err


def test_a_script_with_a_wrong_first_line_is_refused_before_the_start(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_bytes(b"#!/usr/bin/env python3\r\n")
    script.chmod(0o755)
    with pytest.raises(ConfigurationError, match="ends with a carriage return"):
        configurations([str(script)])


def test_script_that_is_not_there_is_refused_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bot.py").touch()
    expected = "'python3 my_bott.py': there is no file my_bott.py; did you mean my_bot.py?"
    with pytest.raises(ConfigurationError) as refused:
        configurations(["python3 my_bott.py"])
    assert expected == str(refused.value)


@pytest.mark.parametrize("command", ["python3 my_bot.py", "python3 -m my_bot", "sh -c 'exit 0'"])
def test_other_commands_of_an_interpreter_are_taken(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_bot.py").touch()
    assert [command_words(command)] == [bot.command for bot in configurations([command])]


def test_a_built_in_bot_of_another_game_is_refused_before_the_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["match", "random", "arktia", "--game", "icecult"]) == 2
    said = "bots[1] (arktia): the built-in bot arktia does not play icecult; it plays arktia"
    assert said in capsys.readouterr().err


def test_a_forfeit_by_time_is_told_with_its_wall_time_and_processor_time(
    polynya: list[str], tmp_path: Path
) -> None:
    bot = tmp_path / "thinker.py"
    bot.write_text(
        "import time, polynya_client\n"
        "begun = time.monotonic()\n"
        "def choose(turn):\n"
        "    while time.monotonic() < begun + 5: pass\n"
        "    return [turn.legal[0]]\n"
        "polynya_client.run(choose, name='thinker', games=['packeis'], wants=['legal'])\n"
    )
    database = ["--database", str(tmp_path / "match.sqlite")]
    match = ["match", "greedy", f"'{sys.executable}' '{bot}'", "--move-ms", "1000", *database]
    done = subprocess.run([*polynya, *match], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    times = r"wall time \d{4,} ms, processor time [1-9]\d* ms"
    told = rf"thinker forfeits (\S+) by timeout: no answer to turn \d+ within 1000 ms \({times}\)"
    found = re.search(told, done.stderr)
    assert found is not None, done.stderr
    show = ["replay", "show", found[1], *database]
    shown = subprocess.run([*polynya, *show], capture_output=True, text=True, timeout=60).stdout
    assert re.search(f"within 1000 ms; {times}", shown)
