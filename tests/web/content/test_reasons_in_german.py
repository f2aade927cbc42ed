"""Reasons and games' refusals are said in the reader's language."""

from __future__ import annotations

import random

import pytest

import polynya_games
from polynya_common.reasons import ENGLISH, Reason
from polynya_games.errors import GameError
from polynya_server.errors import cause_of_refusal
from polynya_web.content.texts import LANGUAGES, TEXTS

OTHERS = [language for language in LANGUAGES if language != ENGLISH]


def refusals(state: polynya_games.State, step: object) -> set[GameError]:
    """Why the step is refused; empty if it is not."""
    try:
        state.apply(step)
    except GameError as error:
        return {error}
    return set()


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", polynya_games.installed())
def test_what_a_game_refuses_is_said_in_the_language(language: str, game: str) -> None:
    rules = polynya_games.load(game)
    draw = random.Random(1)
    refused: set[GameError] = set()
    for players in range(rules.min_players, rules.max_players + 1):
        others: list[object] = [[], ["?"], 7, ["place", "x"]]
        state = rules.setup(players, seed=players)
        while state.to_move is not None:
            refused |= refusals(state, draw.choice(others))
            step = draw.choice(state.legal_steps())
            others += [step, [*step, 0], [*step[:-1], 99], [*step[:-1], None]]
            state = state.apply(step)
        refused |= refusals(state, step)
    english = {
        str(error)
        for error in refused
        if TEXTS[language].said(cause_of_refusal(error, game)) == (str(error), language)
        or TEXTS[language].said(cause_of_refusal(error, game))[1] != language
    }
    assert english == set()


def test_reason_is_said_in_german() -> None:
    assert TEXTS["de"].said(Reason.of("resigned", bot="ann")) == ("ann hat aufgegeben", "de")


def test_text_of_an_earlier_record_stays_english() -> None:
    assert TEXTS["de"].said("it did") == ("it did", ENGLISH)


def test_reason_of_a_later_version_stays_english() -> None:
    assert TEXTS["de"].said(Reason("of_tomorrow")) == ("of_tomorrow", ENGLISH)


def test_refusal_of_a_game_that_is_gone_is_said_in_its_own_english() -> None:
    gone = Reason("off", game="no-such-game", text="it is off the board")
    assert TEXTS["de"].said(gone) == ("it is off the board", ENGLISH)
