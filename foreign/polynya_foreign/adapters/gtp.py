"""Engines that speak the Go Text Protocol (version 2)."""

from __future__ import annotations

import math
import time
from typing import Final

from polynya_client import Bot, Turn
from polynya_client.events import Steps
from polynya_foreign.adapters.program import EngineFailed, Program, quoted

_SECONDS: Final = 30
"""How long an engine may take to set up a board."""
_MARGIN: Final = 0.05
_LINES: Final = 1_000


class GtpBot(Bot):
    """A bot whose moves are those of an engine.

    It tells the engine the whole history if the engine knows another one.

    Args:
        program: the engine.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._match = ""
        self._told: list[str] = []

    def turn(self, turn: Turn) -> Steps:
        """The engine's move, or its resignation."""
        deadline = turn.deadline - _MARGIN
        names = {str(step[1]).lower(): step for step in turn.legal}
        colour = str(turn.legal[0][1])[:1]
        if not _is_go(turn) or colour not in ("B", "W"):
            raise EngineFailed(f"the adapter gtp plays Go without handicap, not {turn.game}")
        self._follow(turn, deadline)
        self._tell_time(turn, colour, deadline)
        answer = self._ask(f"genmove {colour}", deadline)
        if answer.lower() == "resign":
            turn.resign()
            return []
        step = names.get(f"{colour} {answer}".lower())
        if step is None:
            raise EngineFailed(f"its answer {quoted(answer)} is no legal move")
        self._told.append(str(step[1]))
        return [step]

    def _follow(self, turn: Turn, deadline: float) -> None:
        """Bring the engine to this position."""
        played = [str(entry[2]) for entry in turn.state["history"]]
        if turn.match.id != self._match or played[: len(self._told)] != self._told:
            self._begin(turn)
            self._match, self._told = turn.match.id, []
        for name in played[len(self._told) :]:
            colour, vertex = name.split()
            self._ask(f"play {colour} {vertex}", deadline)
            self._told.append(name)

    def _begin(self, turn: Turn) -> None:
        deadline = min(time.monotonic() + _SECONDS, turn.deadline - _MARGIN)
        options = turn.state["options"]
        self._ask(f"boardsize {options['board_size']}", deadline)
        self._ask("clear_board", deadline)
        self._ask(f"komi {options['komi']}", deadline)
        clock = turn.match.clock
        if clock.initial_ms is not None:
            settings = f"{_whole(clock.initial_ms)} 0 0"
        else:
            settings = f"0 {_whole(turn.remaining_ms)} 1"
        self._ask(f"time_settings {settings}", deadline, may_refuse=True)

    def _tell_time(self, turn: Turn, colour: str, deadline: float) -> None:
        """Say what is left on our clock; an engine need not know the command."""
        stones = 1 if turn.match.clock.initial_ms is None else 0
        text = f"time_left {colour} {_whole(turn.remaining * 1000)} {stones}"
        self._ask(text, deadline, may_refuse=True)

    def _ask(self, command: str, deadline: float, *, may_refuse: bool = False) -> str:
        """The engine's answer to a command.

        Raises:
            EngineFailed: it refuses, says something else, or says nothing in time.
        """
        self._program.tell(command, deadline)
        try:
            lines = self._answer(deadline)
        except TimeoutError:
            raise EngineFailed(f"the engine did not answer {quoted(command)} in time") from None
        answer = "\n".join([lines[0][1:].lstrip("0123456789"), *lines[1:]]).strip()
        if lines[0][0] == "?" and not may_refuse:
            raise EngineFailed(f"the engine refused {quoted(command)}: {quoted(answer)}")
        return answer

    def _answer(self, deadline: float) -> list[str]:
        lines: list[str] = []
        for _ in range(_LINES):
            line = self._program.line(deadline).strip()
            if lines and not line:
                return lines
            if lines or line[:1] in ("=", "?"):
                lines.append(line)
        raise EngineFailed(f"the engine printed {_LINES} lines that are no answer")


def _is_go(turn: Turn) -> bool:
    """Whether a position has what the protocol tells an engine."""
    options = turn.state.get("options") or {}
    has_all = {"board_size", "komi"} <= options.keys() and "history" in turn.state
    return has_all and not options.get("handicap")


def _whole(milliseconds: float) -> int:
    """Seconds as the protocol has them: whole, and never 0, which would mean no limit."""
    return max(1, math.floor(milliseconds / 1000))
