"""The sentences that say how a match ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from polynya_protocol.messages import Clock
from polynya_web.content.match_types import MatchForfeit, MatchView, Seat
from polynya_web.content.result_sentences import result_sentences
from polynya_web.content.texts import TEXTS

TIMEOUT = MatchForfeit(
    turn=31, seat=1, reason="timeout", detail="late", limit_ms=100, charged_ms=109
)

NOT_READY = MatchForfeit(turn=0, seat=1, reason="not_ready", detail="it said nothing")


def ended(
    ranks: Sequence[int],
    scores: Sequence[int],
    forfeits: Sequence[MatchForfeit] = (),
    **words: Any,
) -> MatchView:
    names = ("greedy", "slowpoke", "carla", "dora")
    seats = [
        Seat(seat=seat, name=names[seat], rank=rank, score=score)
        for seat, (rank, score) in enumerate(zip(ranks, scores, strict=True))
    ]
    known = {"reason": "forfeit" if forfeits else "finished"} | words
    return MatchView(
        match="m",
        tournament=None,
        game="packeis",
        seats=seats,
        options={},
        clock=Clock(move_ms=100),
        rated=True,
        started_ms=0,
        finished_ms=1,
        forfeits=list(forfeits),
        **known,
    )


@pytest.mark.parametrize(
    ("match", "english", "german"),
    [
        (ended([1, 2], [49, 40]), ["greedy won 49 : 40"], ["greedy gewann 49 : 40"]),
        (ended([2, 1], [40, 49]), ["slowpoke won 49 : 40"], ["slowpoke gewann 49 : 40"]),
        (ended([1, 2], [0, 2]), ["greedy won"], ["greedy gewann"]),  # as in Ice Cult
        (ended([1, 2], [42, 42]), ["greedy won"], ["greedy gewann"]),  # a tie that more decides
        (
            ended([1, 1], [40, 40]),
            ["greedy and slowpoke drew 40 : 40"],
            ["greedy und slowpoke spielten unentschieden, 40 : 40"],
        ),
        (
            ended([1, 3, 1], [40, 31, 40]),
            ["greedy and carla share the first place, 40 : 40 : 31"],
            ["greedy und carla teilen sich den ersten Platz, 40 : 40 : 31"],
        ),
        (
            ended([1, 2], [3, 9], [TIMEOUT]),
            ["slowpoke lost on time in turn 31: 109 ms for 100 ms"],
            ["slowpoke verlor in Zug 31 durch Zeitüberschreitung: 109 ms statt 100 ms"],
        ),
        (
            ended([1, 3, 2], [9, 3, 4], [TIMEOUT]),
            ["greedy won 9 : 4 : 3", "slowpoke lost on time in turn 31: 109 ms for 100 ms"],
            [
                "greedy gewann 9 : 4 : 3",
                "slowpoke verlor in Zug 31 durch Zeitüberschreitung: 109 ms statt 100 ms",
            ],
        ),
        (
            ended([1, 2], [0, 0], [NOT_READY]),
            ["slowpoke was not ready before the first turn"],
            ["slowpoke war vor dem ersten Zug nicht bereit"],
        ),
        (ended([1, 2], [0, 0], reason=None), [], []),
        (
            ended([1, 2], [0, 0], reason="aborted"),
            ["The match was aborted"],
            ["Die Partie wurde abgebrochen"],
        ),
    ],
)
def test_end_of_a_match_is_a_sentence(
    match: MatchView, english: list[str], german: list[str]
) -> None:
    assert [english, german] == [result_sentences(match, TEXTS[key]) for key in ("en", "de")]


def test_name_of_any_letters_keeps_its_direction_to_itself() -> None:
    match = ended([1, 2], [2, 1])
    match.seats[0] = Seat(seat=0, name="\u05d0\u05d1", rank=1, score=2)
    assert result_sentences(match, TEXTS["en"]) == ["\u2068\u05d0\u05d1\u2069 won 2 : 1"]


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (0, "greedy won: a tower of its five pawns"),
        (5, "greedy won: all five pawns in the goal"),
    ],
)
def test_victory_that_is_no_score_says_its_reason(score: int, sentence: str) -> None:
    won = msgspec.structs.replace(
        ended([1, 2, 2], [score, 0, 0]), game="icecult", termination="victory"
    )
    assert result_sentences(won, TEXTS["en"]) == [sentence]


def test_victory_in_a_game_without_such_texts_names_the_winner() -> None:
    won = msgspec.structs.replace(ended([1, 2, 2], [0, 0, 0]), termination="victory")
    assert result_sentences(won, TEXTS["en"]) == ["greedy won"]
