"""``polynya serve`` with a certificate: bots verify it, and a renewed one needs no restart."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.served import Serving, bot, serving

from polynya_contest.config.builtin_bots import builtin_command


def issue(folder: Path) -> Path:
    """Put a certificate of a new authority in force; the file of the authority's own."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    for name, pem in (
        ("key.pem", certificate.private_key_pem),
        ("cert.pem", certificate.cert_chain_pems[0]),
    ):
        pem.write_to_path(folder / f"new-{name}")
        (folder / f"new-{name}").replace(folder / name)
    trusted = folder / f"authority-{len(list(folder.glob('authority-*')))}.pem"
    authority.cert_pem.write_to_path(trusted)
    return trusted


@contextmanager
def encrypted(polynya: list[str], folder: Path) -> Iterator[Serving]:
    files = ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]
    with serving(polynya, folder / "ladder.sqlite", "--move", "60000", *files) as server:
        yield server


def trusting(authority: Path) -> dict[str, str]:
    """The environment of a bot that verifies the server by this authority."""
    return {"POLYNYA_TLS": "1", "SSL_CERT_FILE": str(authority)}


def complaint(server: Serving, **environment: str) -> str:
    """What a bot says that cannot connect."""
    command = builtin_command("random")
    told = {"POLYNYA_PORT": str(server.port), "POLYNYA_NAME": "eve", "POLYNYA_RECONNECT": "1"}
    told |= environment
    done = subprocess.run(
        command.words,
        env={**os.environ, **command.environment, **told},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 75  # it gave up trying
    return done.stderr


def test_bots_of_the_sdk_play_over_tls_and_verify_the_certificate(
    polynya: list[str], tmp_path: Path
) -> None:
    authority = issue(tmp_path)
    with (
        encrypted(polynya, tmp_path) as server,
        bot(server.port, "ada", **trusting(authority)),
        bot(server.port, "bob", **trusting(authority)),
    ):
        ended = json.loads(server.read_until("a match is over")[-1])
        code, _ = server.stop()
    assert sorted(ended["ranking"]) == ["ada", "bob"]
    assert code == 0


def test_a_bot_that_does_not_know_the_authority_does_not_stay(
    polynya: list[str], tmp_path: Path
) -> None:
    issue(tmp_path)
    with encrypted(polynya, tmp_path) as server:
        assert "CERTIFICATE_VERIFY_FAILED" in complaint(server, POLYNYA_TLS="1")


def test_a_renewed_certificate_is_used_without_a_restart(
    polynya: list[str], tmp_path: Path
) -> None:
    old = issue(tmp_path)
    with encrypted(polynya, tmp_path) as server, bot(server.port, "ada", **trusting(old)):
        server.read_until('"a bot is connected"')
        new = issue(tmp_path)
        with bot(server.port, "bob", **trusting(new)):
            lines = server.read_until("a match is over")
            assert any("the new TLS files are in use" in line for line in lines)
        assert "CERTIFICATE_VERIFY_FAILED" in complaint(server, **trusting(old))


@pytest.mark.parametrize("broken", ["cert.pem", "key.pem"])
def test_files_that_cannot_be_used_leave_the_old_certificate_in_force(
    polynya: list[str], tmp_path: Path, broken: str
) -> None:
    old = issue(tmp_path)
    with encrypted(polynya, tmp_path) as server:
        (tmp_path / broken).write_text("half a file")
        with bot(server.port, "ada", **trusting(old)), bot(server.port, "bob", **trusting(old)):
            lines = server.read_until("a match is over")
    [warning] = [entry for entry in map(parsed, lines) if "cannot be used" in entry["event"]]
    assert warning["level"] == "warning"
    assert str(tmp_path / broken) in warning["error"]


def parsed(line: str) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(line)
    return entry
