"""A tournament of a game with hidden chance: each match has its deal, and the bundle proves it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.evidence.bundles.published import bundle_of, members, name_of, signed_again
from tests.games.example_games import example_games

from polynya_app.application import run
from polynya_evidence.bundles.bundle_reader import Bundle
from polynya_evidence.bundles.verification import verify
from polynya_server.records import decode_replay, encode_replay
from polynya_store import Store

__all__ = ["example_games"]

SHORT = ("--option", "cards=3", "--game", "goofspiel", "--move-ms", "60000", "--games", "4")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, example_games: Path) -> Path:
    assert example_games.is_dir()  # they are installed
    path = tmp_path_factory.mktemp("dealt") / "contest.sqlite"
    assert run(["match", "goofspiel", "random", *SHORT, "--database", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def duplicates(tmp_path_factory: pytest.TempPathFactory, example_games: Path) -> Path:
    """The same with duplicate deals."""
    assert example_games.is_dir()
    path = tmp_path_factory.mktemp("duplicate") / "contest.sqlite"
    words = ["match", "goofspiel", "random", *SHORT, "--duplicate", "--database", str(path)]
    assert run(words) == 0
    return path


def deals(content: bytes) -> dict[str, str | None]:
    files = members(content)
    replays = {name: decode_replay(files[name]) for name in files if name.startswith("replays/")}
    return {record.setup.match: record.setup.deal for record in replays.values()}


def test_each_match_has_the_deal_that_follows_from_the_secret(database: Path) -> None:
    with Store.open(database) as store:
        name = name_of(store)
        secret = store.tournaments.secrets(name)[-1].secret
    expected = {f"{name}-{number}": secret.deal(number, 1) for number in (1, 2, 3, 4)}
    assert expected == deals(bundle_of(database))


def test_the_bundle_holds(database: Path) -> None:
    found = verify(Bundle(bundle_of(database)), None)
    assert found.differences == ()


@pytest.mark.parametrize("contest", ["database", "duplicates"])
def test_another_deal_is_found_even_if_the_match_fits_it(
    request: pytest.FixtureRequest, contest: str
) -> None:
    files = members(bundle_of(request.getfixturevalue(contest)))
    first, _, second, _ = sorted(name for name in files if name.startswith("replays/"))
    one, other = decode_replay(files[first]), decode_replay(files[second])
    as_first = replace(other.setup, match=one.setup.match, seed=one.setup.seed)
    swapped = replace(other, setup=as_first)
    found = verify(Bundle(signed_again({**files, first: encode_replay(swapped)})), None)
    assert any("deal does not follow from the secret" in one for one in found.differences)


def test_the_matches_of_a_block_have_its_duplicate_deal(duplicates: Path) -> None:
    with Store.open(duplicates) as store:
        name = name_of(store)
        secret = store.tournaments.secrets(name)[-1].secret
        rows = store.matches.find(tournament=name)
    expected = {row.match: secret.block_deal(row.block or "") for row in rows}
    assert len(set(expected.values())) == 2
    assert expected == deals(bundle_of(duplicates))


def test_the_bundle_of_unrated_matches_with_duplicate_deals_holds(duplicates: Path) -> None:
    found = verify(Bundle(bundle_of(duplicates)), None)
    assert found.differences == ()


def test_unboxed_match_with_a_duplicate_deal_may_not_be_rated(duplicates: Path) -> None:
    files = members(bundle_of(duplicates))
    first, *_ = sorted(name for name in files if name.startswith("replays/"))
    record = decode_replay(files[first])
    rated = replace(record, setup=replace(record.setup, rated=True))
    found = verify(Bundle(signed_again({**files, first: encode_replay(rated)})), None)
    assert any("rated True, where the schedule has False" in one for one in found.differences)
