"""The two ends of a connection against each other, without sockets."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_protocol import (
    Connection,
    FrameTooLong,
    LocalProtocolError,
    RemoteProtocolError,
    client_side,
    encode,
    server_side,
)
from polynya_protocol.framing import MAX_FRAME_FROM_CLIENT, MAX_FRAME_FROM_SERVER
from polynya_protocol.messages import (
    Error,
    Forfeited,
    FromClient,
    FromServer,
    Goodbye,
    Hello,
    Move,
    Ping,
    Pong,
    Ready,
    Server,
    Turn,
    Watch,
    Welcome,
)
from polynya_protocol.states import State

Client = Connection[FromServer, FromClient]
ServerEnd = Connection[FromClient, FromServer]

HELLO = Hello(protocol=1, name="alice")
WELCOME = Welcome(
    protocol=1,
    server=Server(name="polynya", version="1"),
    bot="alice",
    session="1",
    heartbeat_ms=10_000,
    max_frame=2048,
    matches=[],
)
MOVE = Move(match="m", turn=1, steps=[["move", 12, 40]])
TURN = Turn(match="m", seq=1, turn=1, remaining_ms=100)
UNKNOWN = encode(Ping(nonce=1)).replace(b"ping", b"king")


def joined(hello: Hello = HELLO) -> tuple[Client, ServerEnd]:
    client, server = client_side(), server_side()
    server.receive_data(client.send(hello))
    client.receive_data(server.send(WELCOME))
    return client, server


def verdicts(received: list[Any]) -> list[tuple[str, bool]]:
    assert all(isinstance(each, RemoteProtocolError) for each in received)
    return [(each.code, each.fatal) for each in received]


def test_hello_and_welcome_open_a_players_session() -> None:
    client, server = client_side(), server_side()
    assert server.receive_data(client.send(HELLO)) == [HELLO]
    assert client.receive_data(server.send(WELCOME)) == [WELCOME]
    assert (client.state, server.state) == (State.PLAYER, State.PLAYER)


def test_a_spectators_hello_opens_a_spectators_session() -> None:
    client, server = joined(Hello(protocol=1, role="spectator"))
    assert (client.state, server.state) == (State.SPECTATOR, State.SPECTATOR)


def test_frames_may_follow_hello_without_waiting_for_welcome() -> None:
    client, server = client_side(), server_side()
    data = client.send(HELLO) + client.send(Ready(match="m")) + client.send(Ping(nonce="x"))
    assert [HELLO, Ready(match="m"), Ping(nonce="x")] == server.receive_data(data)


def test_a_turn_is_asked_for_and_answered() -> None:
    client, server = joined()
    assert client.receive_data(server.send(TURN)) == [TURN]
    assert server.receive_data(client.send(MOVE)) == [MOVE]


@pytest.mark.parametrize("asks", ["client", "server"])
def test_either_side_may_ping(asks: str) -> None:
    client, server = joined()
    ends: Any = (client, server) if asks == "client" else (server, client)
    assert [Ping(nonce=7)] == ends[1].receive_data(ends[0].send(Ping(nonce=7)))
    assert [Pong(nonce=7)] == ends[0].receive_data(ends[1].send(Pong(nonce=7)))


def test_the_first_frame_must_be_hello() -> None:
    assert verdicts(server_side().receive_data(encode(Ready(match="m")))) == [("malformed", True)]


def test_an_unknown_message_is_no_first_frame() -> None:
    assert verdicts(server_side().receive_data(UNKNOWN)) == [("malformed", True)]


def test_a_second_hello_is_fatal() -> None:
    _, server = joined()
    assert verdicts(server.receive_data(encode(HELLO))) == [("malformed", True)]


def test_an_unknown_message_does_not_disturb_its_neighbours() -> None:
    _, server = joined()
    first, error, last = server.receive_data(encode(MOVE) + UNKNOWN + encode(Ping(nonce=1)))
    assert [MOVE, Ping(nonce=1)] == [first, last]
    assert verdicts([error]) == [("unknown_type", False)]


def test_a_good_frame_before_a_bad_one_counts() -> None:
    _, server = joined()
    move, error = server.receive_data(encode(MOVE) + b"\x00\x00\x00\x00" + encode(MOVE))
    assert move == MOVE
    assert verdicts([error]) == [("malformed", True)]


def test_nothing_is_heard_after_a_fatal_error() -> None:
    _, server = joined()
    server.receive_data(b"\x00\x00\x00\x01\xc1" + encode(MOVE))
    assert server.receive_data(encode(MOVE)) == []


def test_fatal_error_is_sent_to_the_peer() -> None:
    client, server = joined()
    [error] = server.receive_data(encode(Error(code="late", message=".", fatal=True)))
    assert isinstance(error, RemoteProtocolError)
    [told] = client.receive_data(server.send(error.reply()))
    assert told == Error(code="unknown_type", message=error.message, fatal=True)
    assert (client.state, server.state) == (State.SERVER_LEFT, State.SERVER_LEFT)


def test_unsupported_version_gets_the_supported_ones() -> None:
    server = server_side()
    [error] = server.receive_data(encode(Hello(protocol=2, name="alice")))
    assert isinstance(error, RemoteProtocolError)
    assert error.reply().supported == [1]


def test_a_player_may_not_watch() -> None:
    client, server = joined()
    assert verdicts(server.receive_data(encode(Watch(all=True)))) == [("malformed", False)]
    with pytest.raises(LocalProtocolError, match="may not send watch while player"):
        client.send(Watch(all=True))


def test_a_spectator_may_not_move() -> None:
    client, server = joined(Hello(protocol=1, role="spectator"))
    assert verdicts(server.receive_data(encode(MOVE))) == [("unknown_match", False)]
    with pytest.raises(LocalProtocolError, match="may not send move while spectator"):
        client.send(MOVE)


def test_a_spectator_is_asked_nothing() -> None:
    client, server = joined(Hello(protocol=1, role="spectator"))
    assert verdicts(client.receive_data(encode(TURN))) == [("malformed", True)]
    with pytest.raises(LocalProtocolError, match="may not send turn while spectator"):
        server.send(TURN)


def test_welcome_needs_a_hello() -> None:
    with pytest.raises(LocalProtocolError, match="may not send welcome while awaiting hello"):
        server_side().send(WELCOME)


def test_a_server_may_refuse_before_any_hello() -> None:
    client, server = client_side(), server_side()
    late = Error(code="hello_timeout", message="no hello came within 5 s", fatal=True)
    assert [late] == client.receive_data(server.send(late))


def test_goodbyes_of_both_sides_close_the_session() -> None:
    client, server = joined()
    leave = client.send(Goodbye())
    assert [Goodbye()] == server.receive_data(leave)
    client.receive_data(server.send(Goodbye()))
    assert State.CLOSED is server.state


def test_server_may_send_results_to_a_leaving_client() -> None:
    client, server = joined()
    server.receive_data(client.send(Goodbye()))
    gone = Forfeited(match="m", seq=1, seat=0, reason="disconnected", detail="alice left")
    assert server.send(gone) == encode(gone)


def test_a_side_that_said_goodbye_says_no_more() -> None:
    client, _ = joined()
    client.send(Goodbye())
    with pytest.raises(LocalProtocolError, match="may not send move while client left"):
        client.send(MOVE)


def test_messages_crossing_the_servers_goodbye_are_dropped() -> None:
    client, server = joined()
    move = client.send(MOVE)
    server.send(Goodbye(reason="replaced"))
    assert server.receive_data(move + b"\x00\x00\x00\x00") == []


def test_the_end_of_the_bytes_closes_the_session() -> None:
    _, server = joined()
    server.receive_data(encode(MOVE)[:-1])
    server.receive_end()
    assert (server.state, server.pending) == (State.CLOSED, 0)


def test_a_server_keeps_to_the_clients_bound() -> None:
    client, server = joined(Hello(protocol=1, name="alice", max_frame=1024))
    error = Error(code="late", message="x" * 1024, fatal=True)
    with pytest.raises(FrameTooLong, match="over the peer's limit of 1024"):
        server.send(error)
    assert client.receive_data(server.send(TURN)) == [TURN]


def test_a_client_keeps_to_the_bound_in_welcome() -> None:
    client, _ = joined()
    size = len(encode(Ready(match=""))) - 4 + 3
    assert len(client.send(Ready(match="x" * (2048 - size - 1)))) <= 2048 + 4
    with pytest.raises(FrameTooLong, match="over the peer's limit of 2048"):
        client.send(Ready(match="x" * 2048))


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize(
    ("end", "limit"),
    [(server_side, MAX_FRAME_FROM_CLIENT), (client_side, MAX_FRAME_FROM_SERVER)],
)
def test_a_frame_may_be_as_long_as_the_bound_and_no_longer(end: Any, limit: int, over: int) -> None:
    connection = end()
    received = connection.receive_data((limit + over).to_bytes(4, "big"))
    assert verdicts(received) == ([("too_large", True)] if over else [])


def test_a_bound_of_the_server_can_be_set() -> None:
    size = len(encode(HELLO)) - 4
    assert server_side(max_frame=size).receive_data(encode(HELLO)) == [HELLO]
    received = server_side(max_frame=size - 1).receive_data(encode(HELLO))
    assert verdicts(received) == [("too_large", True)]


def test_a_refused_length_waits_for_no_bytes() -> None:
    server = server_side()
    server.receive_data(b"\xff\xff\xff\xff" + bytes(1000))
    assert server.pending == 0


messages = st.sampled_from([MOVE, Ready(match="m"), Ping(nonce="x" * 60), Ping(nonce=2**64 - 1)])


@given(st.lists(messages), st.lists(st.integers(1, 40)))
def test_the_network_may_cut_the_bytes_anywhere(sent: list[Any], sizes: list[int]) -> None:
    _, server = joined()
    data = b"".join(map(encode, sent))
    received: list[Any] = []
    for size in sizes:
        received += server.receive_data(data[:size])
        data = data[size:]
    received += server.receive_data(data)
    assert sent == received


@given(st.lists(st.binary(max_size=100) | messages.map(encode)))
def test_any_bytes_end_in_messages_or_verdicts(chunks: list[bytes]) -> None:
    server = server_side(max_frame=80)
    received = server.receive_data(encode(HELLO))
    for chunk in chunks:
        received += server.receive_data(chunk)
        assert server.pending <= 80 + 3
    assert all(isinstance(each, FromClient | RemoteProtocolError) for each in received)


@given(st.data())
def test_both_ends_follow_the_same_table(data: st.DataObject) -> None:
    """Whatever one end may send in a state, the other takes, and both arrive in the same state."""
    client, server = client_side(), server_side()
    goodbyes = [Goodbye(), Error(code="late", message=".", fatal=True)]
    samples: Any = {
        "client": [
            HELLO,
            Hello(protocol=1, role="spectator"),
            MOVE,
            Watch(all=True),
            Ping(nonce=1),
        ],
        "server": [WELCOME, TURN, Pong(nonce=1), Error(code="late", message=".", fatal=False)],
    }
    for _ in range(data.draw(st.integers(0, 8))):
        name = data.draw(st.sampled_from(["client", "server"]))
        message = data.draw(st.sampled_from(samples[name] + goodbyes[: 1 + (name == "server")]))
        sender, receiver = (client, server) if name == "client" else (server, client)
        was_open = receiver.state not in (State.CLIENT_LEFT, State.SERVER_LEFT, State.CLOSED)
        try:
            frame = sender.send(message)
        except LocalProtocolError:
            continue
        assert receiver.receive_data(frame) == ([message] if was_open else [])
        if was_open:
            assert sender.state is receiver.state
