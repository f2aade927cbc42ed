"""How the SDK connects, introduces itself, comes back and leaves, on real sockets."""

from __future__ import annotations

import io
import json
import os
import platform
import signal
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.clients import program_checks

import polynya_client
from polynya_client import Turn

GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]
SECRET = {"token": "secret"}


def play_step(_turn: Turn) -> list[list[Any]]:
    return [STEP]


def test_hello_introduces_the_bot(scripted_server: Any) -> None:
    bot = scripted_server.run(
        play_step, games=["packeis"], wants=["state"], concurrency=3, **SECRET
    )
    peer = scripted_server.accept()
    hello = peer.welcome()
    peer.send(GOODBYE)

    assert bot.result(120) is None
    assert hello == {
        "type": "hello",
        "protocol": 1,
        "name": "ada",
        **SECRET,
        "games": ["packeis"],
        "concurrency": 3,
        "wants": ["state"],
        "software": {
            "name": "polynya-client",
            "language": f"Python {platform.python_version()}",
        },
        "max_frame": 1024 * 1024,
    }


def test_environment_wins_over_arguments(
    scripted_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYNYA_HOST", "127.0.0.1")
    monkeypatch.setenv("POLYNYA_PORT", str(scripted_server.port))
    monkeypatch.setenv("POLYNYA_TOKEN", "of the host")
    monkeypatch.setenv("POLYNYA_NAME", "hosted")
    scripted_server.run(play_step, host="nowhere.invalid", port=1, **SECRET)
    peer = scripted_server.accept()
    hello = peer.welcome()
    peer.send(GOODBYE)

    assert (hello["name"], hello["token"]) == ("hosted", "of the host")


def test_lost_connection_is_taken_up_again(scripted_server: Any) -> None:
    resumed: list[tuple[bool, int]] = []

    def choose(turn: Turn) -> list[list[Any]]:
        resumed.append((turn.match.resumed, turn.number))
        return [STEP]

    bot = scripted_server.run(choose, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.socket.close()

    peer = scripted_server.accept()
    hello = peer.welcome(matches=["m1"])
    peer.send(
        {"type": "match_resume", "match": "m1", "seq": 4, "game": "packeis", "seat": 1,
         "players": [], "options": {}, "clock": {"move_ms": 100}, "state": {},
         "remaining_ms": [None, None]}
    )  # fmt: skip
    peer.ask(seq=5, turn=3)
    assert peer.receive()["turn"] == 3
    peer.send(GOODBYE)
    bot.result(120)

    assert hello.items() >= SECRET.items()
    assert resumed == [(True, 3)]


def test_token_of_a_registration_brings_the_bot_back(scripted_server: Any) -> None:
    scripted_server.run(play_step)
    peer = scripted_server.accept()
    first = peer.welcome(**SECRET)
    peer.socket.close()
    peer = scripted_server.accept()
    second = peer.welcome()
    peer.send(GOODBYE)

    assert "token" not in first
    assert second.items() >= SECRET.items()


def test_bot_comes_back_by_the_name_that_the_server_knows_it_by(scripted_server: Any) -> None:
    scripted_server.run(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.welcome(bot="grace")
    peer.socket.close()
    peer = scripted_server.accept()
    hello = peer.welcome()
    peer.send(GOODBYE)

    assert hello["name"] == "grace"


def test_missing_event_makes_the_bot_connect_again(scripted_server: Any) -> None:
    scripted_server.run(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(seq=2)
    assert peer.ended()

    peer = scripted_server.accept()
    assert peer.welcome()["type"] == "hello"
    peer.send(GOODBYE)


def test_bot_whose_welcome_was_lost_introduces_itself_by_the_same_registration(
    scripted_server: Any,
) -> None:
    scripted_server.run(play_step)
    peer = scripted_server.accept()
    first = peer.receive()
    peer.socket.close()
    peer = scripted_server.accept()
    second = peer.welcome()
    peer.send(GOODBYE)

    assert first["registration"] == second["registration"]
    assert 16 <= len(first["registration"]) <= 64


def test_bot_with_a_token_needs_no_registration(scripted_server: Any) -> None:
    scripted_server.run(play_step, **SECRET)
    peer = scripted_server.accept()
    assert "registration" not in peer.welcome()
    peer.send(GOODBYE)


def test_replaced_bot_does_not_come_back(scripted_server: Any) -> None:
    bot = scripted_server.run(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({"type": "goodbye", "reason": "replaced"})

    with pytest.raises(polynya_client.Replaced):
        bot.result(120)
    assert peer.ended()


def test_frame_that_is_no_message_ends_the_connection(scripted_server: Any) -> None:
    bot = scripted_server.run(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.socket.sendall(b"\xff\xff\xff\xff")

    with pytest.raises(polynya_client.BadFrame, match="4294967295 bytes"):
        bot.result(120)


def test_log_holds_all_messages_but_not_the_token(scripted_server: Any, tmp_path: Path) -> None:
    file = tmp_path / "frames.jsonl"
    bot = scripted_server.run(play_step, **SECRET, log=str(file))
    peer = scripted_server.accept()
    peer.welcome()
    peer.send(GOODBYE)
    bot.result(120)

    entries = [json.loads(line) for line in io.StringIO(file.read_text())]
    assert [(e["bot"], e["direction"], e["message"]["type"]) for e in entries] == [
        ("ada", "sent", "hello"),
        ("ada", "received", "welcome"),
        ("ada", "received", "goodbye"),
    ]
    assert "secret" not in file.read_text()


def test_refused_connection_is_a_sentence(scripted_server: Any) -> None:
    with pytest.raises(polynya_client.ConnectionLost, match="cannot connect to"):
        scripted_server.run(play_step, port=1, reconnect_seconds=0).result(120)


def test_missing_port_is_a_sentence(scripted_server: Any) -> None:
    with pytest.raises(polynya_client.BadSettings, match="set POLYNYA_PORT"):
        scripted_server.run(play_step, port=None).result(120)


@pytest.mark.parametrize("games", [5, b"packeis", ["packeis", 3]])
def test_games_that_are_no_words_are_a_sentence(scripted_server: Any, games: Any) -> None:
    with pytest.raises(polynya_client.BadSettings, match="games is a str or a list of them, not"):
        scripted_server.run(play_step, games=games).result(120)


def test_games_in_one_text_are_split_at_commas(scripted_server: Any) -> None:
    bot = scripted_server.run(play_step, games="packeis, arktia,", **SECRET)
    peer = scripted_server.accept()
    assert peer.welcome()["games"] == ["packeis", "arktia"]
    peer.send(GOODBYE)
    bot.result(120)


def test_interrupted_bot_says_goodbye(scripted_server: Any) -> None:
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import polynya_client; polynya_client.run(lambda turn: [], name='ada')"
    )
    environment = {**os.environ, "POLYNYA_PORT": str(scripted_server.port)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.send({"type": "ping", "nonce": 1})
        peer.receive()
        process.send_signal(signal.SIGINT)

        assert peer.receive() == {"type": "goodbye", "reason": "the bot was interrupted"}
        assert process.wait(120) == 0


def test_package_brings_msgpack_and_nothing_else() -> None:
    program = (
        "import sys; before = set(sys.modules); import polynya_client;"
        "new = [n for n in set(sys.modules) - before if getattr(sys.modules[n], '__file__', 0)];"
        "tops = {name.partition('.')[0] for name in new};"
        "print(*sorted(tops - set(sys.stdlib_module_names)))"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert output.split() == ["msgpack", "polynya_client"]


def test_bot_plays_over_tls(scripted_server: Any) -> None:
    authority, trusting = trustme.CA(), ssl.create_default_context()
    authority.configure_trust(trusting)
    context = program_checks.server_side(authority)
    bot = scripted_server.run(play_step, tls=trusting)
    peer = scripted_server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))
    hello = peer.welcome()
    peer.send(GOODBYE)

    assert bot.result(120) is None
    assert hello["name"] == "ada"


def test_self_signed_certificate_is_refused(scripted_server: Any) -> None:
    context = program_checks.server_side(trustme.CA())
    bot = scripted_server.run(play_step, tls=True, reconnect_seconds=0)
    with pytest.raises(ssl.SSLError):
        scripted_server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))

    with pytest.raises(polynya_client.ConnectionLost, match="CERTIFICATE_VERIFY_FAILED"):
        bot.result(120)
