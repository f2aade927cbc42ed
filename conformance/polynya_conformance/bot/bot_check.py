"""Plays all scenarios with one bot, each in a fresh process."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from polynya_common.errors import unwrap_single_error
from polynya_conformance.bot import (
    connection_scenarios,
    delivery_scenarios,
    match_scenarios,
    restart_scenarios,
)
from polynya_conformance.bot.checked_bot import hosted
from polynya_conformance.bot.scenario import Scenario, Stage
from polynya_conformance.bot.scripted_match import Rules
from polynya_conformance.peer import Broken, Gone, Inconclusive
from polynya_conformance.requirements import REQUIREMENTS, Finding, Verdict, overall
from polynya_contest.config.builtin_bots import BotCommand

SCENARIOS = (
    *delivery_scenarios.SCENARIOS,
    *match_scenarios.SCENARIOS,
    *connection_scenarios.SCENARIOS,
    *restart_scenarios.SCENARIOS,
)
LONGEST_S = 40.0
"""Time limit of a scenario; a bot that answers at once needs a second or two for most."""


async def check_bot(
    command: BotCommand,
    rules: Rules,
    start_s: float = 10,
    at_once: int = 2,
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> list[Finding]:
    """Play scenarios with a bot; return a finding for each requirement of docs/protocol.md.

    Args:
        command: starts the bot.
        rules: the game to play and its settings.
        start_s: how long it may take to connect, in seconds.
        at_once: number of scenarios played at the same time.
        scenarios: played after the plain match, if that was completed.

    Raises:
        RunError: the command cannot be started.
    """
    plain = await play_scenario(match_scenarios.PLAIN_MATCH, command, rules, start_s)
    findings = plain.findings
    if plain.is_complete:
        findings += await _play_all(scenarios, command, rules, start_s, at_once)
    else:
        why = f"not tried: the scenario {match_scenarios.PLAIN_MATCH.name!r} comes first"
        findings += [
            Finding(number, Verdict.NOT_EXERCISED, scenario.name, why)
            for scenario in scenarios
            for number in scenario.requirements
        ]
    return overall([requirement.number for requirement in REQUIREMENTS], findings)


async def play_scenario(
    scenario: Scenario, command: BotCommand, rules: Rules, start_s: float
) -> Stage:
    """Play one scenario; return its stage with a finding for each of its requirements."""
    with unwrap_single_error():
        async with hosted(command, scenario.with_token, scenario.servers) as host:
            stage = Stage(host, rules, start_s, scenario.name)
            await _play(stage, scenario)
    return stage


async def _play_all(
    scenarios: Sequence[Scenario], command: BotCommand, rules: Rules, start_s: float, at_once: int
) -> list[Finding]:
    findings: dict[str, list[Finding]] = {}
    places = trio.CapacityLimiter(at_once)

    async def play(scenario: Scenario) -> None:
        async with places:
            stage = await play_scenario(scenario, command, rules, start_s)
            findings[scenario.name] = stage.findings

    async with trio.open_nursery() as nursery:
        for scenario in scenarios:
            nursery.start_soon(play, scenario)
    return [finding for scenario in scenarios for finding in findings[scenario.name]]


async def _play(stage: Stage, scenario: Scenario) -> None:
    """Play a scenario, and add a verdict for each of its requirements without a finding."""
    verdict, sentence = Verdict.PASS, ""
    try:
        with trio.fail_after(LONGEST_S):
            await scenario.play(stage)
        stage.is_complete = True
    except Inconclusive as unclear:
        verdict, sentence = Verdict.NOT_EXERCISED, f"before it came to that: {unclear}"
    except Broken as broken:
        verdict, sentence = Verdict.NOT_EXERCISED, "the scenario ended early"
        await _blame(stage, scenario, broken)
    except trio.TooSlowError:
        verdict, sentence = Verdict.FAIL, f"it was not through after {LONGEST_S:g} s"
    spoken = {finding.subject for finding in stage.findings}
    for number in scenario.requirements:
        if number not in spoken:
            stage.note(number, verdict, sentence)


async def _blame(stage: Stage, scenario: Scenario, broken: Broken) -> None:
    """Attribute a failure to the requirement it names, else to the scenario's first."""
    number = broken.number
    if number is None or number not in scenario.requirements:
        number = scenario.requirements[0]
    words = await stage.host.last_words() if isinstance(broken, Gone) else ""
    stage.fail(number, f"{broken.sentence}{words}")
