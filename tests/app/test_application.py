"""The command line as a newcomer meets it: help pages, mistakes, exit codes."""

import importlib.metadata
import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from polynya_app import application, main
from polynya_app.application import run
from polynya_app.command_tree import app
from polynya_common.errors import ConfigurationError, RunError
from polynya_contest.config.builtin_bots import builtin_names


def commands(group: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of all commands below a group."""
    for name in group:
        if not name.startswith("-"):
            here = (*path, name)
            yield from [here] if group[name].default_command else commands(group[name], here)


ALL = list(commands(app))


def test_every_command_explains_itself_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ALL:
        assert run([*command, "--help"]) == 0, command
        page = capsys.readouterr().out
        assert f"Usage: polynya {' '.join(command)}" in page
        assert f"  polynya {command[0]}" in page.partition("Examples:")[2], command


def test_texts_and_examples_of_all_pages_fit_80_columns_as_they_stand() -> None:
    groups = {command[:1] for command in ALL}
    for path in [(), *sorted(groups), *ALL]:
        group = app
        for word in path:
            group = group[word]
        command = group.default_command
        text = inspect.getdoc(command) if command else group.help
        page = f"{(text or '').partition('Args:')[0]}\n{group.help_epilogue or ''}"
        assert [line for line in page.splitlines() if len(line) > 80] == [], path


def test_the_first_page_lists_all_commands_with_what_they_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--help"]) == 0
    page = capsys.readouterr().out
    lines = [line.strip("│ ").split(maxsplit=1) for line in page.splitlines() if "│" in line]
    described = {line[0] for line in lines if len(line) == 2}
    assert {command[0] for command in ALL} <= described


def test_the_page_of_match_names_all_built_in_bots(capsys: pytest.CaptureFixture[str]) -> None:
    run(["match", "--help"])
    built_in = capsys.readouterr().out.partition("Built in are")[2]
    assert [name for name in builtin_names() if name not in built_in] == []


def test_version_says_whether_it_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    source = importlib.util.find_spec("polynya_protocol.connection")
    assert source is not None
    how = "interpreted" if str(source.origin).endswith(".py") else "compiled"

    assert run(["--version"]) == 0

    assert f"polynya {importlib.metadata.version('polynya')} ({how})\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mach"], 'Did you mean "match"?'),
        (["replay", "shaw"], 'Did you mean "show"?'),
        (["match", "greedy", "random", "--gams", "3"], "Did you mean --games?"),
        (["replay", "show"], "MATCH is missing; 'polynya replay show --help' lists"),
        (
            ["bots", "suspend", "ada", "--why", "-x"],
            "--why has no value; write a value that begins with a dash as --why=-VALUE;",
        ),
        (
            ["match", "greedy", "random", "--name", "-x"],
            "--name has no value; write a value that begins with a dash as --name=-VALUE;",
        ),
        (
            ["replay", "show", "-m"],
            "unknown option -m; write an argument that begins with a dash last, after --;",
        ),
        (["check", "--bot", "random", "--at-once", "0"], "--at-once: 0 is not in the range 1 to"),
        (
            ["match", "greedy", "random", "--dask", "local", "--workers", "0"],
            "dask.workers: 0 is not in the range 1 to",
        ),
        (["match", "greedy", "random", "--dask", "tcp://a:70000"], "'tcp://a:70000' is neither"),
        (["match", "greedy", "random", "--dask", "tcp://a"], "'tcp://a' is neither 'local' nor"),
        (
            ["match", "greedy", "random", "--dask", "tcp://a:1", "--workers", "3"],
            "--workers 3 needs --dask local",
        ),
        (["check", "--bot", "random", "--move-ms", "0"], "--move-ms: 0 is not in the range 1 to"),
        (["games", "check", "packeis", "--matches", "0"], "--matches: 0 is not in the range 1 to"),
        (["new-bot"], "--folder is missing; 'polynya new-bot --help' lists"),
        (["replay", "export", "m", "--text", "--html"], "give --text or --html, not both"),
        (["bots", "revoke"], "NAME is missing; 'polynya bots revoke --help' lists"),
        (["tournament", "run", "no-such-file.toml"], "no-such-file.toml cannot be read"),
        (["replay", "export", "--to", "x"], "name the matches to export, or give --all"),
        (["replay", "verify"], "name the replay files to verify, or give --all"),
        (["match", "greedy"], "a match is for 2 to 16 bots, not 1"),
        (["match", "greedy", "gredy"], "'gredy' is neither a built-in bot nor a command"),
        (["match", "greedy", "'"], "is no command line"),
        (
            ["match", "greedy", "random", "--games", "0"],
            "--games: 0 is not in the range 1 to 10000000",
        ),
        (["match", "greedy", "random", "--move-ms", "0"], "a clock needs"),
        (["match", "greedy", "random", "--game", "chess"], "no game 'chess' is installed"),
        (["serve", "--port", "65536"], "port: 65536 is not in the range 0 to 65535"),
        (["serve", "--option", "a=1"], "no option 'a'"),
        (["serve", "--game", "chess"], "no game 'chess' is installed"),
        (["bots", "add", "no name"], "'no name' cannot be a new name"),
    ],
)
def test_bad_arguments_are_one_sentence_and_exit_code_2(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # whatever database lies here
    assert run(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert len(written.err.splitlines()) == 1
    assert sentence in written.err


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (ConfigurationError("a wrong key"), 2, "polynya: a wrong key\n"),
        (RunError("no bot\nlast words"), 1, "polynya: no bot\nlast words\n"),
        (RunError("\x1b[2Jgone"), 1, "polynya: ?[2Jgone\n"),
        (PermissionError(13, "Permission denied"), 1, "polynya: Permission denied\n"),
        (KeyboardInterrupt(), 130, "polynya: interrupted\n"),
        (BaseExceptionGroup("tasks", [KeyboardInterrupt()]), 130, "polynya: interrupted\n"),
    ],
)
def test_exit_code_follows_from_the_error(
    raised: BaseException,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(application, "with_defaults", failing)
    assert run(["games", "list"]) == code
    assert capsys.readouterr().err == told


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(application, "with_defaults", failing)
    with pytest.raises(ZeroDivisionError):
        run(["games", "list"])


def test_a_module_that_is_not_installed_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'openskill'", name="openskill")

    monkeypatch.setattr(application, "with_defaults", failing)
    with pytest.raises(SystemExit, match=r"polynya: .* module 'openskill' is not installed; in a"):
        main()


def test_a_module_of_our_own_that_is_missing_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'polynya_x'", name="polynya_x")

    monkeypatch.setattr(application, "with_defaults", failing)
    with pytest.raises(ModuleNotFoundError):
        main()


def test_the_page_of_ratings_says_how_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ratings", "--help"]) == 0
    assert "polynya ratings --database FILE" in " ".join(capsys.readouterr().out.split())


def test_the_schema_is_that_of_the_messages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocol", "schema"]) == 0
    assert '"match_start"' in capsys.readouterr().out
