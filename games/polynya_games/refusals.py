"""Refusals as codes with fields, and the sentences that show them in every language.

A table gives for each code one template per language; ``{cell}`` in it is a field of the refusal.
A field that is a mapping ``{"code": …, "fields": …}`` is a refusal within the refusal. The English
template makes the error's own sentence, so it is written nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from polynya_games.errors import GameError

Templates = Mapping[str, Mapping[str, str]]
"""By code and language (``en``, ``de``): the template of the sentence."""

ENGLISH: Final = "en"
"""The language that every table has for each of its codes."""

Error = TypeVar("Error", bound=GameError)


class HasRefusals(Protocol):
    """A game, seen as the owner of its table."""

    @property
    def refusals(self) -> Templates:
        """The game's own codes and those of all games."""


COMMON: Final[Templates] = {
    "no_list_of_steps": {
        "en": "steps is a list of steps, not {value}",
        "de": "steps ist eine Liste von Schritten, nicht {value}",
    },
    "empty_turn": {
        "en": "the turn has no steps",
        "de": "der Zug hat keine Schritte",
    },
    "bad_step": {
        "en": "step {index}: {step}: {why}",
        "de": "Schritt {index}: {step}: {why}",
    },
    "step_after_turn": {
        "en": "step {index}: {step}: the turn is over before it",
        "de": "Schritt {index}: {step}: Der Zug ist davor schon zu Ende",
    },
    "unfinished_turn": {
        "en": "the turn is not over after its {count} steps",
        "de": "die gesendeten Schritte ({count}) beenden den Zug nicht",
    },
    "no_step": {
        "en": "a step is a list that begins with a verb, not {value}",
        "de": "ein Schritt ist eine Liste, die mit einem Verb beginnt, nicht {value}",
    },
    "unknown_verb": {
        "en": "the verb is one of {verbs}, not {value}",
        "de": "das Verb ist eines von {verbs}, nicht {value}",
    },
    "wrong_form": {
        "en": "the form is {form}, not {value}",
        "de": "die Form ist {form}, nicht {value}",
    },
    "no_integer": {
        "en": "{name} in {form} is an integer, not {value}",
        "de": "{name} in {form} ist eine ganze Zahl, nicht {value}",
    },
    "no_string": {
        "en": "{name} in {form} is a string, not {value}",
        "de": "{name} in {form} ist eine Zeichenkette, nicht {value}",
    },
    "other_seat": {
        "en": "seat {asked} is to move",
        "de": "Sitz {asked} ist am Zug",
    },
    "over_before": {
        "en": "the match is over before it",
        "de": "die Partie ist davor schon zu Ende",
    },
    "one_step": {
        "en": "a turn of this game is exactly one step, and this one has {count}",
        "de": "ein Zug dieses Spiels ist genau ein Schritt, und dieser hat {count}",
    },
    "not_legal": {
        "en": "the steps that are legal now are {legal}",
        "de": "jetzt sind diese Schritte erlaubt: {legal}",
    },
    "not_acting": {
        "en": "seat {seat} does not choose now; the seats that do: {acting}",
        "de": "Sitz {seat} wählt jetzt nicht; es wählen: {acting}",
    },
    "no_answer": {
        "en": "seat {seat} chooses now, and has neither a step nor a forfeit",
        "de": "Sitz {seat} wählt jetzt und hat weder einen Schritt noch ist er ausgeschieden",
    },
    "bad_joint_step": {
        "en": "seat {seat}: {why}",
        "de": "Sitz {seat}: {why}",
    },
    "not_one_turn": {
        "en": "events that are followed together are of one turn and of different seats",
        "de": "gemeinsam verfolgte Ereignisse gehören zu einem Zug und zu verschiedenen Sitzen",
    },
    "concealed_steps": {
        "en": "the steps of seat {seat} are concealed, so the position after them is not known",
        "de": "die Schritte von Sitz {seat} sind verborgen, also ist die Stellung danach unbekannt",
    },
    "bad_turn": {
        "en": "turn {turn}, seat {seat}: {why}",
        "de": "Zug {turn}, Sitz {seat}: {why}",
    },
    "match_over": {
        "en": "the match is over",
        "de": "die Partie ist zu Ende",
    },
    "no_seat": {
        "en": "the seats are 0 to {last}; {seat} is none",
        "de": "die Sitze sind 0 bis {last}; {seat} ist keiner davon",
    },
    "forfeited_already": {
        "en": "seat {seat} has forfeited already",
        "de": "Sitz {seat} ist schon ausgeschieden",
    },
    "out_already": {
        "en": "seat {seat} is out by the rules and cannot forfeit any more",
        "de": "Sitz {seat} ist nach den Regeln schon ausgeschieden und kann nicht mehr aufgeben",
    },
    "step_of_leaver": {
        "en": "seat {seat} leaves and has a step",
        "de": "Sitz {seat} scheidet aus und hat einen Schritt",
    },
    "forfeit_within_turn": {
        "en": "a forfeit is possible only between turns",
        "de": "ausscheiden kann ein Spieler nur zwischen zwei Zügen",
    },
    "wrong_players": {
        "en": "{game} is for {least} to {most} players, not {players}",
        "de": "{game} ist für {least} bis {most} Spieler, nicht für {players}",
    },
    "wrong_seed": {
        "en": "a seed is an integer from 0 to 2**64 - 1, not {seed}",
        "de": "ein Startwert ist eine ganze Zahl von 0 bis 2**64 - 1, nicht {seed}",
    },
    "wrong_deal": {
        "en": "a deal is 32 bytes, not {deal}",
        "de": "eine Mischung ist 32 Bytes lang, nicht {deal}",
    },
    "unknown_option": {
        "en": "{game} has no option {option}; its options are {options}",
        "de": "{game} hat keine Option {option}; es gibt die Optionen {options}",
    },
    "no_options": {
        "en": "{game} has no option {option}; it has none",
        "de": "{game} hat keine Option {option}; es hat keine",
    },
    "rows_no_list": {
        "en": "rows is a list of rows, each [length, indent] or a list of such segments, not "
        "{value}",
        "de": "rows ist eine Liste von Reihen, jede [Länge, Einzug] oder eine Liste solcher "
        "Stücke, nicht {value}",
    },
    "many_rows": {
        "en": "rows has {count} rows, more than {most} tiles can fill",
        "de": "rows hat {count} Reihen, mehr als {most} Platten füllen können",
    },
    "many_tiles": {
        "en": "rows has {count} tiles; a board has at most {most}",
        "de": "rows hat {count} Platten; ein Brett hat höchstens {most}",
    },
    "many_segments": {
        "en": "{key} has {count} segments, more than {most} tiles can fill",
        "de": "{key} hat {count} Stücke, mehr als {most} Platten füllen können",
    },
    "segments_overlap": {
        "en": "{key} begins at {indent}, but the segments of a row come from west to east and"
        " do not overlap: its indent is at least {least}",
        "de": "{key} beginnt bei {indent}, aber die Stücke einer Reihe liegen von West nach "
        "Ost, ohne sich zu überlappen: Der Einzug ist mindestens {least}",
    },
    "wrong_segment": {
        "en": "{key} is [length, indent], a length from 1 to {most} and an indent from 0 to "
        "{most_indent}, not {value}",
        "de": "{key} ist [Länge, Einzug], eine Länge von 1 bis {most} und ein Einzug von 0 "
        "bis {most_indent}, nicht {value}",
    },
    "no_object": {
        "en": "a state is an object with the keys of its game, not {value}",
        "de": "eine Stellung ist ein Objekt mit den Schlüsseln ihres Spiels, nicht {value}",
    },
    "missing_key": {
        "en": "{key} is missing",
        "de": "{key} fehlt",
    },
    "unknown_key": {
        "en": "{key} is not a key of this game's state",
        "de": "{key} ist kein Schlüssel einer Stellung dieses Spiels",
    },
    "out_of_range": {
        "en": "{key} is an integer from {least} to {most}, not {value}",
        "de": "{key} ist eine ganze Zahl von {least} bis {most}, nicht {value}",
    },
    "below_range": {
        "en": "{key} is an integer from {least}, not {value}",
        "de": "{key} ist eine ganze Zahl ab {least}, nicht {value}",
    },
    "no_boolean": {
        "en": "{key} is true or false, not {value}",
        "de": "{key} ist true oder false, nicht {value}",
    },
    "other_value": {
        "en": "{key} is {choices}, not {value}",
        "de": "{key} ist {choices}, nicht {value}",
    },
    "no_list": {
        "en": "{key} is a list, not {value}",
        "de": "{key} ist eine Liste, nicht {value}",
    },
    "wrong_length": {
        "en": "{key} has {length} elements, not {count}",
        "de": "{key} hat {length} Elemente, nicht {count}",
    },
    "not_ascending": {
        "en": "{key} is in ascending order without duplicates",
        "de": "{key} ist aufsteigend geordnet, ohne Wiederholungen",
    },
    "seat_twice": {
        "en": "{key} names no seat twice",
        "de": "{key} nennt keinen Sitz zweimal",
    },
    "empty_group": {
        "en": "{key} has no empty list among its lists",
        "de": "{key} enthält keine leere Liste",
    },
}
"""The refusals that are the same in every game."""


