"""What the bots of every SDK do alike, as programs against a scripted server on a real socket."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import IO, Any

import pytest
from tests.clients import toolchains

from polynya_protocol.schema import keys_that_may_be_nil

SDKS = {
    sdk["name"]: sdk
    for sdk in (
        tomllib.loads(file.read_text("utf-8"))
        for file in sorted(toolchains.CLIENTS.glob("*/conformance*.toml"))
    )
}
SECONDS = 120
NIL = keys_that_may_be_nil()
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
SECRET = {"POLYNYA_TOKEN": "secret"}
FRESH = {"token": "fresh"}
FINISHED = {"type": "goodbye", "reason": "finished"}

Start = Callable[..., AbstractContextManager[subprocess.Popen[str]]]


@cache
def built(name: str) -> tuple[list[str], Path]:
    """The command of an SDK's random bot, and its folder; it is built once."""
    sdk = SDKS[name]
    folder = toolchains.CLIENTS / sdk.get("folder", name)
    toolchains.require(*sdk.get("needs", []))
    if sdk.get("build"):
        toolchains.run(*sdk["build"], cwd=folder)
    program, *words = sdk["random"]
    return [shutil.which(program, path=PATH) or program, *words], folder


@pytest.fixture(params=SDKS)
def start(request: pytest.FixtureRequest, scripted_server: Any, tmp_path: Path) -> Start:
    """Starts the random bot of an SDK; what it keeps is kept below ``tmp_path``."""
    command, folder = built(request.param)

    @contextmanager
    def started(
        terminal: IO[bytes] | None = None, **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        variables = {
            **os.environ,
            "PATH": PATH,
            "POLYNYA_PORT": str(scripted_server.port),
            "POLYNYA_NAME": "ada",
            "XDG_STATE_HOME": str(tmp_path / "state"),
            **environment,
        }
        with subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=terminal,
            stdout=terminal,
            stderr=subprocess.PIPE if terminal is None else terminal,
            text=True,
        ) as program:
            try:
                yield program
            finally:
                program.kill()

    return started


