"""What a bot that is a program has to do, whatever its language: whole matches, TLS, Ctrl-C."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.clients.matches import HIDDEN_OR_JOINT, forfeits, play

_SECONDS = 120


async def plays_whole_matches(random: Sequence[str], greedy: Sequence[str]) -> None:
    """The random bot plays every kind of turn, the greedy one Packeis: no bot forfeits."""
    for game, options in (("arktia", {}), ("icecult", {"turn_limit": 20}), *HIDDEN_OR_JOINT):
        record = await play({"one": random, "two": random}, game, **options)
        assert (record.reason, forfeits(record)) == ("finished", [])
    record = await play({"greedy": greedy, "random": random}, "packeis")
    assert (record.reason, forfeits(record)) == ("finished", [])


def start(command: Sequence[str], server: Any, **environment: str) -> subprocess.Popen[str]:
    """The program, told to connect to a scripted server."""
    variables = {"POLYNYA_PORT": str(server.port), "POLYNYA_NAME": "ada", **environment}
    return subprocess.Popen(
        command, env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True
    )


def server_side(authority: trustme.CA, host: str = "127.0.0.1") -> ssl.SSLContext:
    """A server's side of TLS, with a certificate of this authority for the host."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(host).configure_cert(context)
    return context


def talks_over_tls(command: Sequence[str], server: Any, folder: Path) -> None:
    """With ``POLYNYA_TLS=1`` the bot trusts what ``SSL_CERT_FILE`` holds."""
    authority, trusted = trustme.CA(), folder / "authority.pem"
    authority.cert_pem.write_to_path(trusted)
    context = server_side(authority)
    with start(command, server, POLYNYA_TLS="1", SSL_CERT_FILE=str(trusted)) as program:
        peer = server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))
        assert peer.welcome()["name"] == "ada"
        peer.begin_match()
        peer.send({"type": "goodbye", "reason": "finished"})
        assert program.wait(_SECONDS) == 0


def refuses_unknown_certificates(command: Sequence[str], server: Any) -> None:
    """A certificate that nobody vouches for is not good enough."""
    context = server_side(trustme.CA())
    with start(command, server, POLYNYA_TLS="1", POLYNYA_RECONNECT="0") as program:
        with pytest.raises(ssl.SSLError):
            server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))
        _, errors = program.communicate(timeout=_SECONDS)
        assert (program.returncode, "certificate" in errors) == (75, True)


def says_goodbye_when_interrupted(command: Sequence[str], server: Any) -> None:
    """Ctrl-C is a goodbye and exit code 0."""
    with start(command, server) as program:
        peer = server.accept()
        peer.welcome()
        peer.begin_match()
        program.send_signal(signal.SIGINT)
        assert peer.receive() == {"type": "goodbye", "reason": "the bot was interrupted"}
        assert program.wait(_SECONDS) == 0
