"""Why a step, a forfeit or an option is refused, by code and in every language."""

from __future__ import annotations

from polynya_games.refusals import COMMON, Templates

REFUSALS: Templates = {
    **COMMON,
    "no_number": {
        "en": "{name} is a number from {least} to {most}, not {value}",
        "de": "{name} ist eine Zahl von {least} bis {most}, nicht {value}",
    },
    "no_choice": {
        "en": "{name} is one of {choices}, not {value}",
        "de": "{name} ist eines von {choices}, nicht {value}",
    },
    "tipped_twice": {
        "en": "both tips of this turn have been made",
        "de": "in diesem Zug wurde schon zweimal gekippt",
    },
    "tips_first": {
        "en": "a turn begins with two tips; tips made so far: {count}",
        "de": "ein Zug beginnt damit, zweimal zu kippen; bisher gekippt: {count}",
    },
    "other_direction": {
        "en": "the pair {pair} is tipped {one} or {other}, not {direction}",
        "de": "das Paar {pair} wird nach {one} oder {other} gekippt, nicht nach {direction}",
    },
    "tip_undone": {
        "en": "the pair {pair} has just been tipped {direction} and may not go back",
        "de": "das Paar {pair} wurde gerade nach {direction} gekippt und darf nicht zurück",
    },
    "arcs_used": {
        "en": "every arc on top ({count}) has been used",
        "de": "jeder Bogen, der oben liegt ({count}), ist benutzt",
    },
    "no_arc": {
        "en": "no arc is on top",
        "de": "kein Bogen liegt oben",
    },
    "circle_on_top": {
        "en": "the symbol on top at position {position} is a circle, not an arrow",
        "de": "oben auf Position {position} liegt ein Kreis, kein Pfeil",
    },
    "arc_on_top": {
        "en": "the symbol on top at position {position} is an arc, not an arrow",
        "de": "oben auf Position {position} liegt ein Bogen, kein Pfeil",
    },
    "arrow_used": {
        "en": "the arrow at position {position} has been used, and no circle is left",
        "de": "der Pfeil auf Position {position} ist benutzt, und kein Kreis ist übrig",
    },
    "start_has_no_index": {
        "en": "index is 0 for a pawn from the start area, not {index}",
        "de": "index ist 0 für eine Figur vom Start, nicht {index}",
    },
    "none_at_start": {
        "en": "no pawn of colour {colour} is in the start area",
        "de": "keine Figur der Farbe {colour} ist am Start",
    },
    "no_pawn": {
        "en": "no pawn stands at index {index} of the stack on field {field} of path {path}",
        "de": "auf Höhe {index} des Stapels auf Pfad {path}, Feld {field}, steht keine Figur",
    },
    "pawn_of_other_colour": {
        "en": "the pawn at index {index} of the stack on field {field} of path {path} has colour "
        "{colour}, the arrow at position {position} has colour {arrow}",
        "de": "die Figur auf Höhe {index} des Stapels auf Pfad {path}, Feld {field}, hat die Farbe "
        "{colour}, der Pfeil auf Position {position} die Farbe {arrow}",
    },
    "advance_owed": {
        "en": "the arrow at position {position} can still advance a pawn, as {step} would; "
        "a turn ends when no advance is possible",
        "de": "der Pfeil auf Position {position} kann noch eine Figur ziehen, etwa mit {step}; "
        "ein Zug endet, wenn das keiner mehr kann",
    },
    "unknown_setup": {
        "en": "setup is one of {choices}, not {value}",
        "de": "setup ist eines von {choices}, nicht {value}",
    },
    "blocks_exclude_setup": {
        "en": "blocks and setup exclude each other: give one of them",
        "de": "blocks und setup schließen sich aus: Gib eines davon an",
    },
    "impossible_face": {
        "en": "{key} is {value}, but on the {face} face an arrow (0 to 3) points {directions}, "
        "and a circle (4) or an arc (5) nowhere (null)",
        "de": "{key} ist {value}, aber auf der Seite {face} zeigt ein Pfeil (0 bis 3) nach "
        "{directions}, und ein Kreis (4) oder ein Bogen (5) nirgendwohin (null)",
    },
}
"""The refusals of this game, those of all games among them."""
