"""Writes a match as plain text to read and paste: tags with JSON values, then a line per turn.

The page ``docs/data.md`` describes the form. It has the set-up, the steps, what each turn was
charged, the forfeits and the result; :mod:`polynya_conformance.replay.text_reader` reads it.

A step ``["advance", 2, 0, 0]`` is written as ``advance 2 0 0``: a string is a word, a whole number
a number. Every other value stands as JSON, so that the steps of any game can be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, Reason
from polynya_common.text import moment
from polynya_games import load
from polynya_protocol.messages import Clock, OverReason, Software
from polynya_server.errors import cause_of_refusal
from polynya_server.match.match_setup import create_initial_state
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, Reveal

SEPARATOR = ";"
"""Between the steps of a turn."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERALS = {"true": True, "false": False, "null": None}
_PLAIN = re.compile(r'[^\s;"\[\]{}]+')
_DIGITS = re.compile(r"-?[0-9]{1,20}")
_DECODER = json.JSONDecoder(parse_constant=None, strict=True)


def steps_as_words(steps: Iterable[Iterable[Any]]) -> str:
    """The steps of a turn: ``tip N S; tip W E; end``."""
    return f"{SEPARATOR} ".join(" ".join(map(_as_word, step)) for step in steps)


def _as_word(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _LITERALS:
        return value
    return json.dumps(value, separators=(",", ":"))


def steps_of_words(text: str) -> list[list[Any]]:
    """Read steps that :func:`steps_as_words` wrote, without checking whether they are legal.

    Raises:
        ValueError: a step has no words, or something is no word, number or JSON; the message
            names it.
    """
    steps: list[list[Any]] = [[]]
    for value in _values(text):
        if value is SEPARATOR:
            steps.append([])
        else:
            steps[-1].append(value)
    for number, step in enumerate(steps, start=1):
        if not step:
            raise ValueError(Reason.of("step_without_words", step=number))
    return steps


def _values(text: str) -> Iterator[Any]:
    """Yield the values one by one, and ``SEPARATOR`` itself between two steps."""
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
        elif text[place] == SEPARATOR:
            yield SEPARATOR
            place += 1
        elif plain := _PLAIN.match(text, place):
            yield _plain_value(plain.group())
            place = plain.end()
        else:
            value, place = _json_value(text, place)
            yield value


def _plain_value(word: str) -> Any:
    if word in _LITERALS:
        return _LITERALS[word]
    if _WORD.fullmatch(word):
        return word
    if _DIGITS.fullmatch(word):
        return int(word)
    try:
        return float(word)
    except ValueError:
        raise ValueError(Reason.of("bad_word", word=word)) from None


def _json_value(text: str, place: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        shown = text[place : place + 20]
        raise ValueError(Reason.of("bad_value", start=shown)) from None


TEXT_VERSION = 1
TEXT_SUFFIX = ".match"
"""File name extension of the text form."""


class Tags(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename="pascal",
):
    """The tags of the form, in the order in which they are written; see ``MatchRecord``."""

    polynya: int
    match: str
    game: str
    bots: tuple[str, ...]
    seed: int
    deal: str | None = None
    reveal: Reveal = "match"
    options: dict[str, Any] = {}
    clock: Clock
    rated: bool = True
    untimed: tuple[int, ...] = ()
    ratings: tuple[float | None, ...] = ()
    software: list[Software | None] = []
    server: str = ""
    started: str
    finished: str
    reason: OverReason
    ranking: list[int] | None = None
    scores: list[int] | None = None
    termination: Literal["finished", "victory", "limit", "forfeit"] | None = None
    detail: Cause | None = None


def as_text(record: MatchRecord) -> str:
    """The match as text.

    Raises:
        TournamentError: its rules are not installed here, or give another initial position than
            the recorded one, so that the text could not be read back.
    """
    name = record.setup.match
    try:
        again, _ = create_initial_state(load, record.setup)
    except ValueError as error:
        raise TournamentError(
            Reason.of(
                "match_not_as_text", match=name, why=cause_of_refusal(error, record.setup.game)
            )
        ) from error
    if again.to_json() != record.state:
        raise TournamentError(Reason.of("match_start_differs", match=name))
    return "\n".join([*_tag_lines(record), "", *map(_event_line, record.events), ""])


def _tag_lines(record: MatchRecord) -> Iterator[str]:
    tags = msgspec.to_builtins(_tags(record))
    tags["Clock"] = {key: ms for key, ms in tags["Clock"].items() if ms is not None}
    yield from (f"[{name} {_json(value)}]" for name, value in tags.items())


def _json(value: object) -> str:
    """JSON in ASCII on one line: nothing in it steers a terminal, or ends the line."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    return "".join(char if " " <= char <= "~" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def _tags(record: MatchRecord) -> Tags:
    setup = record.setup
    return Tags(
        polynya=TEXT_VERSION,
        match=setup.match,
        game=setup.game,
        bots=setup.players,
        seed=setup.seed,
        deal=setup.deal,
        reveal=setup.reveal,
        options=setup.options,
        clock=setup.clock,
        rated=setup.rated,
        untimed=setup.untimed,
        ratings=setup.ratings,
        software=record.software if any(record.software) else [],
        server=record.server,
        started=_moment(record.started_ms),
        finished=_moment(record.finished_ms),
        reason=record.reason,
        ranking=record.ranking,
        scores=record.scores,
        termination=record.termination,
        detail=record.detail,
    )


def _moment(at_ms: int) -> str:
    try:
        return moment(at_ms, "milliseconds").replace(" ", "T").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError) as error:
        raise TournamentError(f"{at_ms} ms since 1970 is no time that can be written") from error


def _event_line(event: MatchEvent) -> str:
    who = f"{event.turn}. {event.seat}"
    if isinstance(event, ForfeitRecord):
        time = "" if event.charged_ms is None else f" ({event.charged_ms} ms)"
        return f"{who} forfeits {event.reason}{time}: {_json(event.detail)}"
    return f"{who} ({event.charged_ms} ms): {steps_as_words(event.steps)}"
