"""Defines a scenario, and the stage that it is played on: the bot, the rules, the findings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from polynya_conformance.bot.checked_bot import NAME, BotHost
from polynya_conformance.bot.scripted_match import Rules, Table
from polynya_conformance.peer import Broken, Inconclusive, Peer
from polynya_conformance.requirements import Finding, Verdict
from polynya_protocol.messages import Hello


@dataclass
class Stage:
    """A scenario in play: its host, its rules and its findings.

    Attributes:
        host: the bot under test.
        rules: the game to play and its settings.
        start_s: how long the bot may take to connect.
        scenario: the name of the scenario.
        findings: the findings so far.
        is_complete: whether it was played to its end.
    """

    host: BotHost
    rules: Rules
    start_s: float
    scenario: str
    findings: list[Finding] = field(default_factory=list)
    is_complete: bool = False

    async def joined(self) -> tuple[Peer, Hello]:
        """Wait for the bot's first connection and its hello; the welcome is not sent yet."""
        peer = await self.host.first_connection(self.start_s)
        return peer, await peer.greeted()

    async def welcomed(self) -> tuple[Peer, Hello]:
        """Wait for the bot's first connection, and send its welcome."""
        peer, hello = await self.joined()
        await peer.welcome(NAME)
        return peer, hello

    def table(
        self, peer: Peer, hello: Hello, match: str = "m1", rules: Rules | None = None, seat: int = 1
    ) -> Table:
        """Create a match for the bot; it has not begun."""
        table = Table(peer, rules or self.rules, match, seat)
        table.messages.listen_to(hello)
        return table

    def note(self, number: str, verdict: Verdict, sentence: str = "") -> None:
        """Record a finding."""
        self.findings.append(Finding(number, verdict, self.scenario, sentence))

    def fail(self, number: str, sentence: str) -> None:
        """Record a failed requirement; the scenario goes on."""
        self.note(number, Verdict.FAIL, sentence)

    def unless(self, number: str, wrong: list[str]) -> None:
        """Pass a requirement, or fail it with the first sentence of ``wrong``."""
        if wrong:
            self.fail(number, wrong[0])
        else:
            self.note(number, Verdict.PASS)


@contextmanager
def control() -> Iterator[None]:
    """Run a precondition that another scenario tests: its failure is inconclusive here."""
    try:
        yield
    except Broken as broken:
        raise Inconclusive(broken.sentence) from broken


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way in which a server or opponent may be unkind to the bot.

    Attributes:
        name: in a few words.
        requirements: those it tests; a failure counts against the first unless it names another.
        play: plays it on a stage.
        with_token: whether the bot gets a token when it is started.
        servers: for each address given to the bot, whether connections to it are accepted, not
            refused, from the beginning.
    """

    name: str
    requirements: tuple[str, ...]
    play: Callable[[Stage], Awaitable[None]]
    with_token: bool = True
    servers: tuple[bool, ...] = (True,)
