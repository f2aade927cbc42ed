"""The choice of a reader of a match that is over: the whole truth, or the view of one audience."""

from __future__ import annotations

from polynya_games import GameError, State, load
from polynya_games.playthrough import Playthrough
from polynya_games.seats import Audience, concealed, view
from polynya_server.records import MatchRecord
from polynya_web.content.seats.told_frames import AudienceFrames

PUBLIC = "public"
"""The choice of the view that spectators had while the match ran; a seat's is its number."""


def choices(seats: int) -> list[str]:
    """The choices beside the whole truth."""
    return [PUBLIC, *seat_choices(seats)]


def seat_choices(seats: int) -> list[str]:
    """The choices of a seat's view, by seat."""
    return list(map(str, range(seats)))


def chosen_frames(record: MatchRecord, choice: str) -> AudienceFrames:
    """The frames of a record as the chosen audience knew it, to follow its events.

    Raises:
        ValueError: there is no such seat, or the record does not fit together.
    """
    seats = len(record.setup.players)
    if choice not in choices(seats):
        raise ValueError(f"{choice} is none of the seats 0 to {seats - 1}, and not {PUBLIC}")
    game = load(record.setup.game)
    audience: Audience = None if choice == PUBLIC else int(choice)
    return AudienceFrames(game, game.state_from_json(record.state), audience)


def has_views(game: str) -> bool:
    """Whether a game is installed here, and hides anything."""
    try:
        return load(game).has_view
    except GameError:
        return False


def differs_by_seat(record: MatchRecord) -> bool:
    """Whether some seat knew at some turn of a match more or less than the spectators.

    Raises:
        ValueError: the record does not fit together.
    """
    match = Playthrough(load(record.setup.game).state_from_json(record.state))
    if _differs(match.state):
        return True
    return any(_differs(match.state) for _ in match.follow_all(record.events))


def _differs(state: State) -> bool:
    """Whether a seat's view, or the steps concealed from it, are not those of the spectators."""
    public, hidden = view(state, None), concealed(state, None)
    return any(
        view(state, seat) != public or concealed(state, seat) != hidden
        for seat in range(state.players)
    )
