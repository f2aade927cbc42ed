"""Two databases become one with all that both have, rated in the order of the times."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.evidence.exchange.random_tournaments import described, play_on
from tests.folders import ROOT

from polynya_common.errors import StoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Attempt, Store, open_journal, schema
from polynya_store.imports.foreign_match import ForeignMatch, ForeignSeat
from polynya_store.imports.imported_matches import import_matches
from polynya_store.imports.merged_database import opened_for_merge

Played = Callable[..., MatchRecord]
BEGAN_MS = 1_700_000_000_000
HANDLED = {
    "bots",
    "operators",
    "tournaments",
    "entrants",
    "submissions",
    "pairings",
    "interventions",
    "matches",
    "seats",
    "replays",
    "annulments",
    "imported_matches",
}
COMPUTED = {"rating_changes", "ratings", "version_ratings"}
LEFT = {"game_servers", "numbers", "play_sessions", "tournament_uploads", "uploads"}
"""Numbers go on from the matches. Who plays is of one database. The files of programs lie beside a
database: they are counted."""


def test_it_is_known_of_each_table_what_becomes_of_it() -> None:
    assert set(schema.metadata.tables) == HANDLED | COMPUTED | LEFT


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def merge(first: Path, second: Path, new: Path, *, same_bots: bool = False) -> None:
    before = digest(first), digest(second)
    with opened_for_merge(first, second, same_bots=same_bots) as found:
        found.write(new, "host")
    assert before == (digest(first), digest(second))


def refused(first: Path, second: Path) -> str:
    with opened_for_merge(first, second) as found:
        [sentence] = found.plan.refusals
        with pytest.raises(StoreError) as raised:
            found.write(first.with_name("new.sqlite"), "host")
        assert sentence == str(raised.value)
    assert not first.with_name("new.sqlite").exists()
    return sentence


def ratings(store: Store) -> list[tuple[object, ...]]:
    return [
        (r.game, r.players, r.bot, r.rating, r.deviation, r.games) for r in store.ratings.find()
    ]


async def ladder(path: Path, records: Sequence[MatchRecord]) -> None:
    """Play these on a ladder: ``ladder-1``, ``ladder-2``, …"""
    with Store.open(path, for_play=True) as store:
        async with open_journal(store) as journal:
            for record in records:
                setup, rating = record.setup, RatingSettings()
                attempt = Attempt(setup, rating, why="they are free", ladder_seed=1)
                name = (await journal.begin(attempt)).match
                setup = replace(setup, match=name)
                await journal.finish(replace(record, setup=setup))


async def tournament(path: Path, seed: int, name: str = "cup", most: int = 1_000) -> None:
    with Store.open(path, for_play=True) as store:
        async with open_journal(store) as journal:
            configuration = replace(described("round_robin", 3, 1), name=name)
            await play_on(journal, configuration, seed, most=most)


async def test_tournaments_matches_and_replays_of_both_are_there(
    tmp_path: Path, played: Played
) -> None:
    first, second, new = (tmp_path / f"{name}.sqlite" for name in ("a", "b", "new"))
    await tournament(first, 1, "spring")
    await ladder(first, [played("packeis", 2, seed) for seed in (1, 2)])
    await tournament(second, 2, "autumn")
    await ladder(second, [played("arktia", 3, seed) for seed in (1, 2, 3)])
    merge(first, second, new)
    with Store.open(new) as store, Store.open(first) as one, Store.open(second) as other:
        for source, name in ((one, "spring"), (other, "autumn")):
            table = source.tournaments.standings(name)
            assert [(r.place, r.name, r.points) for r in table.rows] == [
                (r.place, r.name, r.points) for r in store.tournaments.standings(name).rows
            ]
            assert source.tournaments.pairings(name) == store.tournaments.pairings(name)
        assert len(store.matches.find()) == len(one.matches.find()) + len(other.matches.find())
        names = [row.match for row in store.matches.find() if row.match.startswith("ladder-")]
        assert sorted(names) == [f"ladder-{number}" for number in range(1, 6)]
        for name, document in store.matches.replays():
            assert decode_replay(document).setup.match == name
        assert store.ratings.differences() == []
        assert [row.action for row in store.interventions.all()] == ["merge"]
    # What plays on finds everything: the next ladder match, and a tournament that goes on.
    await ladder(new, [played("packeis", 2, 9)])
    await tournament(new, 2, "autumn")


MATCHES = st.lists(
    st.tuples(st.permutations(("anna", "berta", "carla")), st.sampled_from([(1, 2), (2, 1)])),
    min_size=2,
    max_size=10,
)


@settings(max_examples=15, deadline=None)
@given(drawn=MATCHES, data=st.data())
def test_ratings_are_those_of_one_database(
    drawn: list[tuple[list[str], tuple[int, int]]], data: st.DataObject
) -> None:
    matches = [
        ForeignMatch(
            f"m-{minute}",
            "packeis",
            tuple(ForeignSeat(bot, rank) for bot, rank in zip(bots, ranks, strict=False)),
            BEGAN_MS + minute * 60_000,
            BEGAN_MS + minute * 60_000,
            "",
        )
        for minute, (bots, ranks) in enumerate(drawn)
    ]
    sides = [data.draw(st.sampled_from(["a", "b", "ab"])) for _ in matches]
    with TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.sqlite" for name in ("a", "b", "all", "new")}
        for name, taken in (("a", "a"), ("b", "b"), ("all", "")):
            with Store.open(paths[name], for_play=True) as store:
                chosen = [m for m, side in zip(matches, sides, strict=True) if taken in side]
                import_matches(store.database, chosen, "club.csv", "host")
        merge(paths["a"], paths["b"], paths["new"])
        with Store.open(paths["new"]) as new, Store.open(paths["all"]) as expected:
            assert ratings(expected) == ratings(new)
            assert [row.match for row in expected.matches.find()] == [
                row.match for row in new.matches.find()
            ]
            assert new.ratings.differences() == []


async def test_a_copy_adds_nothing(tmp_path: Path, played: Played) -> None:
    first, copy, new = (tmp_path / f"{name}.sqlite" for name in ("a", "copy", "new"))
    await tournament(first, 1, most=3)
    await ladder(first, [played("packeis", 2, 1)])
    copy.write_bytes(first.read_bytes())
    await tournament(first, 1)
    for one, other in ((first, copy), (copy, first)):
        new.unlink(missing_ok=True)
        merge(one, other, new)
        with Store.open(new) as store, Store.open(first) as whole:
            assert [(r.match, r.seats) for r in whole.matches.find()] == [
                (r.match, r.seats) for r in store.matches.find()
            ]
            assert ratings(whole) == ratings(store)


async def test_a_tournament_that_went_on_in_both_is_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    await tournament(first, 1, most=2)
    second.write_bytes(first.read_bytes())
    await tournament(first, 2, most=2)
    await tournament(second, 3, most=2)
    assert refused(first, second) == (
        "tournament cup continued in both databases: its matches cannot be merged"
    )


async def test_different_tournaments_of_one_name_are_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    await tournament(first, 1)
    await tournament(second, 1)
    assert refused(first, second).startswith("both have a tournament cup, and they are different")


def with_bots(path: Path, **tokens: bytes) -> Path:
    with Store.open(path, for_play=True) as store:
        for name, token in tokens.items():
            store.bots.set_token(name, token * 32)
    return path


def test_bots_of_one_name_with_different_tokens_are_refused_unless_they_are_the_same(
    tmp_path: Path,
) -> None:
    first = with_bots(tmp_path / "a.sqlite", anna=b"1", berta=b"2")
    second = with_bots(tmp_path / "b.sqlite", anna=b"9", berta=b"2", carla=b"3")
    assert refused(first, second) == (
        "anna have different tokens in the two databases: if these are the same bots, --same-bots "
        "keeps the tokens of the first"
    )
    merge(first, second, tmp_path / "both.sqlite", same_bots=True)
    with Store.open(tmp_path / "both.sqlite") as store:
        assert store.bots.token_hashes() == {
            "anna": b"1" * 32,
            "berta": b"2" * 32,
            "carla": b"3" * 32,
        }


def test_what_hosts_did_to_bots_is_kept(tmp_path: Path) -> None:
    first = with_bots(tmp_path / "a.sqlite", anna=b"1", carla=b"3")
    second = with_bots(tmp_path / "b.sqlite", berta=b"2", carla=b"3")
    with Store.open(first) as store:
        store.bots.revoke("anna")
    with Store.open(second) as store:
        store.interventions.suspend("carla", "it floods", "host")
    merge(first, second, tmp_path / "both.sqlite")
    with Store.open(tmp_path / "both.sqlite") as store:
        rows = {row.name: row for row in store.bots.all()}
        assert (rows["anna"].revoked, rows["anna"].registered) == (True, False)
        assert rows["carla"].suspension == "it floods"
        assert [r.action for r in store.interventions.all("carla")] == ["suspend"]


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    first = with_bots(tmp_path / "a.sqlite", anna=b"1")
    second = with_bots(tmp_path / "b.sqlite", Anna=b"2")
    assert refused(first, second).startswith("the bots anna and Anna differ in the case of letters")


def test_databases_in_use_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polynya_store.backends.sqlite.lock._LOCK_SECONDS", 0.0)
    first = with_bots(tmp_path / "a.sqlite", anna=b"1")
    second = with_bots(tmp_path / "b.sqlite", berta=b"2")
    for used in (first, second):
        with (
            Store.open(used, for_play=True),
            pytest.raises(StoreError, match=rf"is playing into {used}"),
            opened_for_merge(first, second),
        ):
            pass
    with pytest.raises(StoreError, match="are the same file"), opened_for_merge(first, first):
        pass
    with opened_for_merge(first, second) as found, pytest.raises(StoreError, match="already"):
        found.write(first, "host")


async def test_annulled_and_imported_matches_stay_so(tmp_path: Path, played: Played) -> None:
    first, second, new = (tmp_path / f"{name}.sqlite" for name in ("a", "b", "new"))
    await ladder(first, [played("packeis", 2, seed) for seed in (1, 2)])
    await ladder(second, [played("packeis", 2, seed) for seed in (3, 4)])
    with Store.open(second) as store:
        assert store.interventions.annul("bot0", 0, "it cheated") == 2
        result = ForeignMatch(
            "c-1",
            "packeis",
            (ForeignSeat("bot0", 1), ForeignSeat("x", 2)),
            BEGAN_MS,
            BEGAN_MS,
            "line 2",
        )
        import_matches(store.database, [result], "club.csv", "host")
    merge(first, second, new)
    with Store.open(new) as store:
        told = {row.match: (row.annulled, row.imported) for row in store.matches.find()}
        assert {told["ladder-1"], told["ladder-2"]} == {(None, None)}
        assert {told["ladder-3"], told["ladder-4"]} == {("it cheated", None)}
        assert (None, "club.csv, there c-1") in told.values()
        games = {row.bot: row.games for row in store.ratings.find()}
        assert games == {"bot0": 3, "bot1": 2, "x": 1}
        assert msgspec.json.encode(store.ratings.differences()) == b"[]"


async def test_a_database_of_an_earlier_version_is_merged_and_stays_as_it_is(
    tmp_path: Path, played: Played
) -> None:
    first, second, new = (tmp_path / f"{name}.sqlite" for name in ("a", "old", "new"))
    await ladder(first, [played("packeis", 2, 1)])
    with gzip.open(ROOT / "tests" / "fixtures" / "v0_3_0" / "contest.sqlite.gz") as packed:
        second.write_bytes(packed.read())
    merge(first, second, new)
    with Store.open(new) as store:
        assert len(store.tournaments.all()) > 1
        assert store.ratings.differences() == []
