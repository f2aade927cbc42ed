"""Runs all cases against one server, without disturbing its contests."""

from __future__ import annotations

import secrets

import trio

from polynya_common.errors import RunError, unwrap_single_error
from polynya_common.text import address
from polynya_conformance.requirements import Finding, Verdict
from polynya_conformance.server import frame_cases as frames
from polynya_conformance.server import session_cases as sessions
from polynya_conformance.server.probe import (
    NO_GAME,
    Case,
    Identity,
    Site,
    Skipped,
    Unmet,
    connect,
    spectator_hello,
)
from polynya_protocol.messages import Welcome

_HELLO, _FRAMES, _PINGS = "`hello`: client → server", "Frames", "`ping` and `pong`: either side"
_WRONG, _SPECTATORS = "When something is wrong", "Spectators"

UNHURRIED = Case(_HELLO, "a connection that says nothing", sessions.no_hello)
"""The one slow case; it runs beside the others."""

CASES = (
    Case(_HELLO, "a player with name and token", sessions.plain_hello),
    Case(_HELLO, "a spectator without a name", sessions.hello_of_a_spectator),
    Case(_HELLO, "unknown keys and wants, very many matches", sessions.hello_with_more),
    Case(_HELLO, "frames after hello, without waiting", sessions.hello_and_more_at_once),
    Case(_HELLO, "a wrong token", sessions.wrong_token),
    Case(_HELLO, "an unknown token", sessions.nobodys_token),
    Case(_HELLO, "a registered name without token", sessions.no_token),
    Case(_HELLO, "a token with an unknown name", sessions.token_alone),
    Case(_HELLO, "new names that would be mistaken", sessions.mistaken_names),
    Case(_FRAMES, "a hello in pieces", frames.hello_in_pieces),
    Case(_FRAMES, "keys in another order, longest forms, nil", frames.hello_in_other_forms),
    Case(_FRAMES, "a frame of exactly max_frame", frames.longest_frame),
    Case(_FRAMES, "a frame over max_frame", frames.too_long_frame),
    Case(_FRAMES, "a frame of no bytes", frames.empty_frame),
    Case(_FRAMES, "16 levels", frames.deepest),
    Case(_FRAMES, "4,096 entries, and one more", frames.most_entries),
    Case(_PINGS, "nonces of every kind", sessions.echoes),
    Case(_PINGS, f"{sessions.POLITE} pings at once", sessions.many_pings),
    Case(_PINGS, "a pong that answers nothing", sessions.unasked_pong),
    Case("`goodbye`: either side", "a goodbye", sessions.goodbye),
    Case("Lost connections", "a session taken over", sessions.taken_over),
    Case(_WRONG, "bad first frames (shared vectors)", frames.refused_first_frames),
    Case(_WRONG, "bad frames from a player (shared vectors)", frames.refused_from_players),
    Case(_WRONG, "bad frames from a spectator (shared vectors)", frames.refused_from_spectators),
    Case(_WRONG, "an error while the client continues to send", frames.error_before_the_end),
    Case(_WRONG, "an error to a client that has closed its half", frames.half_closed),
    Case("`move`: player → server", "a match that this bot never had", sessions.unknown_match),
    Case(_SPECTATORS, "a match that is not there", sessions.watching_nothing),
)


__all__ = ["Identity", "check_server"]

LONGEST_S = 30.0


async def check_server(host: str, port: int, identity: Identity | None = None) -> list[Finding]:
    """Run every case against a server; return a finding for each, in the order of the table.

    The check's players declare a game that does not exist, so no bot is paired with them. At most
    one name is registered.

    Args:
        host: the server's.
        port: the server's.
        identity: a bot that may join; without one, a bot is registered if the server allows it.

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
    """Send a hello; any Polynya server answers it, with a welcome or an error.

    Raises:
        RunError: no server listens there, or the answer is not Polynya's.
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
    """Register a new name if the server lets any bot register; else None."""
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
