"""The table of transitions is complete and says what the contract says."""

from typing import get_args

import pytest

from polynya_protocol.messages import FromClient, FromServer, Goodbye, Hello, Move, Watch, Welcome
from polynya_protocol.states import ENDED, TRANSITIONS, Refusal, Side, State, Variant

LEGAL = {
    (state, side, kind)
    for state, sides in TRANSITIONS.items()
    for side, row in sides.items()
    for kind, cell in row.items()
    if isinstance(cell, State)
}


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_cell_for_every_kind_of_frame(state: State) -> None:
    client, server = set(get_args(FromClient)), set(get_args(FromServer))
    expected = {
        Side.CLIENT: client | {Variant.SPECTATOR_HELLO},
        Side.SERVER: server | {Variant.FATAL_ERROR},
    }
    assert expected == {side: set(row) for side, row in TRANSITIONS[state].items()}


def test_every_state_but_the_first_is_reached() -> None:
    reached = {
        cell
        for sides in TRANSITIONS.values()
        for row in sides.values()
        for cell in row.values()
        if not isinstance(cell, Refusal)
    }
    assert set(State) - {State.AWAITING_HELLO} == reached


def test_hello_is_said_once_at_the_beginning() -> None:
    states = {state for state, _, kind in LEGAL if kind in (Hello, Variant.SPECTATOR_HELLO)}
    assert states == {State.AWAITING_HELLO}


def test_welcome_answers_a_hello() -> None:
    states = {state for state, _, kind in LEGAL if kind is Welcome}
    assert states == {State.PLAYER_JOINING, State.SPECTATOR_JOINING, State.CLIENT_LEFT}


def test_only_players_move() -> None:
    states = {state for state, _, kind in LEGAL if kind is Move}
    assert states == {State.PLAYER_JOINING, State.PLAYER}


def test_only_spectators_watch() -> None:
    states = {state for state, _, kind in LEGAL if kind is Watch}
    assert states == {State.SPECTATOR_JOINING, State.SPECTATOR}


@pytest.mark.parametrize(
    ("side", "left"), [(Side.CLIENT, State.CLIENT_LEFT), (Side.SERVER, State.SERVER_LEFT)]
)
def test_peer_that_has_left_sends_nothing(side: Side, left: State) -> None:
    kinds = {kind for state, sender, kind in LEGAL if (state, sender) == (left, side)}
    assert kinds == set()


def test_no_message_is_sent_after_the_end() -> None:
    assert {kind for state, _, kind in LEGAL if state is State.CLOSED} == set()


def test_goodbye_of_either_peer_ends_the_session() -> None:
    ends = {
        cell
        for sides in TRANSITIONS.values()
        for row in sides.values()
        for kind, cell in row.items()
        if kind is Goodbye and isinstance(cell, State)
    }
    assert ends == ENDED
