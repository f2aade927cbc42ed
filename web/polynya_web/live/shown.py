"""A match in play as its viewers may see it, beside its server or elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from polynya_games import load
from polynya_games.seats import SeatState
from polynya_protocol.messages import Step
from polynya_server.records import ForfeitRecord
from polynya_server.spectating.match_in_play import MatchInPlay
from polynya_web.content.frames import Frames, present_scores
from polynya_web.content.seats.told_frames import AudienceFrames, ToldFrames
from polynya_web.live.game_servers import LiveMatch
from polynya_web.remote.remote_match import RemotePublicMatch

LiveFrames = Frames | AudienceFrames | ToldFrames


class LastStep(NamedTuple):
    """The last step of the last turn; None where there is none or it is concealed."""

    step: Step | None = None
    seat: int | None = None


def frames_of(match: LiveMatch, *, with_info: bool) -> LiveFrames:
    """The frames of a match from the beginning of its events, to follow these.

    Args:
        match: the match.
        with_info: whether remarks of bots are shown, where everybody sees everything.
    """
    game = load(match.setup.game)
    if isinstance(match, RemotePublicMatch):
        return ToldFrames(game, match.initially_known, None)
    if isinstance(match, MatchInPlay) and not match.terms.is_plain:
        return AudienceFrames(game, match.initial_state, None)
    return Frames(match.setup.game, match.initial_state, with_info=with_info)


def known_now(match: LiveMatch) -> SeatState:
    """The present knowledge of the spectators."""
    if isinstance(match, RemotePublicMatch):
        return match.known
    return SeatState.of(match.state, None)


def board_now(match: LiveMatch) -> dict[str, Any]:
    """The document of the position that spectators see now."""
    return dict(known_now(match).view)


def scores_now(match: LiveMatch) -> list[int] | None:
    """The scores that spectators see now; None without any."""
    if isinstance(match, RemotePublicMatch):
        return match.scores
    return present_scores(load(match.setup.game), match.state)


def last_step(match: LiveMatch) -> LastStep:
    """The last step, as far as spectators know it."""
    if not len(match.events):
        return LastStep()
    last = match.events[-1].event if isinstance(match, RemotePublicMatch) else match.events[-1]
    if isinstance(last, ForfeitRecord):
        return LastStep()
    is_told = last.seat not in known_now(match).concealed
    return LastStep(last.steps[-1] if last.steps and is_told else None, last.seat)
