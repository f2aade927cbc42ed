"""Cases about sessions: hellos and identities, pings, ends of connections, roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_conformance.alternative_encodings import with_unknown_keys
from polynya_conformance.server.probe import Site, Skipped, Unmet, expect_pong, spectator_hello
from polynya_protocol.messages import Error, Goodbye

HELLO_TIMEOUT_S = 12.0
"""How long to wait for the error ``hello_timeout``; it comes after 5 s by default."""
NONCES: tuple[int | str, ...] = (0, -1, 2**64 - 1, -(2**63), "", "x" * 64, "žluť")
POLITE = 50
"""Pings sent at once: well within any server's limits."""


async def plain_hello(site: Site) -> None:
    """The welcome repeats the name and has a heartbeat."""
    identity = site.need_identity()
    welcome = await (await site.connect()).hello(identity.hello())
    if welcome.bot != identity.name:
        raise Unmet(f"the welcome is for {welcome.bot}, the hello was from {identity.name}")
    if welcome.token is not None:
        raise Unmet("the welcome repeats a token that was given before")


async def hello_of_a_spectator(site: Site) -> None:
    """A spectator needs no name."""
    welcome = await (await site.connect()).hello(spectator_hello())
    if (welcome.bot, welcome.matches) != (None, []):
        raise Unmet("the welcome of a nameless spectator has a bot or matches")


async def hello_with_more(site: Site) -> None:
    """Unknown keys and wants are ignored, and a very large concurrency is lowered."""
    more = {"wants": ["legal", "weather", 3], "concurrency": 1_000_000, "max_frame": 2**31}
    client = await site.connect()
    await client.hello(
        spectator_hello(**more, software={"name": "polynya check"}), with_unknown_keys
    )


async def hello_and_more_at_once(site: Site) -> None:
    """Messages after a hello need not wait for the welcome."""
    client = await site.connect()
    client.begin()
    await client.send(spectator_hello(), {"type": "ping", "nonce": 1})
    kinds = {type(await client.receive()).__name__ for _ in range(2)}
    if kinds != {"Welcome", "Pong"}:
        raise Unmet(f"a welcome and a pong were expected, {' and '.join(sorted(kinds))} came")


async def wrong_token(site: Site) -> None:
    """A registered name with another token."""
    identity = site.need_identity()
    await _refused_hello(site, identity.hello(token=f"not {identity.token[:4]}"), "unauthorized")


async def nobodys_token(site: Site) -> None:
    """A token that no bot has."""
    hello = {"type": "hello", "protocol": 1, "token": "no bot has this token"}
    await _refused_hello(site, hello, "unauthorized")


async def no_token(site: Site) -> None:
    """A registered name without its token."""
    await _refused_hello(site, site.need_identity().hello(token=None), "name_taken")


async def mistaken_names(site: Site) -> None:
    """Misleading new names are refused, also on servers that register none."""
    for name in ("-x", ".x", "x.", "Person-x", "BUILTIN-x"):
        client = await site.connect()
        client.begin()
        await client.send({"type": "hello", "protocol": 1, "name": name, "games": []})
        error = await client.expect(Error)
        if error.code not in ("bad_name", "unauthorized") or not error.fatal:
            raise Unmet(f"a fatal bad_name was expected for {name}, {error.code} came")
        await client.expect_end()


async def token_alone(site: Site) -> None:
    """A token identifies its bot even beside an unregistered name."""
    identity = site.need_identity()
    hello = identity.hello(name="nobody-has-this-name")
    welcome = await (await site.connect()).hello(hello)
    if welcome.bot != identity.name:
        raise Unmet(f"the token is {identity.name}'s, the welcome is for {welcome.bot}")


async def no_hello(site: Site) -> None:
    """A client sends nothing at all."""
    client = await site.connect()
    try:
        await client.expect_error("hello_timeout", fatal=True, seconds=HELLO_TIMEOUT_S)
    except Unmet as unmet:
        if "said nothing" in str(unmet):
            raise Skipped(f"it waits for more than {HELLO_TIMEOUT_S:g} s, as it may") from None
        raise


async def echoes(site: Site) -> None:
    """Each nonce comes back unchanged."""
    client = await site.spectator()
    for nonce in NONCES:
        await client.send({"type": "ping", "nonce": nonce})
        await expect_pong(client, nonce)


async def many_pings(site: Site) -> None:
    """A moderate number of pings at once is answered in order."""
    client = await site.spectator()
    await client.send(*({"type": "ping", "nonce": number} for number in range(POLITE)))
    for number in range(POLITE):
        await expect_pong(client, number)


async def unasked_pong(site: Site) -> None:
    """A pong that answers no ping is harmless."""
    client = await site.spectator()
    await client.send({"type": "pong", "nonce": "unasked"}, {"type": "ping", "nonce": 1})
    await expect_pong(client, 1)


async def goodbye(site: Site) -> None:
    """The server closes after the client's goodbye."""
    client = await site.spectator()
    await client.send({"type": "goodbye", "reason": "checked"})
    await client.expect_end()


async def taken_over(site: Site) -> None:
    """A second connection with name and token replaces the first."""
    first = await site.player()
    await site.player()
    said = await first.expect(Goodbye)
    if said.reason != "replaced":
        raise Unmet(f"the first connection's goodbye has the reason {said.reason!r}")
    await first.expect_end()


async def unknown_match(site: Site) -> None:
    """A match that this bot never had."""
    client = await site.player()
    about = {"match": "polynya-check has no match", "turn": 1, "steps": []}
    for kind in ("move", "steps"):
        await client.send({"type": kind, **about})
        await client.expect_error("unknown_match", fatal=False)
    await client.send({"type": "move", "match": 5})
    await client.expect_error("unknown_match", fatal=False)


async def watching_nothing(site: Site) -> None:
    """A match that is not there."""
    client = await site.spectator()
    await client.send({"type": "watch", "match": "polynya-check has no match"})
    await client.expect_error("unknown_match", fatal=False)
    await client.send({"type": "unwatch"}, {"type": "ping", "nonce": 1})
    await expect_pong(client, 1)


async def _refused_hello(site: Site, hello: Mapping[str, Any], code: str) -> None:
    client = await site.connect()
    client.begin()
    await client.send({key: value for key, value in hello.items() if value is not None})
    await client.expect_error(code, fatal=True)
