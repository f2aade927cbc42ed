"""The settings of a standing server: a file, flags that win over it, and what a mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_app.serve_settings import SERVE_SETTINGS, is_loopback, read_serve_settings
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.settings import SETTINGS

GOOD = """
game = "icecult"
players = 3
database = "data/ladder.sqlite"
clock = { move_ms = 1000 }

[options]
turn_limit = 40

[server]
host = "0.0.0.0"
hello_ms = 1234
tls_cert = "cert.pem"
tls_key = "/etc/key.pem"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "ladder.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    settings = read_serve_settings(written(tmp_path, GOOD), {})
    server = settings.make_server_settings()
    assert (settings.game, settings.players, settings.grace_ms) == ("icecult", 3, 5000)
    assert (settings.clock, settings.options) == (Clock(move_ms=1000), {"turn_limit": 40})
    assert (server.hello_ms, server.port, server.ready_ms) == (1234, 4242, 10_000)


def test_relative_paths_are_those_of_the_file(tmp_path: Path) -> None:
    settings = read_serve_settings(written(tmp_path, GOOD), {})
    server = settings.make_server_settings()
    assert settings.database == str(tmp_path / "data/ladder.sqlite")
    assert (server.tls_cert, server.tls_key) == (str(tmp_path / "cert.pem"), "/etc/key.pem")


def test_words_of_the_command_line_win_one_by_one(tmp_path: Path) -> None:
    words = {"players": 2, "server": {"hello_ms": 7}, "options": {"turn_limit": 41}}
    settings = read_serve_settings(written(tmp_path, GOOD), words)
    assert (settings.game, settings.players) == ("icecult", 2)
    server = settings.make_server_settings()
    assert (server.hello_ms, server.host) == (7, "0.0.0.0")  # noqa: S104
    assert settings.options == {"turn_limit": 41}


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 -- what is asked about
def test_registration_is_open_by_default_on_loopback_only(host: str) -> None:
    settings = read_serve_settings(None, {"server": {"host": host}})
    assert settings.make_server_settings().open_registration == is_loopback(host)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gmae = 'packeis'", "unknown key gmae; did you mean game?"),
        ("[server]\nhelo_ms = 1", "unknown key server.helo_ms; did you mean hello_ms?"),
        ("clock = { moove_ms = 1 }", "unknown key clock.moove_ms; did you mean move_ms?"),
        ("players = 17", "players: 17 is not in the range 2 to 16"),
        ("[server]\nhello_ms = 0", "server.hello_ms: 0 is not in the range 1 to 1000000000000"),
        ("clock = { move_ms = 0 }", "clock.move_ms: 0 is not in the range 1 to 1000000000000"),
        (f"seed = {2**64}", f"seed: {2**64} is not in the range 0 to {2**64 - 1}"),
        (f"pace_ms = {2**70}", f"pace_ms: {2**70} is not in the range 0 to 1000000000000"),
        ("[server]\nport = 70000", "server.port: 70000 is not in the range 0 to 65535"),
        ("[server]\nhello_ms = 'soon'", "server.hello_ms: a whole number is needed, not 'soon'"),
        ("[server]\ntls_cert = 'x'", "server: tls_cert and tls_key are given together, or neither"),
        (
            "[[bots]]\nname = 'ann'",
            "it describes a tournament, which 'polynya tournament run' plays; "
            "bots come to a standing server by themselves",
        ),
        (
            "[uploads]\nmirrors = ['http://a.b']",
            "uploads.mirrors: http://a.b: it is no host; write "
            "'registry.example', 'registry.example:8443', or with a private address "
            "'registry.example=10.0.0.5'",
        ),
        (
            "[sandbox]\ndriver = 'command'\ncommand = ['firejail', '{command}']\n"
            "[uploads]\nmirrors = ['pypi.org']",
            "uploads.mirrors: builds reach mirrors in bubblewrap, or by a sandbox.command with "
            "'{guard}', and not in this sandbox, command",
        ),
        ("server = 3", "server: a table is needed, not 3"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as refused:
        read_serve_settings(path, {})
    assert str(refused.value) == f"{path}: {sentence}"


def test_the_help_page_has_every_setting_with_its_default_and_unit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    assert run(["serve", "--help"]) == 0
    page = capsys.readouterr().out
    for setting in (*SERVE_SETTINGS, *SETTINGS):
        assert f"--{setting.name.replace('_', '-')} " in page
        assert setting.meaning in page
    assert "[default: 5000 ms]" in page
    assert "[default: 65536 bytes]" in page


def test_a_flag_out_of_range_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--hello-ms", "0"]) == 2
    assert "hello_ms: 0 is not in the range 1 to 1000000000000" in capsys.readouterr().err


def test_an_option_that_no_message_can_carry_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    option = "round_limit=18446744073709551616"
    assert run(["serve", "--game", "arktia", "--option", option]) == 2
    assert "the options of Arktia have an integer that no message" in capsys.readouterr().err


def test_every_setting_of_the_server_has_a_sentence_and_its_numbers_a_range() -> None:
    assert [setting.name for setting in SETTINGS] == list(ServerSettings.__struct_fields__)
    for setting in SETTINGS:
        assert setting.meaning.endswith(".")
        assert (setting.range is not None) == (setting.kind is int)


CUP = """
name = "cup"
game = "packeis"
clock = { move_ms = 1000 }
bots = [{ name = "one", external = true }, { name = "two", BOT }]

[server]
"""


def test_a_tournament_takes_the_same_table(tmp_path: Path) -> None:
    text = (
        CUP.replace("BOT", "external = true") + "reconnect_ms = 99\ntls_cert = 'c'\ntls_key = 'k'"
    )
    server = load_configuration(written(tmp_path, text)).server
    assert (server.reconnect_ms, server.tls_cert) == (99, str(tmp_path / "c"))


@pytest.mark.parametrize(
    ("bot", "line", "sentence"),
    [
        ("external = true", "reconect_ms = 1", "did you mean reconnect_ms?"),
        ("external = true", "port = 1", "server.port: in a tournament, port stands above"),
        ("builtin = 'random'", "tls_cert = 'c'\ntls_key = 'k'", "connect without TLS"),
    ],
)
def test_a_mistake_in_the_table_of_a_tournament_is_named(
    tmp_path: Path, bot: str, line: str, sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        load_configuration(written(tmp_path, CUP.replace("BOT", bot) + line))


def test_a_certificate_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--tls-cert", "no.pem", "--tls-key", "no.pem", "--port", "0"]
    assert run(["serve", *words, "--database", str(tmp_path / "x.sqlite")]) == 2
    assert "the TLS file no.pem cannot be read" in capsys.readouterr().err
