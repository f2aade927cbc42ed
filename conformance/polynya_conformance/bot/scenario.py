"""Where a scenario is played: the bot, what is played, and what was found so far."""

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
        rules: what is played.
        start_s: how long the bot may take to connect.
        scenario: the name of the scenario.
        findings: what it found so far.
        is_complete: whether it was played to its end.
    """

    host: BotHost
    rules: Rules
    start_s: float
    scenario: str
    findings: list[Finding] = field(default_factory=list)
    is_complete: bool = False

    async def joined(self) -> tuple[Peer, Hello]:
        """The bot's first connection, with its hello; it is not welcome yet."""
        peer = await self.host.first_connection(self.start_s)
        return peer, await peer.greeted()

    async def welcomed(self) -> tuple[Peer, Hello]:
        """The bot's first connection, when it has been told that it is welcome."""
        peer, hello = await self.joined()
        await peer.welcome(NAME)
        return peer, hello

    def table(
        self, peer: Peer, hello: Hello, match: str = "m1", rules: Rules | None = None, seat: int = 1
    ) -> Table:
        """A match for the bot, not begun yet."""
        table = Table(peer, rules or self.rules, match, seat)
        table.messages.listen_to(hello)
        return table

    def note(self, number: str, verdict: Verdict, sentence: str = "") -> None:
        """Keep a finding."""
        self.findings.append(Finding(number, verdict, self.scenario, sentence))

    def fail(self, number: str, sentence: str) -> None:
        """A requirement is not met, but the scenario goes on."""
        self.note(number, Verdict.FAIL, sentence)

    def unless(self, number: str, wrong: list[str]) -> None:
        """A requirement is met unless something was wrong: of that, the first is told."""
        if wrong:
            self.fail(number, wrong[0])
        else:
            self.note(number, Verdict.PASS)


@contextmanager
def control() -> Iterator[None]:
    """A condition of the scenario that another one tests: its failure is not this scenario's."""
    try:
        yield
    except Broken as broken:
        raise Inconclusive(broken.sentence) from broken


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way of being unkind.

    Attributes:
        name: in a few words.
        requirements: which it tests; what goes wrong is laid to the first unless it says otherwise.
        play: plays it on a stage.
        with_token: whether the bot is given a token when it is started.
        servers: for each address that the bot is given, whether connections to it are taken, not
            refused, from the beginning.
    """

    name: str
    requirements: tuple[str, ...]
    play: Callable[[Stage], Awaitable[None]]
    with_token: bool = True
    servers: tuple[bool, ...] = (True,)
