"""Late entry to a Swiss in the database: what a bot gets for missed rounds, and refusals."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from polynya_common.errors import StoreError
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import (
    DoubleSwissSettings,
    SwissSettings,
)
from polynya_protocol.messages import Clock
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

NAMES = ("ann", "bob", "cid", "dot")
SWISS = TournamentConfiguration(
    name="swiss",
    game="packeis",
    format="swiss",
    swiss=SwissSettings(rounds=3),
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
)
DOUBLE = msgspec.structs.replace(
    SWISS, format="double_swiss", swiss=None, double_swiss=DoubleSwissSettings(rounds=3)
)


def with_bots(configuration: TournamentConfiguration, *names: str) -> TournamentConfiguration:
    bots = [BotConfiguration(name=name, external=True) for name in names]
    return msgspec.structs.replace(configuration, bots=bots)


async def begin(journal: StoreJournal, configuration: TournamentConfiguration) -> RoundDrawer:
    rounds = RoundDrawer(configuration, journal, Reporter())
    await rounds.begin()
    return rounds


async def after_its_first_round(
    journal: StoreJournal, configuration: TournamentConfiguration
) -> None:
    """The second round has been drawn, and not been played."""
    rounds = await begin(journal, configuration)
    for found in await journal.open_pairings(rounds.tournament_id):
        missing = {found.pairing.players[0]: "absent"}
        await journal.walk_over(rounds.tournament_id, [(found.id, missing)])
    await begin(journal, configuration)


@pytest.mark.parametrize(
    ("configuration", "late_entry", "score"),
    [(SWISS, "zero", 0.0), (SWISS, "half", 1.0), (DOUBLE, "zero", 0.0), (DOUBLE, "half", 2.0)],
)
async def test_a_late_entrant_of_a_swiss_gets_its_share_of_each_round_that_it_missed(
    store: Store,
    journal: StoreJournal,
    configuration: TournamentConfiguration,
    late_entry: Literal["zero", "half"],
    score: float,
) -> None:
    await after_its_first_round(journal, configuration)
    late = msgspec.structs.replace(with_bots(configuration, *NAMES, "eve"), late_entry=late_entry)
    await begin(journal, late)
    (eve,) = [row for row in store.tournaments.standings("swiss").rows if row.name == "eve"]
    assert (eve.figures["score"], eve.points) == (score, 0.0)


@pytest.mark.parametrize(
    "table", [{"forbidden": (("ann", "eve"),)}, {"half_point_byes": {"eve": (1,)}}]
)
async def test_forbidden_pairs_and_byes_of_a_late_entrant_are_another_description(
    journal: StoreJournal, table: dict[str, object]
) -> None:
    await begin(journal, SWISS)
    settings = SwissSettings(rounds=3, **table)  # type: ignore[arg-type]
    late = msgspec.structs.replace(
        with_bots(SWISS, *NAMES, "eve"), late_entry="zero", swiss=settings
    )
    with pytest.raises(StoreError, match=r"another description \(other swiss\)"):
        await begin(journal, late)


async def test_a_late_entrant_of_a_swiss_is_refused_when_the_last_round_has_been_drawn(
    journal: StoreJournal,
) -> None:
    short = msgspec.structs.replace(SWISS, swiss=SwissSettings(rounds=1))
    await begin(journal, short)
    late = msgspec.structs.replace(with_bots(short, *NAMES, "eve"), late_entry="zero")
    with pytest.raises(StoreError, match="no late entry of eve: the last round has been drawn"):
        await begin(journal, late)
