"""Types of the games' positions and steps, written by games/schema/make_schemas.py.

They are for type checkers: ``state: PackeisState = turn.state``. A position holds
plain dicts and lists. A bot may give its steps as tuples: ``step: PackeisStep = ...``.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

PackeisVerb = Literal["place", "move"]
"""The first words of the steps of Packeis am Pol."""

PackeisStep = (
    # cell
    tuple[Literal["place"], int]
    # from, to
    | tuple[Literal["move"], int, int]
)
"""A step of Packeis am Pol, as a bot gives it: a verb and its arguments."""


class PackeisState(TypedDict):
    """A position of Packeis am Pol."""

    game: Literal["packeis"]
    players: int
    """2 to 4; the number of seats"""
    phase: Literal["movement", "over", "placement"]
    to_move: int | None
    """a seat or null; null exactly when the match is over"""
    fish: list[int]
    """60 integers, 0 to 3; the fish on each floe; 0 where there is no floe any more"""
    penguins: list[list[int]]
    """a list of cells per seat; ascending"""
    fish_caught: list[int]
    """an integer per seat"""
    floes_caught: list[int]
    """an integer per seat"""
    out: list[bool]
    """true or false per seat; who makes no more turns; a forfeiter is out too"""
    forfeited: list[int]
    """a list of seats; in the order of the forfeits"""
    rows: NotRequired[list[list[int] | list[list[int]]]]
    """as in the option; only with that option"""


ArktiaVerb = Literal["neutral", "place", "move", "keep", "melt", "retire"]
"""The first words of the steps of Arktia."""

ArktiaStep = (
    # kind, cell
    tuple[Literal["neutral"], Literal["D", "G", "T"], int]
    # kind, cell
    | tuple[Literal["place"], Literal["D", "G", "T"], int]
    # from, count, to
    | tuple[Literal["move"], int, int, int]
    # colour, cell
    | tuple[Literal["keep"], int, int]
    # cell
    | tuple[Literal["melt"], int]
    | tuple[Literal["retire"]]
)
"""A step of Arktia, as a bot gives it: a verb and its arguments."""


class ArktiaState(TypedDict):
    """A position of Arktia."""

    game: Literal["arktia"]
    players: int
    """2 to 4; the number of seats"""
    phase: Literal["main", "neutral", "opening", "over"]
    round: int
    """an integer; of the main phase, from 1; 0 before it"""
    to_move: int | None
    """a seat or null; null exactly when the match is over"""
    rows: list[list[int] | list[list[int]]]
    """[[length, indent], …]; the board at the beginning"""
    ice: list[int]
    """1 or 0 per cell; 0: melted"""
    stacks: list[list[list[int | Literal["D", "G", "T"]]]]
    """a list per cell; [[colour, kind], …], bottom to top; [] where nothing stands"""
    reserve: list[list[int]]
    """[G, D, T] per seat; what they can still place"""
    neutral_reserve: list[list[int]]
    """[G, D, T] per seat; the neutral ones they can still place"""
    taken: list[int]
    """an integer per seat; muglus taken, tiles melted"""
    melted: list[int]
    """an integer per seat; muglus taken, tiles melted"""
    points: list[int]
    """an integer per seat; what each would have if the match ended now"""
    out: list[bool]
    """true or false per seat; who makes no more turns; a forfeiter is out too"""
    forfeited: list[int]
    """a list of seats; in the order of the forfeits"""
    round_limit: int
    """an integer"""
    owes: Literal["keep", "melt", None]
    """what the seat to move still has to do in this turn"""


IceCultVerb = Literal["tip", "rotate", "advance", "end"]
"""The first words of the steps of Ice Cult."""

IceCultStep = (
    # pair, direction
    tuple[Literal["tip"], Literal["E", "N", "S", "W"], Literal["E", "N", "S", "W"]]
    # position, turn
    | tuple[Literal["rotate"], int, Literal["ccw", "cw"]]
    # position, field, index
    | tuple[Literal["advance"], int, int, int]
    | tuple[Literal["end"]]
)
"""A step of Ice Cult, as a bot gives it: a verb and its arguments."""


class IceCultPaths(TypedDict):
    """Paths of a position of Ice Cult."""

    N: list[list[int]]
    E: list[list[int]]
    S: list[list[int]]
    W: list[list[int]]


class IceCultState(TypedDict):
    """A position of Ice Cult."""

    game: Literal["icecult"]
    players: int
    """2 to 4; the number of seats"""
    phase: Literal["act", "over", "tip"]
    """action 1, action 2, the match is over"""
    turn: int
    """an integer from 1; counts all players' turns; when the match is over, the last one begun"""
    to_move: int | None
    """a seat or null; null exactly when the match is over"""
    blocks: list[list[list[int | Literal["D", "E", "N", "S", "U", "W", None]]]]
    """per position six faces; in the order top, bottom, north, east, south, west; each is
    [symbol, direction], direction null for circle and arc"""
    paths: IceCultPaths
    """N, E, S, W: five stacks each; inside out, each a list of colours from bottom to top"""
    start: list[int]
    """four integers; pawns of each colour in the start area and in the goal"""
    goal: list[int]
    """four integers; pawns of each colour in the start area and in the goal"""
    tips: list[list[Literal["E", "N", "S", "W"]]]
    """a list of [pair, direction]; the tips of this turn so far; both of them in phase act"""
    uses: list[int]
    """four integers; how often the arrow at each position has been used in this turn"""
    arcs_left: int
    """an integer; arcs not used yet in this turn"""
    winners: list[int]
    """a list of seats, ascending; empty unless the match ended by tower or goal"""
    forfeited: list[int]
    """a list of seats; in the order of the forfeits"""
    turn_limit: int
    """an integer"""
