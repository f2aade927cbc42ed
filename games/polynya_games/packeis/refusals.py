"""Why a step, a forfeit or an option is refused, by code and in every language."""

from __future__ import annotations

from typing import Any, Final

from polynya_games.errors import IllegalStep, InvalidStep, describe
from polynya_games.packeis.board import BIT, CELLS, slide
from polynya_games.packeis.position import Position
from polynya_games.refusals import COMMON, Templates, refusal

REFUSALS: Final[Templates] = {
    **COMMON,
    "no_cell": {
        "en": "cells are numbered 0 to {last}; {cell} is none",
        "de": "die Felder haben die Nummern 0 bis {last}; {cell} ist keine davon",
    },
    "other_phase": {
        "en": "the phase is {phase}: the verb is {verb}",
        "de": "die Phase ist {phase}: Das Verb ist {verb}",
    },
    "place_occupied": {
        "en": "there is a penguin on {cell} already",
        "de": "auf {cell} steht schon ein Pinguin",
    },
    "place_no_floe": {
        "en": "there is no floe at {cell} any more",
        "de": "auf {cell} ist keine Scholle mehr",
    },
    "place_many_fish": {
        "en": "penguins are placed on floes with one fish; the floe on {cell} carries {fish} fish",
        "de": "Pinguine werden auf Schollen mit einem Fisch gesetzt; "
        "die Scholle auf {cell} trägt {fish} Fische",
    },
    "foreign_penguin": {
        "en": "the penguin on {cell} belongs to seat {seat}",
        "de": "der Pinguin auf {cell} gehört Sitz {seat}",
    },
    "no_penguin": {
        "en": "there is no penguin on {cell}",
        "de": "auf {cell} steht kein Pinguin",
    },
    "not_straight": {
        "en": "{target} does not lie in a straight line from {origin}",
        "de": "{target} liegt von {origin} aus nicht in gerader Linie",
    },
    "target_occupied": {
        "en": "there is a penguin on {cell}",
        "de": "auf {cell} steht ein Pinguin",
    },
    "target_no_floe": {
        "en": "there is no floe at {cell}",
        "de": "auf {cell} ist keine Scholle",
    },
    "way_occupied": {
        "en": "there is a penguin on {cell}, on the way to {target}",
        "de": "auf {cell} steht ein Pinguin, auf dem Weg nach {target}",
    },
    "way_no_floe": {
        "en": "there is no floe at {cell}, on the way to {target}",
        "de": "auf {cell} ist keine Scholle, auf dem Weg nach {target}",
    },
    "withdrawn": {
        "en": "seat {seat} has withdrawn and cannot forfeit any more",
        "de": "Sitz {seat} hat sich zurückgezogen und kann nicht mehr ausscheiden",
    },
    "unknown_layout": {
        "en": "layout is one of {choices}, not {value}",
        "de": "layout ist eines von {choices}, nicht {value}",
    },
    "even_layout_excludes": {
        "en": '{option} and layout "even" exclude each other: give one',
        "de": '{option} und layout "even" schließen sich aus: Gib eines davon an',
    },
    "few_floes": {
        "en": "rows has {count} floes; a board has {floes}",
        "de": "rows hat {count} Schollen; ein Brett hat {floes}",
    },
    "rows_apart": {
        "en": "rows is not connected: some floes cannot be reached from the others",
        "de": "rows hängt nicht zusammen: Manche Schollen sind von den anderen aus "
        "nicht zu erreichen",
    },
    "fish_no_list": {
        "en": "fish is a list of {count} numbers from 1 to {most}, not {value}",
        "de": "fish ist eine Liste von {count} Zahlen von 1 bis {most}, nicht {value}",
    },
    "fish_wrong_length": {
        "en": "fish has {count} numbers, one a floe; there are {floes} floes",
        "de": "fish hat {count} Zahlen, eine für jede Scholle; es gibt {floes} Schollen",
    },
    "fish_wrong_number": {
        "en": "fish[{cell}] is an integer from 1 to {most}, not {value}",
        "de": "fish[{cell}] ist eine ganze Zahl von 1 bis {most}, nicht {value}",
    },
    "fish_few_ones": {
        "en": "fish has {ones} floes with one fish; with {players} players there are {penguins} "
        "penguins, and each needs one",
        "de": "fish hat {ones} Schollen mit einem Fisch; zu {players} Spielern gehören {penguins} "
        "Pinguine, und jeder braucht eine",
    },
}
"""The refusals of this game, those of all games among them."""

_VERBS: Final = {"placement": "place", "movement": "move"}


def step_refusal(state: Position, step: Any) -> InvalidStep | IllegalStep:
    """The error for a step of the right form that is not legal."""
    verb, *cells = step
    for cell in cells:
        if not 0 <= cell < CELLS:
            return refusal(InvalidStep, REFUSALS, "no_cell", last=CELLS - 1, cell=describe(cell))
    if state.to_move is None:
        return _illegal("match_over")
    if verb != _VERBS[state.phase]:
        return _illegal("other_phase", phase=state.phase, verb=_VERBS[state.phase])
    why_not = _why_not_place if verb == "place" else _why_not_move
    return why_not(state, *cells)


def _why_not_place(state: Position, cell: int) -> IllegalStep:
    if state.occupied & BIT[cell]:
        return _illegal("place_occupied", cell=cell)
    if not state.free & BIT[cell]:
        return _illegal("place_no_floe", cell=cell)
    return _illegal("place_many_fish", cell=cell, fish=state.layout.fish[cell])


def _why_not_move(state: Position, origin: int, target: int) -> IllegalStep:
    for seat, own in enumerate(state.penguins):
        if own & BIT[origin] and seat != state.to_move:
            return _illegal("foreign_penguin", cell=origin, seat=seat)
    if not state.occupied & BIT[origin]:
        return _illegal("no_penguin", cell=origin)
    board = state.layout.board
    if target not in board.targets[origin]:
        return _illegal("not_straight", target=target, origin=origin)
    ray = next(ray for ray in board.rays[origin] if target in ray)
    blocked = ray[len(slide(ray, state.free))]
    what = "occupied" if state.occupied & BIT[blocked] else "no_floe"
    if blocked == target:
        return _illegal(f"target_{what}", cell=blocked)
    return _illegal(f"way_{what}", cell=blocked, target=target)


def _illegal(code: str, **fields: Any) -> IllegalStep:
    return refusal(IllegalStep, REFUSALS, code, **fields)
