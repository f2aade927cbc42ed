"""Cases of peers of every kind against a server: the table of all cases, by paragraph."""

from __future__ import annotations

from polynya_conformance.server import frame_cases as frames
from polynya_conformance.server import session_cases as sessions
from polynya_conformance.server.server_under_test import Case

_HELLO, _FRAMES, _PINGS = "`hello`: client → server", "Frames", "`ping` and `pong`: either side"
_WRONG, _SPECTATORS = "When something is wrong", "Spectators"

UNHURRIED = Case(_HELLO, "a connection that says nothing", sessions.no_hello)
"""The one case that takes long; it is tried beside the others."""

CASES = (
    Case(_HELLO, "a player with name and token", sessions.plain_hello),
    Case(_HELLO, "a spectator without a name", sessions.hello_of_a_spectator),
    Case(_HELLO, "unknown keys and wants, very many matches", sessions.hello_with_more),
    Case(_HELLO, "frames after hello, without waiting", sessions.hello_and_more_at_once),
    Case(_HELLO, "a wrong token", sessions.wrong_token),
    Case(_HELLO, "an unknown token", sessions.nobodys_token),
    Case(_HELLO, "a registered name without token", sessions.no_token),
    Case(_HELLO, "a token with an unknown name", sessions.token_alone),
    Case(_HELLO, "new names that would be mistaken", sessions.mistaken_names),
    Case(_FRAMES, "a hello in pieces", frames.hello_in_pieces),
    Case(_FRAMES, "keys in another order, longest forms, nil", frames.hello_in_other_forms),
    Case(_FRAMES, "a frame of exactly max_frame", frames.longest_frame),
    Case(_FRAMES, "a frame over max_frame", frames.too_long_frame),
    Case(_FRAMES, "a frame of no bytes", frames.empty_frame),
    Case(_FRAMES, "16 levels", frames.deepest),
    Case(_FRAMES, "4,096 entries, and one more", frames.most_entries),
    Case(_PINGS, "nonces of every kind", sessions.echoes),
    Case(_PINGS, f"{sessions.POLITE} pings at once", sessions.many_pings),
    Case(_PINGS, "a pong that answers nothing", sessions.unasked_pong),
    Case("`goodbye`: either side", "a goodbye", sessions.goodbye),
    Case("Lost connections", "a session taken over", sessions.taken_over),
    Case(_WRONG, "bad first frames (shared vectors)", frames.refused_first_frames),
    Case(_WRONG, "bad frames from a player (shared vectors)", frames.refused_from_players),
    Case(_WRONG, "bad frames from a spectator (shared vectors)", frames.refused_from_spectators),
    Case(_WRONG, "an error while the client continues to send", frames.error_before_the_end),
    Case(_WRONG, "an error to a client that has closed its half", frames.half_closed),
    Case("`move`: player → server", "a match that this bot never had", sessions.unknown_match),
    Case(_SPECTATORS, "a match that is not there", sessions.watching_nothing),
)
