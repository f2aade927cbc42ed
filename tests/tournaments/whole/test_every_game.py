"""A tournament of each game with 2, 3 and 4 players over TCP; one bot forfeits now and then.

What the referee recorded is played again through the rules, and the ranking is worked out anew
from the last position, by the words of the rules.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio

from polynya_app.application import run
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.standings import Standings
from polynya_games import State, apply_turn, load
from polynya_protocol.messages import Clock
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord, decode_replay
from polynya_store import Store
from polynya_tournaments.tournament.runner import run_tournament

OPTIONS: dict[str, dict[str, Any]] = {
    "packeis": {},
    "arktia": {"round_limit": 4},
    "icecult": {"turn_limit": 16},
}
TURNS_BEFORE_IT_DEFECTS = 2

DEFECTOR = f"""
import random
from polynya_client import run
dice = random.Random(1)
def choose(turn):
    if int(turn.match.id.split("-")[-1]) % 2 == 0:
        turn.match.memory = (turn.match.memory or 0) + 1
        if turn.match.memory > {TURNS_BEFORE_IT_DEFECTS}:
            return [["a step", "that no game has"]]
    steps = [dice.choice(turn.legal)]
    while not (legal := turn.legal_after(steps)).turn_over:
        steps.append(dice.choice(legal.steps))
    return steps
run(choose, wants=["legal"])
"""
QUITTER = """
from polynya_client import run
run(lambda turn: [["retire"] if ["retire"] in turn.legal else turn.legal[0]], wants=["legal"])
"""


def python(name: str, program: str) -> BotConfiguration:
    return BotConfiguration(name=name, command=[sys.executable, "-c", program])


def at_random(seed: int) -> BotConfiguration:
    environment = {"POLYNYA_SEED": str(seed)}
    return BotConfiguration(name=f"random-{seed}", builtin="random", environment=environment)


@dataclass(frozen=True)
class Played:
    """A tournament that is over.

    Attributes:
        database: where it is recorded.
        table: its result.
        records: its matches.
    """

    database: Path
    table: Standings
    records: Sequence[MatchRecord]


def play(
    database: Path,
    game: str,
    players: int,
    bots: Sequence[BotConfiguration],
    options: Mapping[str, Any],
) -> Played:
    configuration = TournamentConfiguration(
        name="cup",
        game=game,
        players=players,
        options=dict(options),
        bots=list(bots),
        clock=Clock(initial_ms=600_000),
        seed=5,
        database=str(database),
    )

    async def until_its_end(store: Store) -> Standings:
        with trio.fail_after(600):
            return await run_tournament(configuration, store)

    with Store.open(database, for_play=True) as store:
        table = trio.run(until_its_end, store)
        records = [decode_replay(document) for _, document in store.matches.replays()]
    return Played(database, table, records)


@pytest.fixture(
    scope="module",
    params=[(game, players) for game in OPTIONS for players in (2, 3, 4)],
    ids=lambda case: f"{case[0]}-{case[1]}",
)
def cup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    game, players = request.param
    bots = [*map(at_random, range(players)), python("defector", DEFECTOR)]
    folder = tmp_path_factory.mktemp(f"{game}-{players}")
    return play(folder / "cup.sqlite", game, players, bots, OPTIONS[game])


def last_position(record: MatchRecord) -> State:
    """The record played again through the rules alone."""
    setup = record.setup
    state: State = load(setup.game).setup(len(setup.players), setup.seed, setup.options)
    for event in record.events:
        if isinstance(event, TurnRecord):
            assert event.seat == state.to_move
            state = apply_turn(state, event.steps)
        else:
            state = state.forfeit(event.seat)
    return state


def packeis_result(document: Mapping[str, Any], seat: int) -> tuple[int, ...]:
    return document["fish_caught"][seat], document["floes_caught"][seat]


def arktia_result(document: Mapping[str, Any], seat: int) -> tuple[int, ...]:
    controlled = sum(stack[-1][0] == seat for stack in document["stacks"] if stack)
    return (controlled + document["taken"][seat] + document["melted"][seat],)


def icecult_result(document: Mapping[str, Any], seat: int) -> tuple[int, ...]:
    goal = document["goal"][seat]
    if document["winners"]:
        return (int(seat in document["winners"]),)
    fields = sum(
        field * stack.count(seat)
        for path in document["paths"].values()
        for field, stack in enumerate(path, start=1)
    )
    return goal, 6 * goal + fields


RESULTS = {"packeis": packeis_result, "arktia": arktia_result, "icecult": icecult_result}


def ranking_by_the_rules(record: MatchRecord) -> list[int]:
    """Better results rank higher, equal ones share a rank; forfeiters last, the latest first."""
    document = last_position(record).to_json()
    forfeited = [forfeit.seat for forfeit in record.forfeits]
    result = RESULTS[record.setup.game]
    keys: list[tuple[int, ...]] = [
        (0, forfeited.index(seat)) if seat in forfeited else (1, *result(document, seat))
        for seat in range(len(record.setup.players))
    ]
    return [1 + sum(other > key for other in keys) for key in keys]


def forfeits(record: MatchRecord) -> list[tuple[str, str]]:
    """The name and the reason of each forfeit."""
    return [
        (record.setup.players[event.seat], event.reason)
        for event in record.events
        if isinstance(event, ForfeitRecord)
    ]


def in_which_it_defects(played: Played) -> list[MatchRecord]:
    """The defector's matches with an even number."""
    return [
        record
        for record in played.records
        if "defector" in record.setup.players and int(record.setup.match.split("-")[-1]) % 2 == 0
    ]