def ended(program: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code, and what it wrote on standard error."""
    _, said = program.communicate(timeout=SECONDS)
    return program.returncode, said


def test_bot_prints_a_notice_and_goes_on(start: Start, scripted_server: Any) -> None:
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome()
        peer.send({"type": "notice", "code": "not_entered", "message": "ada is no\x1b[2J entrant"})
        peer.send({"type": "notice", "code": "of a later version", "match": None})
        peer.send({"type": "weather", "ice": [{"thin": True}]})
        peer.begin_match()
        peer.send(FINISHED)
        code, said = ended(program)

    assert code == 0
    assert "the server says not_entered: ada is no" in said
    assert "\x1b" not in said


ASKED_FOR = {"turn": {"legal"}, "match_resume": {"seat"}}
"""What may be nil, but not for a player that asked for the legal steps."""


def empty(kind: str, *, absent: bool, **message: Any) -> dict[str, Any]:
    """The message with all its values that may be nil as nil, or with their keys left out."""
    for path in NIL[kind]:
        if path not in ASKED_FOR.get(kind, ()):
            *parents, key = path.replace("[]", ".[]").split(".")
            holders: list[Any] = [message]
            for parent in parents:
                holders = [
                    inner
                    for holder in holders
                    for inner in (holder if parent == "[]" else [holder[parent]])
                ]
            for holder in holders:
                _clear(holder, key, absent=absent)
    return {"type": kind, **message}


def _clear(holder: Any, key: str, *, absent: bool) -> None:
    if key == "[]":
        holder[:] = [None] * len(holder)
    elif absent:
        holder.pop(key, None)
    else:
        holder[key] = None


def test_bot_takes_nil_and_absence_wherever_they_may_be(start: Start, scripted_server: Any) -> None:
    players = [{"seat": 0, "name": "bob"}, {"seat": 1, "name": "ada"}]
    about: dict[str, Any] = {"game": "packeis", "seat": 1, "options": {}, "state": {}}
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome(bot=None, token=None)
        for begin, absent in product(("match_start", "match_resume"), (False, True)):
            match = f"{begin}-{absent}"
            given: dict[str, Any] = {
                "players": deepcopy(players),
                "clock": {},
                "remaining_ms": [1, 1],
            }
            say = partial(empty, absent=absent, match=match)
            peer.send(say(begin, seq=4, **about, **given))
            if begin == "match_start":
                assert peer.receive() == {"type": "ready", "match": match}
            peer.send(say("error", code="late", message="too late", fatal=False))
            peer.send(say("notice", code="resting", message="you rest"))
            moved: dict[str, Any] = {"turn": 1, "seat": 0, "steps": [["place", 1]], "elapsed_ms": 1}
            peer.send(say("moved", seq=5, remaining_ms=[1, 1], **moved))
            peer.send(say("turn", seq=6, turn=2, remaining_ms=60_000, legal=[["place", 2]]))
            answer = move_of(peer, match=match)
            assert (answer["type"], answer["steps"]) == ("move", [["place", 2]])
            peer.send(say("match_over", seq=7, reason="aborted"))
        peer.send(empty("goodbye", absent=True))
        peer.socket.close()
        peer = scripted_server.accept()
        peer.welcome()
        peer.send(FINISHED)
        code, _ = ended(program)

    assert code == 0


def move_of(peer: Any, match: str = "m1") -> dict[str, Any]:
    """The bot's move; the server says that its first step is the whole turn, if it asks."""
    while (answer := peer.receive())["type"] == "steps":
        over = {"legal": [], "turn_over": True}
        peer.send({"type": "legal", "match": match, "turn": answer["turn"], **over})
    return dict(answer)


def test_bot_plays_joint_turns_of_a_match_with_hidden_parts(
    start: Start, scripted_server: Any
) -> None:
    players = [{"seat": seat, "name": name} for seat, name in enumerate(("bob", "ada", "cleo"))]
    hidden = {"view": True, "joint": True, "acting": [0, 1, 2], "commitment": "0" * 64}
    answers = []
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match(
            game="goofspiel", players=players, state={"hand": [1, 2], "hidden": 3}, **hidden
        )
        for seq, turn in ((1, 1), (5, 2)):
            own = [["bid", turn]]
            peer.ask(seq=seq, turn=turn, state={"hand": [turn]}, legal=own)
            answers.append(move_of(peer))
            moved = {
                "type": "moved",
                "match": "m1",
                "turn": turn,
                "elapsed_ms": 1,
                "remaining_ms": [None, None, None],
            }
            last = {"acting": [0, 1, 2] if turn == 1 else [], "seen": [{"lost_to": 3}]}
            peer.send({**moved, "seq": seq + 1, "seat": 0, "steps": None})
            peer.send({**moved, "seq": seq + 2, "seat": 1, "steps": own})
            peer.send({**moved, "seq": seq + 3, "seat": 2, "steps": None, **last})
        result = {"ranking": [1, 2, 3], "scores": [9, 4, 1], "reason": "finished"}
        peer.send({"type": "match_over", "match": "m1", "seq": 9, **result, "deal": "0" * 64})
        peer.send(FINISHED)
        code, said = ended(program)

    assert [(answer["type"], answer["turn"], answer["steps"]) for answer in answers] == [
        ("move", 1, [["bid", 1]]),
        ("move", 2, [["bid", 2]]),
    ]
    assert code == 0
    assert "m1" not in said


def test_bot_comes_back_after_each_end_of_its_connection(
    start: Start, scripted_server: Any
) -> None:
    with start(**SECRET) as program:
        for end in ("lost before the welcome", "shutting_down", "server_full", "lost"):
            peer = scripted_server.accept()
            if end == "server_full":
                peer.receive()
                peer.send({"type": "error", "code": end, "message": "no room", "fatal": True})
            elif end == "shutting_down":
                peer.welcome()
                peer.send({"type": "goodbye", "reason": end})
            elif end == "lost":
                peer.welcome()
            peer.socket.close()
        peer = scripted_server.accept()
        peer.welcome()
        peer.send(FINISHED)
        code, said = ended(program)

    assert code == 0
    assert "finished" in said


def test_bot_leaves_a_server_that_stands_still_for_the_next_address(
    start: Start, scripted_server: Any
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as still:
        still.settimeout(SECONDS)
        hosts = f"127.0.0.1:{still.getsockname()[1]},127.0.0.1:{scripted_server.port}"
        with start(**SECRET, POLYNYA_HOST=hosts) as program:
            connection, _ = still.accept()
            began = time.monotonic()
            with connection:
                peer = scripted_server.accept()
                waited = time.monotonic() - began
            peer.welcome()
            peer.send(FINISHED)
            code, _ = ended(program)

    assert waited < 30  # three, where nothing else runs
    assert code == 0


def test_bot_at_a_terminal_says_that_it_is_connected(start: Start, scripted_server: Any) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as shown:
        with (
            os.fdopen(follower, "wb", buffering=0) as terminal,
            start(terminal, **SECRET) as program,
        ):
            peer = scripted_server.accept()
            peer.welcome(bot="ben")
            peer.send(FINISHED)
            assert program.wait(SECONDS) == 0
        assert "connected as ben; waiting for a match" in shown.read(4_096).decode()


def test_bot_into_a_log_says_nothing_of_it(start: Start, scripted_server: Any) -> None:
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome(bot="ben")
        peer.send(FINISHED)
        code, said = ended(program)

    assert code == 0
    assert "connected as" not in said


def test_bot_that_is_replaced_ends_with_an_exit_code_of_its_own(
    start: Start, scripted_server: Any
) -> None:
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome()
        peer.send({"type": "goodbye", "reason": "replaced"})
        code, said = ended(program)

    assert code == 76
    assert "replaced" in said


def test_bot_gives_up_when_its_time_is_over(start: Start) -> None:
    with start(**SECRET, POLYNYA_PORT="1", POLYNYA_RECONNECT="0.2") as program:
        code, said = ended(program)

    assert code == 75
    assert "gave up" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_bot_that_is_stopped_says_goodbye(
    number: signal.Signals, start: Start, scripted_server: Any
) -> None:
    with start(**SECRET) as program:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        program.send_signal(number)
        assert peer.receive() == {"type": "goodbye", "reason": "the bot was interrupted"}
        assert ended(program)[0] == 0


def test_bot_keeps_the_token_of_its_registration(
    start: Start, scripted_server: Any, tmp_path: Path
) -> None:
    hellos = []
    for _ in range(2):
        with start() as program:
            lost = scripted_server.accept()
            hellos.append(lost.receive())
            lost.socket.close()
            peer = scripted_server.accept()
            hellos.append(peer.welcome(**FRESH))
            peer.send(FINISHED)
            assert ended(program)[0] == 0

    (file,) = (tmp_path / "state" / "polynya" / "tokens").iterdir()
    assert file.name == f"127.0.0.1_{scripted_server.port}_ada"
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("fresh\n", 0o600)
    assert [hello.get("token") for hello in hellos] == [None, None, "fresh", "fresh"]
    assert hellos[0]["registration"] == hellos[1]["registration"]
    assert 16 <= len(hellos[0]["registration"]) <= 64
