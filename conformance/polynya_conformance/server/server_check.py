"""All cases tried on one server, in a way that does not disturb its contests."""

from __future__ import annotations

import secrets

import trio

from polynya_common.errors import RunError, unwrap_single_error
from polynya_common.text import address
from polynya_conformance.findings import Finding, Verdict
from polynya_conformance.server.probe import (
    NO_GAME,
    Identity,
    Skipped,
    Unmet,
    connect,
    spectator_hello,
)
from polynya_conformance.server.server_cases import CASES, UNHURRIED
from polynya_conformance.server.server_under_test import Case, Site
from polynya_protocol.messages import Welcome

__all__ = ["Identity", "check_server"]

LONGEST_S = 30.0


async def check_server(host: str, port: int, identity: Identity | None = None) -> list[Finding]:
    """Try every case on a server: one finding for each, in the order of the table.

    The players among the peers ask for no game that there is, so no bot is paired with them. At
    most one name is registered.

    Args:
        host: the server's.
        port: the server's.
        identity: a bot that may join; without, one is registered if the server allows it.

    Raises:
        RunError: no server listens there, or no Polynya server.
    """
    await greet(host, port)
    findings: list[Finding] = []
    if identity is None:
        identity = await register(host, port)
    with unwrap_single_error():
        async with trio.open_nursery() as nursery:
            last: list[Finding] = []
            nursery.start_soon(_try, UNHURRIED, Site(host, port, identity), last)
            for case in CASES:
                await _try(case, Site(host, port, identity), findings)
    return findings + last


async def greet(host: str, port: int) -> None:
    """Say hello; a Polynya server has an answer to that, welcome or not.

    Raises:
        RunError: no server listens there, or what comes back is no answer.
    """
    client = await connect(host, port)
    try:
        client.begin()
        await client.send(spectator_hello())
        await client.receive()
    except Unmet as unmet:
        raise RunError(
            f"what answers on {address(host, port)} is no Polynya server, or asks for TLS, which "
            f"this check does not speak: {unmet}"
        ) from unmet
    finally:
        await client.close()


async def register(host: str, port: int) -> Identity | None:
    """A new name on a server that lets any bot register; None on others."""
    name = f"polynya-check-{secrets.token_hex(4)}"
    client = await connect(host, port)
    try:
        client.begin()
        await client.send({"type": "hello", "protocol": 1, "name": name, "games": [NO_GAME]})
        answer = await client.receive()
    except Unmet:
        return None
    finally:
        await client.close()
    if isinstance(answer, Welcome) and answer.token is not None:
        return Identity(name, answer.token)
    return None


async def _try(case: Case, site: Site, findings: list[Finding]) -> None:
    verdict, sentence = Verdict.PASS, ""
    try:
        with trio.fail_after(LONGEST_S):
            await case.play(site)
    except Unmet as unmet:
        verdict, sentence = Verdict.FAIL, str(unmet)
    except Skipped as skipped:
        verdict, sentence = Verdict.NOT_EXERCISED, str(skipped)
    except trio.TooSlowError:
        verdict, sentence = Verdict.FAIL, f"it was not through after {LONGEST_S:g} s"
    finally:
        await site.hang_up()
    findings.append(Finding(case.paragraph, verdict, case.name, sentence))
