"""``polynya check tcp://``: our server meets the protocol, others are found out."""

import contextlib
import re
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from tests.folders import DOCS

from polynya_app.application import run
from polynya_common.errors import RunError
from polynya_conformance.alternative_encodings import framed, plain
from polynya_conformance.requirements import Finding, Verdict
from polynya_conformance.server import session_cases
from polynya_conformance.server.frame_cases import refused_frames
from polynya_conformance.server.probe import NO_GAME, Identity
from polynya_conformance.server.server_check import CASES, UNHURRIED, check_server
from polynya_games import installed
from polynya_server import MemoryJournal, Server, ServerSettings, hash_token, open_server

PROTOCOL = DOCS / "protocol.md"
ADA = Identity("ada", "the token of ada")
NEEDS_A_NAME = {
    "a player with name and token",
    "a wrong token",
    "a registered name without token",
    "a token with an unknown name",
    "a session taken over",
    "a match that this bot never had",
}


@asynccontextmanager
async def served(
    journal: MemoryJournal, *, open_registration: bool = False
) -> AsyncIterator[Server]:
    """A server that does not wait long for a hello."""
    settings = ServerSettings(hello_ms=3_000, open_registration=open_registration)
    async with open_server(settings, journal) as server:
        yield server


def names(findings: list[Finding], verdict: Verdict) -> set[str]:
    return {finding.scenario for finding in findings if finding.verdict is verdict}


async def test_our_server_passes_everything() -> None:
    async with served(MemoryJournal({ADA.name: hash_token(ADA.token)})) as server:
        findings = await check_server(server.host, server.port, ADA)
    assert [f for f in findings if f.verdict is not Verdict.PASS] == []
    assert len(findings) == len(CASES) + 1


async def test_server_may_send_notices() -> None:
    async with served(MemoryJournal({ADA.name: hash_token(ADA.token)})) as server:
        server.set_notice(ADA.name, "game_not_played", "none of its games is played here")
        findings = await check_server(server.host, server.port, ADA)
    assert [f for f in findings if f.verdict is not Verdict.PASS] == []


async def test_open_server_gets_one_new_name() -> None:
    journal = MemoryJournal()
    async with served(journal, open_registration=True) as server:
        findings = await check_server(server.host, server.port)
    assert names(findings, Verdict.PASS) == {case.name for case in (*CASES, UNHURRIED)}
    assert [name.startswith("polynya-check-") for name in journal.token_hashes()] == [True]


async def test_without_a_name_the_rest_is_tried() -> None:
    journal = MemoryJournal({ADA.name: hash_token(ADA.token)})
    async with served(journal) as server:
        findings = await check_server(server.host, server.port)
    assert names(findings, Verdict.FAIL) == set()
    assert names(findings, Verdict.NOT_EXERCISED) == NEEDS_A_NAME
    assert {*journal.token_hashes()} == {ADA.name}


async def _closes_at_once(stream: trio.SocketStream) -> None:
    await stream.aclose()


async def _echoes(stream: trio.SocketStream) -> None:
    with contextlib.suppress(trio.BrokenResourceError):
        async for data in stream:
            await stream.send_all(bytes(data))


async def _answers_as_a_web_server(stream: trio.SocketStream) -> None:
    with contextlib.suppress(trio.BrokenResourceError):
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await stream.aclose()


Handler = Callable[[trio.SocketStream], Awaitable[None]]


def _only_greets(handler: Handler) -> Handler:
    """What answers the first connection with one good frame, and all others otherwise."""
    greeted = False

    async def handle(stream: trio.SocketStream) -> None:
        nonlocal greeted
        if greeted:
            return await handler(stream)
        greeted = True
        refusal = {"type": "error", "code": "server_full", "message": "full", "fatal": True}
        return await stream.send_all(framed(plain(refusal)))

    return handle


@asynccontextmanager
async def answering(handler: Handler) -> AsyncIterator[int]:
    """The port of what handles each connection."""
    async with trio.open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, handler, 0, host="127.0.0.1"))
        yield listener.socket.getsockname()[1]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("handler", [_closes_at_once, _echoes])
async def test_other_server_passes_nothing(
    handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_cases, "HELLO_TIMEOUT_S", 0.5)
    async with answering(_only_greets(handler)) as port:
        findings = await check_server("127.0.0.1", port, ADA)
    assert names(findings, Verdict.PASS) == set()


@pytest.mark.parametrize("identity", [ADA, None])
@pytest.mark.parametrize("handler", [_closes_at_once, _echoes, _answers_as_a_web_server])
async def test_other_kind_of_server_is_one_sentence(
    handler: Handler, identity: Identity | None
) -> None:
    async with answering(handler) as port:
        with pytest.raises(RunError) as refused:
            await check_server("127.0.0.1", port, identity)
    said = f"what answers on 127.0.0.1:{port} is no Polynya server, or asks for TLS"
    assert str(refused.value).startswith(said)


def test_players_of_the_kit_ask_for_no_game_that_there_is() -> None:
    assert ADA.hello()["games"] == [NO_GAME], "so that a ladder pairs nobody with them"
    assert NO_GAME not in installed()


def test_refused_connection_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "tcp://127.0.0.1:1"]) == 1
    assert "cannot connect to 127.0.0.1, port 1" in capsys.readouterr().err


def test_another_program_is_one_sentence_and_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closing = threading.Thread(target=lambda: listener.accept()[0].close())
        closing.start()
        port = listener.getsockname()[1]
        assert run(["check", f"tcp://127.0.0.1:{port}"]) == 1
        closing.join()
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)
    assert "is no Polynya server" in said.err


def test_paragraphs_are_those_of_the_protocol() -> None:
    headings = re.findall(r"^#+ (.+)$", PROTOCOL.read_text("utf-8"), re.MULTILINE)
    assert [case.paragraph for case in (*CASES, UNHURRIED) if case.paragraph not in headings] == []


def test_all_states_of_the_vectors_are_tried() -> None:
    assert {frame.state for frame in refused_frames()} == {
        "awaiting hello",
        "player",
        "spectator",
    }
