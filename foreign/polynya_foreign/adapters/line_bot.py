"""Programs that read lines and print one line a turn, as those of CodinGame do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from polynya_client import Bot, Match, Turn
from polynya_client.events import Legal, MatchOver, Step, Steps
from polynya_foreign.adapters.line_template import LineTemplate
from polynya_foreign.adapters.program import EngineFailed, Program, quoted
from polynya_foreign.adapters.template_text import TemplateError

_SECONDS: Final = 5
"""How long a program may take to read what is printed before the first turn."""
_MARGIN: Final = 0.05
_MOST_PROGRAMS: Final = 16


@dataclass(slots=True)
class _Running:
    """The program of a match, with the turn that it answered last and its line."""

    program: Program
    turn: int = 0
    line: str = ""


class LineBot(Bot):
    """A bot whose steps a program prints; each match has a process of its own.

    Args:
        template: what the program is told, and how its answers are read.
        start: starts the program.
    """

    def __init__(self, template: LineTemplate, start: Callable[[], Program]) -> None:
        self._template = template
        self._start = start
        self._running: dict[str, _Running] = {}

    def match_start(self, match: Match) -> None:
        """Start a program for this match; a match that is taken up again keeps its own."""
        if match.id not in self._running:
            self._begin(match)

    def _begin(self, match: Match) -> _Running:
        if len(self._running) >= _MOST_PROGRAMS:
            # A match that ended while the connection was lost has told of no end.
            self._running.pop(next(iter(self._running))).program.close(0)
        running = self._running[match.id] = _Running(self._start())
        try:
            text = self._template.start({**_facts(match), "state": match.state})
        except TemplateError as error:
            raise EngineFailed(f"the template's start: {error}") from error
        _tell(running.program, text, time.monotonic() + _SECONDS)
        return running

    def turn(self, turn: Turn) -> Steps:
        """The steps in the program's line."""
        running = self._running.get(turn.match.id) or self._begin(turn.match)
        scope = {
            **_facts(turn.match),
            "turn": turn.number,
            "remaining_ms": turn.remaining_ms,
            "state": turn.state,
            "legal": turn.legal,
        }
        # After a lost connection the same turn is asked again; the program knows it already.
        if running.turn != turn.number:
            running.line = self._ask(running.program, turn, scope)
            running.turn = turn.number
        return self._read(turn, running.line, scope)

    def _ask(self, program: Program, turn: Turn, scope: dict[str, Any]) -> str:
        """The program's line for a turn.

        Raises:
            EngineFailed: there is none, or it printed one before.
        """
        deadline = turn.deadline - min(_MARGIN, turn.remaining_ms / 5000)
        unasked = program.waiting_line()
        if unasked is not None:
            raise EngineFailed(
                f"it printed more than one line in a turn, or unasked: {quoted(unasked)}"
            )
        try:
            text = self._template.turn(scope)
        except TemplateError as error:
            raise EngineFailed(f"the template's turn: {error}") from error
        _tell(program, text, deadline)
        return _answer(program, deadline)

    def _read(self, turn: Turn, line: str, scope: dict[str, Any]) -> Steps:
        """The steps in a line, each checked against the legal ones.

        Raises:
            EngineFailed: a step is not legal, or the line has another form.
        """
        steps: list[Step] = []
        legal = Legal(turn.legal, turn_over=False)
        try:
            for step in self._template.steps(line, scope):
                if steps:
                    legal = turn.legal_after(steps)
                if legal.turn_over or step not in legal.steps:
                    raise EngineFailed(f"its answer {quoted(line)} is no legal step: {step}")
                steps.append(step)
        except TemplateError as error:
            raise EngineFailed(f"its answer: {error}") from error
        return steps

    def match_over(self, match: Match, over: MatchOver) -> None:  # noqa: ARG002
        """End the program of this match."""
        running = self._running.pop(match.id, None)
        if running is not None:
            running.program.close()

    def close(self) -> None:
        """End the programs that are still in a match: at once."""
        while self._running:
            _, running = self._running.popitem()
            running.program.close(0)


def _facts(match: Match) -> dict[str, Any]:
    """The names of both texts of a template."""
    return {
        "game": match.game,
        "match": match.id,
        "seat": match.seat,
        "players": [player.name for player in match.players],
        "options": match.options,
        "move_ms": match.clock.move_ms,
    }


def _tell(program: Program, text: str, deadline: float) -> None:
    if text:
        program.tell(text.removesuffix("\n"), deadline)


def _answer(program: Program, deadline: float) -> str:
    """The program's line.

    Raises:
        EngineFailed: it is late, or no line of plain text.
    """
    try:
        line = program.line(deadline).replace("\t", " ").strip(" ")
    except TimeoutError:
        begun = program.unfinished_line()
        if begun:
            raise EngineFailed(f"its answer {quoted(begun)} has no line end in time") from None
        raise EngineFailed("no line in time; does the program flush its output?") from None
    if not line.isprintable():
        raise EngineFailed(f"its answer {quoted(line)} has control characters")
    return line
