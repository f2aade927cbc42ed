"""Chess engines that speak the Universal Chess Interface."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any, Final

from polynya_client import Bot, Turn
from polynya_client.events import Steps
from polynya_foreign.adapters.moves import to_san
from polynya_foreign.adapters.program import EngineFailed, Program, quoted

_SECONDS: Final = 30
"""How long an engine may take to get ready."""
_MARGIN: Final = 0.05
_STOPPING: Final = 0.3
"""The part of the time at its end that is kept for an engine that has to be stopped, at most."""
_PV: Final = 8
_LONGEST_NUMBER: Final = 9


class UciBot(Bot):
    """A bot whose moves are those of an engine.

    Args:
        program: the engine.
        options: the engine's own, by name.
    """

    def __init__(self, program: Program, options: Mapping[str, str]) -> None:
        self._program = program
        self._options = options
        self._match: str | None = None

    def prepare(self) -> None:
        """Greet the engine and set its options.

        Raises:
            EngineFailed: it does not answer.
        """
        deadline = time.monotonic() + _SECONDS
        self._program.tell("uci", deadline)
        self._awaited("uciok", deadline)
        for name, value in self._options.items():
            self._program.tell(f"setoption name {name} value {value}", deadline)
        self._ready(deadline)

    def turn(self, turn: Turn) -> Steps:
        """The engine's move, with its remarks."""
        state = turn.state
        fen = state.get("state") if isinstance(state, dict) else None
        if not isinstance(fen, str) or len(fen.split()) != 6:
            raise EngineFailed(f"the adapter uci plays chess, not {turn.game}")
        deadline = turn.deadline - _MARGIN
        if turn.match.id != self._match:
            self._match = turn.match.id
            is_960 = str(bool(state["options"].get("chess960"))).lower()
            self._program.tell(f"setoption name UCI_Chess960 value {is_960}", deadline)
            self._program.tell("ucinewgame", deadline)
            self._ready(deadline)
        self._program.tell(f"position fen {fen}\ngo {_clock(turn)}", deadline)
        best = self._best(turn, deadline)
        names = {str(step[1]): step for step in turn.legal}
        san = to_san(best, fen, names)
        if san is None:
            raise EngineFailed(f"its answer {quoted(best)} is no legal move")
        return [names[san]]

    def _best(self, turn: Turn, deadline: float) -> str:
        """The engine's move, in coordinates; a late engine is stopped first."""
        stop = deadline - min(_STOPPING, turn.remaining_ms / 4000)
        with contextlib.suppress(TimeoutError):
            return self._until("bestmove", stop, turn.info)
        self._program.tell("stop", deadline)
        return self._awaited("bestmove", deadline, turn.info)

    def _ready(self, deadline: float) -> None:
        self._program.tell("isready", deadline)
        self._awaited("readyok", deadline)

    def _awaited(self, word: str, deadline: float, info: dict[str, Any] | None = None) -> str:
        """The same as ``_until``, for a word that has to come.

        Raises:
            EngineFailed: it does not.
        """
        try:
            return self._until(word, deadline, info)
        except TimeoutError:
            raise EngineFailed(f"the engine did not say '{word}' in time") from None

    def _until(self, word: str, deadline: float, info: dict[str, Any] | None = None) -> str:
        """Read until a line begins with a word; the word after it.

        Raises:
            TimeoutError: it does not come in time.
            EngineFailed: it will not come.
        """
        while True:
            words = self._program.line(deadline).split()
            if words[:1] == ["info"] and info is not None:
                info.update(remarks(words))
            if words[:1] == [word]:
                return words[1] if len(words) > 1 else ""


def remarks(words: list[str]) -> dict[str, Any]:
    """The facts of a search in an ``info`` line: ``score`` in pawns or ``mate``, depth, pv."""
    if "string" in words:
        return {}
    found: dict[str, Any] = {}
    if (depth := _number(words, "depth")) is not None:
        found["depth"] = depth
    if (score := _number(words, "cp")) is not None:
        found["score"] = score / 100
    if (mate := _number(words, "mate")) is not None:
        found["mate"] = mate
    if "pv" in words:
        line = words[words.index("pv") + 1 :][:_PV]
        found["pv"] = " ".join(word[:5] for word in line)
    return found


def _number(words: list[str], name: str) -> int | None:
    """The whole number after a word; None if there is none."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER):
        return None
    return int(text)


def _clock(turn: Turn) -> str:
    """Our clock in the protocol's words; we know only our own time, so both sides are told it."""
    clock = turn.match.clock
    left = max(1, int((turn.remaining - 2 * _MARGIN) * 1000))
    if clock.initial_ms is None:
        return f"movetime {max(1, min(left, int(turn.remaining * 800)))}"
    added = clock.increment_ms or 0
    return f"wtime {left} btime {left} winc {added} binc {added}"
