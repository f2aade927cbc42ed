"""The attempts of a match are counted by their numbers, also those that left no replay."""

from __future__ import annotations

from polynya_evidence.bundles.attempt_count import AttemptCount


def test_match_that_was_begun_once_is_not_named() -> None:
    counted = AttemptCount()
    counted.add(1, 1, "finished")
    assert [*counted.sentences()] == []


def test_attempts_are_counted_with_how_they_ended() -> None:
    counted = AttemptCount()
    for number, attempt, reason in ((7, 4, "finished"), (7, 1, "annulled"), (3, 2, "forfeit")):
        counted.add(number, attempt, reason)
    assert [*counted.sentences()] == [
        "match 3 was begun 2 times: 1 forfeit, 1 ended by a crash, without a replay",
        "match 7 was begun 4 times: 1 annulled, 1 finished, 2 ended by a crash, without a replay",
    ]
