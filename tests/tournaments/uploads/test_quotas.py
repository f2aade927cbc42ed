"""Quotas of uploads: which are let in, and the sentence for those that are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from polynya_store import Store, schema
from polynya_tournaments.uploads.errors import QuotaError
from polynya_tournaments.uploads.quotas import AT_ONCE, AT_ONCE_OF_NETWORK, QuotaGate
from polynya_tournaments.uploads.settings import UploadSettings

HERE = "192.0.2.1"
MIB = 2**20


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as opened:
        yield opened


def upload(
    store: Store, gate: QuotaGate, bot: str = "fish", version: str = "1", length: int = MIB
) -> int:
    """The number of an upload that was let in."""
    with gate.let_in(bot, HERE):
        gate.check_length(bot, length)
        upload = store.uploads.receive(
            bot, version, "c", ["packeis"], version, archive_bytes=length, network=HERE
        )
    return upload.number


def make_older(store: Store, seconds: int) -> None:
    table = schema.uploads
    with store.database.writing() as connection:
        older = {"uploaded_ms": table.c.uploaded_ms - seconds * 1000}
        connection.execute(sa.update(table).values(older))


def test_uploads_of_one_bot_are_counted_by_the_hour(store: Store) -> None:
    quotas = UploadSettings(undecided=10, per_hour=2)
    for version in ("1", "2"):
        upload(store, QuotaGate(store, quotas), version=version)
    make_older(store, 3_000)

    with pytest.raises(QuotaError, match=r"fish has sent 2 uploads within an hour") as refused:
        upload(store, QuotaGate(store, quotas), version="3")

    assert "the most is 2: the next one can come in 10 min, at 20" in str(refused.value)
    assert refused.value.wait_s is not None
    assert 590 <= refused.value.wait_s <= 600
    make_older(store, 600)
    assert upload(store, QuotaGate(store, quotas), version="3") == 3


def test_uploads_of_one_bot_are_counted_by_the_day(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings(undecided=10, per_day=1))
    upload(store, gate)
    make_older(store, 80_000)

    with pytest.raises(QuotaError, match=r"1 uploads within a day; .* come in 1 h 4[67] min"):
        upload(store, gate, version="2")


def test_many_names_of_one_network_are_counted_together(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings(network_per_day=3))
    for number in range(3):
        upload(store, gate, bot=f"fish{number}")

    with pytest.raises(QuotaError, match="your network has sent 3 uploads within a day"):
        upload(store, gate, bot="fish3")
    with gate.let_in("cod", "198.51.100.7"):
        pass


def test_attempts_that_were_refused_count_too(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings(per_hour=2))
    for _ in range(2):
        with pytest.raises(ValueError, match="no archive"), gate.let_in("fish", HERE):
            raise ValueError("no archive")

    with pytest.raises(QuotaError, match="fish has sent 2 uploads within an hour"):
        upload(store, gate)
    assert upload(store, gate, bot="cod") == 1


def test_one_upload_of_a_bot_at_a_time(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings())
    with gate.let_in("fish", HERE):
        with pytest.raises(QuotaError, match="another upload of fish is being received"):
            upload(store, gate)
        assert upload(store, gate, bot="cod") == 1
    assert upload(store, gate) == 2


def test_bytes_that_are_kept_are_bounded_until_a_version_is_removed(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings(kept_mb=10))
    store.uploads.accept(upload(store, gate, length=4 * MIB), "built", 5 * MIB)

    with pytest.raises(QuotaError, match=r"would take 11 MiB with this one; the most is 10 MiB"):
        upload(store, gate, version="2", length=2 * MIB)

    store.uploads.remove("fish", "1", "its owner removed it")
    assert upload(store, gate, version="2", length=2 * MIB) == 2


def test_versions_that_are_kept_are_bounded_and_refused_ones_do_not_count(store: Store) -> None:
    gate = QuotaGate(store, UploadSettings(versions=1))
    store.uploads.refuse(upload(store, gate), "it does not build")
    store.uploads.accept(upload(store, gate, version="2"), "built")

    with pytest.raises(QuotaError, match="the server keeps 1 versions of fish, the most"):
        upload(store, gate, version="3")


def test_removing_and_uploading_again_buys_no_further_upload(store: Store) -> None:
    quotas = UploadSettings(per_hour=2, undecided=10)
    upload(store, QuotaGate(store, quotas), version="1")
    upload(store, QuotaGate(store, quotas), version="2")
    store.uploads.remove("fish", "1", "its owner removed it")

    with pytest.raises(QuotaError, match="within an hour"):
        upload(store, QuotaGate(store, quotas), version="3")


def test_uploads_that_arrive_at_the_same_time_are_bounded_by_network_and_in_all(
    store: Store,
) -> None:
    gate = QuotaGate(store, UploadSettings())
    for number in range(AT_ONCE_OF_NETWORK):
        gate.begin(f"ann{number}", HERE)

    with pytest.raises(QuotaError, match="4 uploads of your network are being received"):
        gate.begin("ann", HERE)
    for number in range(AT_ONCE - AT_ONCE_OF_NETWORK):
        gate.begin(f"bob{number}", f"198.51.100.{number}")
    with pytest.raises(QuotaError, match="32 uploads are being received, the most at once"):
        gate.begin("cod", "203.0.113.1")

    gate.end("ann0")
    gate.begin("ann", HERE)
