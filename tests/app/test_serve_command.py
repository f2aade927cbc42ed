"""``polynya serve`` as bots and hosts meet it: real processes over loopback."""

import json
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from tests.served import bot, ladder_of_two, serving

from polynya_app.application import run
from polynya_app.serve_settings import is_loopback


def test_bots_that_connect_are_paired_and_rated(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "ladder.sqlite"
    with ladder_of_two(polynya, database) as server:
        lines = server.read_until("a match is over")
        code, rest = server.stop()
    ended = json.loads(lines[-1])
    assert ended["match"] == "ladder-1"
    assert sorted(ended["ranking"]) == ["ada", "bob"]
    assert (code, "Traceback" in rest) == (0, False)
    assert run(["ratings", "--database", str(database), "--json"]) == 0
    assert {row["bot"] for row in json.loads(capsys.readouterr().out)} == {"ada", "bob"}
    assert run(["replay", "verify", "--all", "--database", str(database)]) == 0


def hello(port: int, name: str, token: str | None = None) -> dict[str, Any]:
    """The server's answer to a hello."""
    frame = msgpack.packb({"type": "hello", "protocol": 1, "name": name, "token": token})
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(len(frame).to_bytes(4, "big") + frame)
        stream = connection.makefile("rb")
        answer = msgpack.unpackb(stream.read(int.from_bytes(stream.read(4), "big")))
    assert isinstance(answer, dict)
    return answer


def test_on_all_addresses_a_new_name_needs_a_token_from_the_host(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "ladder.sqlite"
    assert run(["bots", "add", "ada", "--database", str(database)]) == 0
    token = capsys.readouterr().out.strip()
    with serving(polynya, database, "--host", "0.0.0.0") as server:  # noqa: S104 -- the point of it
        assert hello(server.port, "stranger")["code"] == "unauthorized"
        assert hello(server.port, "ada", token)["bot"] == "ada"


def test_open_registration_on_all_addresses_is_allowed(polynya: list[str], tmp_path: Path) -> None:
    arguments = ["--host", "0.0.0.0", "--open-registration"]  # noqa: S104 -- the point of it
    with serving(polynya, tmp_path / "ladder.sqlite", *arguments) as server:
        assert hello(server.port, "stranger")["bot"] == "stranger"


def test_on_loopback_registration_can_be_closed(polynya: list[str], tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    with serving(polynya, database, "--no-open-registration") as server:
        assert hello(server.port, "stranger")["code"] == "unauthorized"


def test_hang_up_ends_a_server_in_order(polynya: list[str], tmp_path: Path) -> None:
    with serving(polynya, tmp_path / "ladder.sqlite") as server:
        code, rest = server.stop(signal.SIGHUP)
    assert (code, "stopping" in rest) == (0, True)


def test_hang_up_does_not_end_a_server_under_nohup(polynya: list[str], tmp_path: Path) -> None:
    nohup = ["sh", "-c", "trap '' HUP; exec \"$@\"", "nohup"]
    with serving([*nohup, *polynya], tmp_path / "ladder.sqlite") as server:
        server.process.send_signal(signal.SIGHUP)
        assert hello(server.port, "stranger")["bot"] == "stranger"


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 -- what is asked about
        ("::", False),
        ("192.0.2.1", False),
        ("localhost.example.org", False),
    ],
)
def test_loopback_is_where_only_this_machine_connects(host: str, only_here: bool) -> None:
    assert is_loopback(host) == only_here


def test_metrics_are_served_where_the_host_asks_for_them(
    polynya: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "ladder.toml"
    file.write_text("[metrics]\nport = 0\n", encoding="utf-8")
    database = tmp_path / "ladder.sqlite"
    command = [*polynya, "serve", str(file), "--port", "0", "--database", str(database)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = json.loads(process.stderr.readline())["address"]
        with urllib.request.urlopen(f"{address}/metrics", timeout=60) as answer:  # noqa: S310
            assert b"polynya_matches_in_play 0.0" in answer.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0


def test_a_token_is_in_no_log_no_replay_and_not_in_the_database(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "ladder.sqlite"
    tokens = {}
    for name in ("ada", "bob"):
        assert run(["bots", "add", name, "--database", str(database)]) == 0
        tokens[name] = capsys.readouterr().out.strip()
    with serving(polynya, database, "--move", "60000", "--no-open-registration") as server:
        wrong = hello(server.port, "ada", tokens["bob"])
        unknown = hello(server.port, "new", "a" * 43)
        with (
            bot(server.port, "ada", POLYNYA_TOKEN=tokens["ada"]),
            bot(server.port, "bob", POLYNYA_TOKEN=tokens["bob"]),
        ):
            lines = server.read_until("a match is over")
            _, rest = server.stop()
    run(["bots", "list", "--database", str(database), "--json"])
    run(["replay", "export", "--all", "--to", str(tmp_path), "--database", str(database)])
    run(["replay", "show", "ladder-1", "--database", str(database), "--json"])
    told = capsys.readouterr()
    said = f"{wrong}{unknown}{lines}{rest}{told.out}{told.err}".encode()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert [wrong["code"], unknown["code"]] == ["unauthorized", "unauthorized"]
    assert any(path.suffix == ".replay" for path in tmp_path.iterdir())
    for secret in (*tokens.values(), "a" * 43):
        assert secret.encode() not in said
        assert secret.encode() not in kept


def test_an_address_in_use_is_named(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(polynya, tmp_path / "one.sqlite") as server:
        arguments = ["--port", str(server.port), "--database", str(tmp_path / "two.sqlite")]
        assert run(["serve", *arguments]) == 1
        complaint = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1:{server.port}: Address already in use" in complaint
    assert "choose another port" in complaint


def test_a_folder_of_descriptions_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "one.sqlite"
    arguments = ["--tournaments", str(tmp_path / "cups"), "--database", str(database)]
    assert run(["serve", *arguments]) == 2
    assert f"tournaments: there is no folder {tmp_path / 'cups'}" in capsys.readouterr().err
    assert not database.exists()


def test_two_servers_cannot_play_into_one_database(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "one.sqlite"
    with serving(polynya, database):
        assert run(["serve", "--port", "0", "--database", str(database)]) == 1
        assert "another process" in capsys.readouterr().err


def test_the_folder_of_a_mistyped_database_is_not_made(polynya: list[str], tmp_path: Path) -> None:
    database = tmp_path / "no-such-folder" / "x.sqlite"
    command = [*polynya, "serve", "--port", "0", "--database", str(database)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 1
    assert f"there is no folder {database.parent} for the database" in refused.stderr
    assert list(tmp_path.iterdir()) == []