def test_every_match_ends_with_the_ranking_that_the_rules_give(cup: Played) -> None:
    assert cup.table.complete
    assert [record.ranking for record in cup.records] == [
        ranking_by_the_rules(record) for record in cup.records
    ]


def test_illegal_step_forfeits_that_match_alone(cup: Played) -> None:
    defected = in_which_it_defects(cup)
    assert 0 < len(defected) < len(cup.records)
    for record in cup.records:
        assert forfeits(record) == [("defector", "illegal_move")] * (record in defected)


def test_after_a_forfeit_the_others_play_to_the_end(cup: Played) -> None:
    for record in cup.records:
        two = len(record.setup.players) == 2
        assert (record.termination == "forfeit") == (two and forfeits(record) != [])
        assert last_position(record).to_move is None


def test_the_table_counts_what_the_matches_gave(cup: Played) -> None:
    points = dict.fromkeys([row.name for row in cup.table.rows], 0.0)
    for record in cup.records:
        ranks = record.ranking or []
        for name, rank in zip(record.setup.players, ranks, strict=True):
            behind, level = sum(other > rank for other in ranks), ranks.count(rank) - 1
            points[name] += behind + level / 2
    assert {row.name: row.points for row in cup.table.rows} == points
    counted = {row.name: row.forfeits for row in cup.table.rows}
    assert counted == dict.fromkeys(counted, 0) | {"defector": len(in_which_it_defects(cup))}


def test_all_replays_are_verified(cup: Played, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", "verify", "--all", "--database", str(cup.database), "--json"]) == 0
    verified = json.loads(capsys.readouterr().out)
    expected = {"verified": len(cup.records), "differing": {}, "unreadable": {}}
    assert verified == expected


def test_level_bots_share_a_rank_above_a_forfeited_one(tmp_path: Path) -> None:
    bots = [python("ann", QUITTER), python("defector", DEFECTOR), python("bob", QUITTER)]
    played = play(tmp_path / "cup.sqlite", "arktia", 3, bots, {})
    ranks = [
        dict(zip(record.setup.players, record.ranking or [], strict=True))
        for record in in_which_it_defects(played)
    ]
    assert ranks == [{"ann": 1, "bob": 1, "defector": 3}]
