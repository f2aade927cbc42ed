"""A match as text is read back as the same match, and each wrong line is named."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.recorded_matches import play_at_random

from polynya_common.errors import TournamentError
from polynya_conformance.replay.text_form import as_text, steps_as_words, steps_of_words
from polynya_conformance.replay.text_reader import LARGEST_TEXT, LONGEST_LINE, read_text
from polynya_conformance.replay.verify import differences, parse_replay
from polynya_games import installed
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord

Played = Callable[..., MatchRecord]


def read(text: str) -> MatchRecord:
    return read_text(text.encode(), "pasted")


def said(event: MatchEvent) -> tuple[Any, ...]:
    """What the text form holds of an event."""
    if isinstance(event, TurnRecord):
        return event.turn, event.seat, event.steps, event.charged_ms, event.remaining_ms
    return event.turn, event.seat, event.reason, event.detail, event.limit_ms, event.charged_ms


@settings(max_examples=40, deadline=None)
@given(
    game=st.sampled_from(sorted(installed())),
    players=st.integers(2, 4),
    seed=st.integers(0, 2**64 - 1),
    timeouts=st.sets(st.integers(1, 30), max_size=3),
)
def test_read_back_it_is_the_same_match(
    game: str, players: int, seed: int, timeouts: set[int]
) -> None:
    record = play_at_random(game, players, seed, timeouts=tuple(timeouts))
    again = read(as_text(record))
    assert list(map(said, record.events)) == list(map(said, again.events))
    # The record of a real match has the defaults among its options; this one has not.
    assert replace(record, events=[], options=again.options) == replace(again, events=[])
    assert differences(again) == []
    assert as_text(record) == as_text(again)


def test_options_and_versions_are_kept(played: Played) -> None:
    record = played("packeis", options={"layout": "even"})
    again = read(as_text(record))
    assert (record.setup, record.state, record.software) == (
        again.setup,
        again.state,
        again.software,
    )


def test_any_document_of_a_match_is_read_as_what_it_is(played: Played) -> None:
    text = "\ufeff# from a mail\r\n" + as_text(played()).replace("\n", "\r\n")
    assert played().setup == parse_replay(text.encode(), "a file").setup


def test_people_need_not_write_times_and_may_write_comments(played: Played) -> None:
    text = re.sub(r" \(\d+ ms\)", "", as_text(played()))
    text = text.replace("\n1. ", "\n\n# the opening\n  1. ")
    assert [0] * len(played().events) == [event.charged_ms for event in read(text).events]


@given(
    st.lists(
        st.lists(
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**64 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=8)
            | st.lists(st.integers(0, 9) | st.text(max_size=3), max_size=3),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_steps_of_any_plugged_in_game_are_kept(steps: list[list[Any]]) -> None:
    words = steps_as_words(steps)
    assert words.isascii()
    assert words.isprintable()
    assert steps == steps_of_words(words)


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("5. 0 (3 ms): ", "5. 0 (3 ms): place 0; ", "turn 5, seat 0: "),
        ("\n5. 0", "\n5. 1", "line 20: turn 5, seat 1: seat 0 is to move"),
        ("\n5. 0", "\n6. 0", "line 20: turn 6, seat 0: it should be turn 5"),
        ("\n5. 0 (3 ms)", "\n5. 0 (101 ms)", "it took 101 ms where 100 ms were allowed"),
        ("\n5. 0 (3 ms)", "\nfive. 0 (3 ms)", "line 20: a turn is TURN. SEAT (MS ms): STEP; STEP"),
        ("5. 0 (3 ms): place", "5. 0 (3 ms): hop", "the verb is one of move, place"),
        ("5. 0 (3 ms): place", '5. 0 (3 ms): "place', "is no JSON value"),
        ("5. 0 (3 ms):", "5. 0 (3 ms): ;", "step 1 of the turn has no words"),
        ("5. 0 (3 ms):", '5. 0 forfeits boredom: ""\n5. 0:', "'boredom' is no reason of a forfeit"),
        ("5. 0 (3 ms):", '5. 0 forfeits timeout (99 ms): ""#', "a sentence in quotes"),
        ("\n5. 0", '\n[Detail "x"]\n5. 0', "line 20: tags stand before the first turn"),
        ('[Game "packeis"]', '[Game "chess"]', "line 3: the set-up: "),
        ('[Game "packeis"]', "[Game packeis]", "line 3: the value of the tag Game is not JSON"),
        ('[Game "packeis"]', '[Game "packeis"', "line 3: a tag is [NAME VALUE]"),
        ('[Game "packeis"]', '[Event "x"]', "line 3: there is no tag Event; there are Polynya, "),
        ("[Seed 7]", "[Seed 7]\n[Seed 7]", "line 6: the tag Seed occurs twice"),
        ("[Seed 7]", '[Seed "7"]', "line 5: the tags: Expected `int`, got `str`"),
        ("[Seed 7]", "[Seed -7]", "a seed is an integer from 0 to 2**64 - 1, not -7"),
        ('"bot0"', '"bot\\u202e"', "is not a valid name of a bot: use 1 to 32 of"),
        ('"bot0"', '"bot1"', "a bot holds at most one seat of a match"),
        ('[Match "packeis-7"]', '[Match "../x"]', "line 2: '../x' is no id of a match"),
        ("[Polynya 1]", "[Polynya 2]", "line 1: the form is of version 2"),
        ("[Polynya 1]\n", "", "line 1: the tag [Polynya 1] is missing"),
        ('[Reason "finished"]', '[Reason "forfeit"]', "the tag Reason is forfeit, the rules give"),
        ("[Ranking [", "[Ranking [9, ", "the tag Ranking is [9,"),
        ('[Started "2', '[Started "x', "the tag Started: "),
        ("\n5. 0", "\n\x1b[2J5. 0", "line 20: the control character U+001B is not allowed"),
    ],
)
def test_a_wrong_line_is_named(played: Played, old: str, new: str, sentence: str) -> None:
    with pytest.raises(TournamentError) as raised:
        read(changed(as_text(played()), old, new))
    assert str(raised.value).startswith("pasted, line ")
    assert sentence in str(raised.value)


def test_a_text_that_ends_too_early_is_named(played: Played) -> None:
    lines = as_text(played()).rstrip("\n").split("\n")
    with pytest.raises(TournamentError, match="the match is not over after this line: seat"):
        read("\n".join(lines[:-1]))


def test_a_text_that_goes_on_after_the_end_is_named(played: Played) -> None:
    text = as_text(played())
    with pytest.raises(TournamentError, match="the match is over before it"):
        read(f"{text}99. 0: move 1 2\n")


def test_a_timeout_within_its_time_is_named(played: Played) -> None:
    text = as_text(played(timeouts=(11,)))
    with pytest.raises(TournamentError, match=r"turn 11, seat 0: a timeout has a time above"):
        read(changed(text, "timeout (101 ms)", "timeout (100 ms)"))


def test_an_aborted_match_has_no_result(played: Played) -> None:
    absent: list[MatchEvent] = [
        ForfeitRecord(turn=0, seat=seat, reason="not_ready", detail="absent") for seat in (0, 1)
    ]
    aborted = replace(
        played(), events=absent, ranking=None, scores=None, termination=None, reason="aborted"
    )
    again = read(as_text(aborted))
    assert (absent, "aborted", None) == (list(again.events), again.reason, again.ranking)
    assert differences(again) == []


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TournamentError, match="pasted, line 2: it is not UTF-8"):
        read_text(b"[Polynya 1]\n\xff\xfe", "pasted")
    with pytest.raises(TournamentError, match="a match as text has at most"):
        read_text(b"[" * (LARGEST_TEXT + 1), "pasted")
    with pytest.raises(TournamentError, match=f"line 1: it has more than {LONGEST_LINE}"):
        read_text(b"#" * (LONGEST_LINE + 1), "pasted")
    with pytest.raises(TournamentError, match="is not JSON"):
        read_text(b"[Options " + b"[" * 60_000 + b"]", "pasted")


def test_a_position_that_the_seed_does_not_give_is_not_written(played: Played) -> None:
    record = replace(played(), state=played(seed=8).state)
    with pytest.raises(TournamentError, match="give another initial position"):
        as_text(record)


LINES = st.sampled_from(
    [
        "[Polynya 1]",
        '[Match "a"]',
        '[Game "packeis"]',
        '[Bots ["a", "b"]]',
        "[Seed 7]",
        '[Clock {"move_ms": 9}]',
        '[Started "2026-11-25"]',
        '[Finished "2026-11-25"]',
        '[Reason "finished"]',
        '[Options {"fish": [1, 2]}]',
        "1. 0: place 3",
        "2. 1 forfeits timeout (10 ms):",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=200)
    | st.lists(LINES | st.text(max_size=30), max_size=16).map(
        lambda found: "\n".join(found).encode()
    )
)
def test_any_pasted_text_is_a_match_or_an_error(document: bytes) -> None:
    try:
        record = read_text(document, "pasted")
    except TournamentError:
        return
    assert differences(record) == []


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_changed_text_is_a_match_or_a_sentence(data: st.DataObject) -> None:
    text = as_text(play_at_random("icecult", timeouts=(4,)))
    place = data.draw(st.integers(0, len(text)))
    some = data.draw(st.text(max_size=6) | st.sampled_from(["9", '"', "[", "-1", "null", "1e400"]))
    removed = data.draw(st.integers(0, 3))
    try:
        record = read(text[:place] + some + text[place + removed :])
    except (TournamentError, UnicodeEncodeError):
        return
    assert differences(record) == []
