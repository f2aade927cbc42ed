"""A published draw is drawn again, in a time that grows with its length only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

import pytest

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_contest.pairing.designs import Neighbours
from polynya_contest.pairing.formats import drawn_once, format_of, interface
from polynya_contest.pairing.schedule import pairings_of
from polynya_contest.secret import Secret
from polynya_evidence.bundles.draw_check import Draw
from polynya_evidence.reports.evidence import DrawnMatch, Evidence, MatchOutcome, Schedule
from polynya_protocol.messages import Clock

Name = TypeVar("Name")
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    players=4,
    cycles=20,
    bots=[BotConfiguration(name=name, external=True) for name in "abcdef"],
    clock=Clock(move_ms=100),
)

SEED_OF = Secret.of_seed(1).match_seed


def played(configuration: TournamentConfiguration) -> Evidence:
    """All matches of a round robin, drawn and played."""
    plan = plan_of(configuration)
    description = json.loads(plan.configuration)
    blocks = format_of(description, plan.entrants).blocks_after(0)
    assert blocks is not None
    pairings = pairings_of(blocks, SEED_OF)
    ranking = tuple(range(1, configuration.players + 1))
    return Evidence(
        Schedule(
            tournament=configuration.name,
            description=description,
            entrants=plan.entrants,
            matches=tuple(
                DrawnMatch(
                    number=pairing.number,
                    block=pairing.block,
                    players=pairing.players,
                    seed=str(pairing.seed),
                    state="played",
                    match=f"cup-{pairing.number}",
                )
                for pairing in pairings
            ),
        ),
        {
            f"cup-{pairing.number}": MatchOutcome(pairing.players, ranking, ranking)
            for pairing in pairings
        },
    )


def test_schedule_drawn_in_portions_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seated: list[Sequence[object]] = []

    class Counted(Neighbours):
        def seat(self, players: Sequence[Name]) -> tuple[Name, ...]:
            seated.append(players)
            return super().seat(players)

    monkeypatch.setattr(interface, "AT_ONCE", 0)
    monkeypatch.setattr(interface, "LARGEST_PORTION", 16)
    evidence = played(CUP)
    monkeypatch.setattr(drawn_once, "Neighbours", Counted)
    assert list(Draw(evidence, SEED_OF).differences()) == []
    assert len(seated) == len(evidence.schedule.matches) // 4


def test_match_too_many_is_a_difference() -> None:
    evidence = played(CUP)
    fewer = TournamentConfiguration(
        name="cup", game="packeis", players=4, cycles=19, bots=CUP.bots, clock=CUP.clock
    )
    shorter = Evidence(
        Schedule(
            tournament="cup",
            description=evidence.schedule.description | {"cycles": 19},
            entrants=evidence.schedule.entrants,
            matches=evidence.schedule.matches,
        ),
        evidence.outcomes,
    )
    drawn = len(played(fewer).schedule.matches)
    assert list(Draw(shorter, SEED_OF).differences()) == [
        f"after match {drawn} nothing more is drawn, but there is more"
    ]
