"""``polynya check``: verdicts on each requirement of the protocol, for a bot or a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from cyclopts import Parameter

from polynya_app.application import DONE, FAILED
from polynya_app.commands.play.match import configurations
from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import GameFlag, Json, Number
from polynya_common.errors import ConfigurationError
from polynya_conformance.bot.bot_check import check_bot
from polynya_conformance.bot.scripted_match import Rules
from polynya_conformance.requirements import BY_NUMBER, Finding, Verdict
from polynya_conformance.server.server_check import Identity, check_server
from polynya_contest.pairing.formats.format_settings import in_range
from polynya_games import DEFAULT_GAME, load
from polynya_hosting.bots.bot_process import command_of
from polynya_server.match.time_control import MAX_CLOCK_MS

_PROTOCOL = "docs/protocol.md"
MOST_AT_ONCE = 100
_WORDS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "FAIL",
    Verdict.NOT_EXERCISED: "-",
    Verdict.NOT_APPLICABLE: "n/a",
}


@Parameter(name="*")
@dataclass(frozen=True)
class BotFlags:
    """The bot to check, and the matches that the server plays with it.

    Attributes:
        bot: The bot to check: a built-in name or a command line in quotes.
        game: The game of the matches.
        players: The number of players of a match, unless a requirement needs another number; by
            default the smallest number that the game allows.
        move_ms: The time limit of each turn of the bot.
        start_ms: The time limit for the bot to start and connect, at most an hour.
        at_once: The most scenarios that run at the same time, each with its own bot; 1 to 100.
    """

    bot: str | None = None
    game: GameFlag = DEFAULT_GAME
    players: Number | None = None
    move_ms: Annotated[Number, Parameter(name=("--move-ms", "--move"))] = 1_000
    start_ms: Number = 10_000
    at_once: Number = 2

    def rules(self) -> Rules:
        """The matches to play with the bot.

        Raises:
            GameError: there is no such game, or not for this number of players.
            ConfigurationError: the bot has no time for a turn.
        """
        loaded = load(self.game)
        players = loaded.min_players if self.players is None else self.players
        loaded.initial_state(players)
        in_range("--move-ms", self.move_ms, 1, MAX_CLOCK_MS)
        return Rules(loaded, players, self.move_ms)


@Parameter(name="*")
@dataclass(frozen=True)
class IdentityFlags:
    """The registered name that the clients use on a server.

    Attributes:
        name: A registered bot that has no match on the server now.
        token: The token of that bot.
    """

    name: str | None = None
    token: str | None = None

    def identity(self) -> Identity | None:
        """The name and its token; None if neither was given.

        Raises:
            ConfigurationError: only one of them was given.
        """
        if self.name is None and self.token is None:
            return None
        if self.name is None or self.token is None:
            raise ConfigurationError("--name and --token belong together")
        return Identity(self.name, self.token)


async def check(
    address: str | None = None,
    /,
    *,
    played: BotFlags | None = None,
    known: IdentityFlags | None = None,
    as_json: Json = False,
) -> int:
    """Check a bot, or a server, against the documented protocol.

    With --bot, a test server plays matches with the bot and uses everything that
    docs/protocol.md permits, the rare cases too. The command prints a verdict on
    each requirement, R1 to R31, and how to repair what failed.

    With tcp://HOST:PORT, well-behaved and faulty clients connect to that server;
    none of them plays, and a running contest is not disturbed. The command prints
    a verdict on each paragraph of docs/protocol.md. Without --name and --token it
    registers a name if registration is open; if not, it skips the checks that
    need a name.

    Exit code 1 if anything fails.

    Args:
        address: The server to check, tcp://HOST:PORT.
        played: The bot to check, and its matches.
        known: The name that the clients use.
        as_json: Write JSON instead of a table.
    """
    played = played or BotFlags()
    if (address is None) == (played.bot is None):
        raise ConfigurationError("give a server's address, tcp://HOST:PORT, or a bot with --bot")
    in_range("--start-ms", played.start_ms, 1, 3_600_000)
    in_range("--at-once", played.at_once, 1, MOST_AT_ONCE)
    if played.bot is not None:
        findings = await check_bot(
            command_of(configurations([played.bot])[0]),
            played.rules(),
            played.start_ms / 1000,
            played.at_once,
        )
        _write_bot(findings, as_json=as_json)
    else:
        identity = (known or IdentityFlags()).identity()
        findings = await check_server(*_host_and_port(address or ""), identity)
        _write_server(findings, as_json=as_json)
    return FAILED if any(finding.verdict is Verdict.FAIL for finding in findings) else DONE


def _host_and_port(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not address.startswith("tcp://") or not host or not port:
        raise ConfigurationError(f"an address is written tcp://HOST:PORT, not {address!r}")
    return host, port


def _write_bot(findings: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        write_json(
            [_as_document(finding, BY_NUMBER[finding.subject].title) for finding in findings]
        )
        return
    if not any(finding.verdict is Verdict.PASS for finding in findings):
        _write_never_began(findings)
        return
    rows = [
        [finding.subject, _WORDS[finding.verdict], BY_NUMBER[finding.subject].title, _why(finding)]
        for finding in findings
    ]
    write_table(["", "", "a bot ...", "what was seen"], rows)
    for finding in findings:
        if finding.verdict is Verdict.FAIL:
            write_line(f"{finding.subject}: {BY_NUMBER[finding.subject].advice}")
    _write_counts(findings, f"the requirements are in {_PROTOCOL}")


def _write_never_began(findings: Sequence[Finding]) -> None:
    """The one thing that is wrong with a bot that has shown nothing yet."""
    for finding in findings:
        if finding.verdict is Verdict.FAIL:
            write_line(f"{finding.subject}: {_why(finding)}")
            write_line(BY_NUMBER[finding.subject].advice)
    write_line("nothing else could be tried")


def _write_server(findings: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        write_json([_as_document(finding, finding.scenario) for finding in findings])
        return
    rows = [
        [finding.subject, _WORDS[finding.verdict], finding.scenario, finding.sentence]
        for finding in findings
    ]
    write_table([_PROTOCOL, "", "what was tried", "what was seen"], rows)
    _write_counts(findings, f"the paragraphs are those of {_PROTOCOL}")


def _why(finding: Finding) -> str:
    """The observed behaviour, and its scenario if that helps."""
    if finding.verdict is Verdict.FAIL:
        return f"{finding.scenario}: {finding.sentence}"
    return finding.sentence


def _as_document(finding: Finding, title: str) -> dict[str, Any]:
    return {
        "subject": finding.subject,
        "title": title,
        "verdict": finding.verdict.value,
        "scenario": finding.scenario,
        "sentence": finding.sentence,
    }


def _write_counts(findings: Sequence[Finding], where: str) -> None:
    counts = dict.fromkeys(Verdict, 0)
    for finding in findings:
        counts[finding.verdict] += 1
    write_line(
        f"{counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed, "
        f"{counts[Verdict.NOT_EXERCISED]} not exercised (-), "
        f"{counts[Verdict.NOT_APPLICABLE]} not applicable (n/a); {where}"
    )