def refusal(
    error: Callable[[str, str, Mapping[str, Any]], Error],
    table: Templates,
    code: str,
    /,
    **fields: Any,
) -> Error:
    """The error of a code: its sentence is the English template, filled in.

    Args:
        error: the kind of error.
        table: has the code.
        code: names the rule that refuses.
        fields: JSON values for the template; an error stands for its sentence, and is kept as a
            refusal within this one.
    """
    sentence = table[code][ENGLISH].format_map(fields)
    kept = {
        name: _within(value) if isinstance(value, GameError) else value
        for name, value in fields.items()
    }
    return error(sentence, code, kept)


def _within(error: GameError) -> str | dict[str, Any]:
    """An error as a field of another: its code and fields, or its sentence if it has no code."""
    if error.code is None:
        return str(error)
    return {"code": error.code, "fields": dict(error.fields)}


def render(
    table: HasRefusals | Templates, code: str, fields: Mapping[str, Any], language: str
) -> str | None:
    """The sentence of a refusal, in English where the table lacks the language.

    Args:
        table: a game, or a table of codes.
        code: ``error.code``.
        fields: ``error.fields``.
        language: ``en``, ``de``, …

    Returns:
        None where the table does not have the code, or a field of its template is missing: the
        refusal is of another release of the game, and only ``str(error)`` is known.
    """
    templates = table if isinstance(table, Mapping) else table.refusals
    known = templates.get(code, {})
    template = known.get(language) or known.get(ENGLISH)
    if template is None:
        return None
    try:
        return template.format_map(_filled(templates, fields, language))
    except KeyError:
        return None


def _filled(table: Templates, fields: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The fields, those that are refusals themselves as sentences; without the unknown ones."""
    filled = dict(fields)
    for name, value in fields.items():
        if isinstance(value, Mapping) and "code" in value:
            sentence = render(table, value["code"], value.get("fields", {}), language)
            if sentence is None:
                del filled[name]
            else:
                filled[name] = sentence
    return filled
