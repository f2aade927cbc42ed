"""A host is told of an outage of the database again and again, and when it is over."""

from __future__ import annotations

import pytest

from polynya_store.writer.batch_writer import Outage


class Told:
    """The sentences that were told, and a clock that the test sets."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.now_s = 1_000.0
        self.outage = Outage(self.sentences.append, lambda: self.now_s)

    def failed_at(self, second: float, records: int = 2) -> list[str]:
        """What is told by a failure, so many seconds after the first."""
        self.now_s = 1_000 + second
        before = len(self.sentences)
        self.outage.failed("the disk is full", records)
        return self.sentences[before:]


@pytest.fixture
def told() -> Told:
    return Told()


def test_first_failure_is_reported_at_once(told: Told) -> None:
    assert told.failed_at(0) == ["the disk is full; 2 records wait and are written again"]


def test_one_record_is_no_plural(told: Told) -> None:
    assert told.failed_at(0, 1) == ["the disk is full; 1 record waits and is written again"]


def test_outage_is_reported_again_after_10_s_and_doubling_pauses(told: Told) -> None:
    seconds = [second for second in range(400) if told.failed_at(second)]
    assert seconds == [0, 10, 30, 70, 150, 310]
    assert (
        told.sentences[1] == "the disk is full; 2 records wait, for 10 s now, and are written again"
    )


def test_outage_is_reported_every_five_minutes_at_least(told: Told) -> None:
    seconds = [second for second in range(2_000) if told.failed_at(second)]
    assert seconds[-4:] == [910, 1210, 1510, 1810]


def test_end_is_reported_once_and_the_next_outage_anew(told: Told) -> None:
    told.failed_at(0)
    told.failed_at(25)
    told.outage.over()
    told.outage.over()
    assert told.sentences[2:] == ["the database is written again, after 25 s; nothing was lost"]
    assert told.failed_at(26) == ["the disk is full; 2 records wait and are written again"]


def test_nothing_is_reported_without_an_outage(told: Told) -> None:
    told.outage.over()
    assert told.sentences == []
