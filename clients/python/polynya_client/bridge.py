"""``polynya-bridge -- COMMAND``: a bot in any language, which speaks JSON lines and no protocol.

We start the program, speak the protocol with the server and lines of JSON with the program, over
its standard input and output. docs/engines.md says what is in the lines. ``polynya adapt json`` is
the same.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import FrameType
from typing import Any

from polynya_client.bot import Bot
from polynya_client.client import run, run_each
from polynya_client.errors import ClientError, TurnLost, exit_code, printable
from polynya_client.events import Forfeited, MatchOver, Moved, Steps
from polynya_client.match import Match
from polynya_client.turn import Turn

_FAREWELL_SECONDS = 5
_END_SECONDS = 0.5
_SIGNALLED = 128
_LONGEST_LINE = 16 * 1024 * 1024
_QUEUED = 1_000
"""The most answers that wait to be read."""


class ProgramEnded(Exception):  # noqa: N818 - named like the errors of this package
    """The program has ended, or takes no more lines.

    Attributes:
        farewell: what the server is told.
    """

    def __init__(self, sentence: str, code: int | None, farewell: str = "") -> None:
        super().__init__(sentence)
        self.farewell = farewell or f"the bot's program {_end_words(code)}"


def _end_words(code: int | None) -> str:
    """How a process ended, by its exit code; None if it goes on."""
    if code is None:
        return "takes no more lines"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


class Program:
    """The bot's process: lines of JSON in both directions, standard error left alone."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - starting the author's program is the purpose
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
            errors="replace",
        )  # fmt: skip
        self._told = False
        self._answers: queue.SimpleQueue[dict[str, Any] | Turn | None] = queue.SimpleQueue()
        self._late = 0
        self._room = threading.Semaphore(_QUEUED)
        self._flaw: str | None = None
        threading.Thread(target=self._read, name="polynya-program", daemon=True).start()

    def _read(self) -> None:
        """Keep its answers; show what else it prints."""
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        while line := self._process.stdout.readline(_LONGEST_LINE + 1):
            if len(line) > _LONGEST_LINE:
                self._flaw = f"the program's line is longer than {_LONGEST_LINE} characters"
                break
            line = line.removeprefix("\ufeff")
            answer = self._parsed(line)
            if isinstance(answer, dict):
                self._room.acquire()
                self._answers.put(answer)
            elif line.strip():
                note(f"not a JSON object, so it is only shown: {printable(line.rstrip())}")
        self._answers.put(None)

    def _parsed(self, line: str) -> Any:
        """The value in a line, without an ``info`` that is no JSON; None if there is no value."""
        try:
            return json.loads(line)
        except (ValueError, RecursionError):  # no JSON, or nested a thousand deep
            answer = _without_info(line)
        if answer is not None and not self._told:
            self._told = True
            note("its info cannot be read, so its answer is taken without it (this is said once)")
        return answer

    def tell(self, kind: str, **message: Any) -> None:
        """Write a line.

        Raises:
            ProgramEnded: the program does not read it.
        """
        line = json.dumps({"type": kind, **message}, separators=(",", ":"))
        try:
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._ended("the program does not read any more") from error

    def ask(self, turn: Turn) -> None:
        """Tell it of a turn; what it said when nothing was asked is dropped."""
        while not self._answers.empty():
            answer = self._taken(self._answers.get())
            if answer is not None and not self._is_late(answer, turn):
                note(f"nothing was asked, so this is dropped: {printable(json.dumps(answer))}")
        about = {"match": turn.match.id, "turn": turn.number}
        self.tell("turn", **about, remaining_ms=turn.remaining_ms, **turn.wanted())
        turn.cancelled.on_cancel(lambda: self._answers.put(turn))

    def answer(self, turn: Turn) -> dict[str, Any]:
        """Wait for its next answer about this turn.

        Raises:
            ProgramEnded: none will come.
            TurnLost: none is wanted any more; what comes later is dropped.
        """
        told = False
        while True:
            try:
                answer = self._answers.get(timeout=None if told else turn.time_left())
            except queue.Empty:
                told = True
                note(f"no answer to turn {turn.number} in time; does the program flush its output?")
                continue
            if answer is turn:
                self._late += 1
                raise TurnLost("it is not asked for any more")
            taken = self._taken(answer)
            if taken is not None and not self._is_late(taken, turn):
                return taken

    def _taken(self, answer: dict[str, Any] | Turn | None) -> dict[str, Any] | None:
        """An answer; None for the end of an earlier turn."""
        if answer is None and self._flaw is not None:
            raise ProgramEnded(self._flaw, None, self._flaw)
        if answer is None:
            raise self._ended("the program has closed its output")
        if not isinstance(answer, dict):
            return None
        self._room.release()
        return answer

    def _is_late(self, answer: dict[str, Any], turn: Turn) -> bool:
        """Whether this answers an earlier turn that is over."""
        if answer.get("match") == turn.match.id and answer.get("turn") == turn.number:
            self._late = 0  # it says itself what it answers
        if not self._late:
            return False
        self._late -= 1
        if "ask" in answer:
            self.tell("error", message="that turn is not asked for any more")
        return True

    def check(self) -> None:
        """Look whether it goes on.

        Raises:
            ProgramEnded: it has ended, and is not only stopped.
        """
        code = self._process.poll()
        if code is not None:
            raise ProgramEnded("the program has ended", code)

    def _ended(self, sentence: str) -> ProgramEnded:
        """The error for a program that no longer speaks or listens; waits a moment for its end."""
        try:
            return ProgramEnded(sentence, self._process.wait(_END_SECONDS))
        except subprocess.TimeoutExpired:
            return ProgramEnded(sentence, None)

    def close(self) -> int:
        """End its input, and itself if it does not take that as the end; its exit code."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(OSError):  # the program does not read it
            self._process.stdin.close()
        try:
            return self._process.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class Programs:
    """The programs that run: one, or one for each match that is played at the same time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._all = [Program(command)]
        self._idle = [*self._all]
        self._playing: dict[str, Program] = {}

    def the_one(self) -> Program:
        """The only one, where all matches are played by it."""
        return self._all[0]

    def take(self, match: Match) -> Program:
        """A program that plays no other match; a resumed match keeps its program."""
        with self._lock:
            if match.id not in self._playing:
                if not self._idle:
                    self._all.append(Program(self._command))
                    self._idle.append(self._all[-1])
                self._playing[match.id] = self._idle.pop()
            return self._playing[match.id]

    def give_back(self, match: Match) -> None:
        """The match is over: its program may play another."""
        with self._lock:
            self._idle.append(self._playing.pop(match.id))

    def on_child(self, _number: int, _frame: FrameType | None) -> None:
        """Handle SIGCHLD in the main thread: end all that waits for the server.

        Raises:
            ProgramEnded: a program has ended.
        """
        for program in self._all:
            program.check()

    def close(self) -> int:
        """End all; the exit code of a program that failed, else 0."""
        codes = [program.close() for program in self._all]
        return next(filter(None, codes), 0)


OF_SOME_GAMES = frozenset({"acting", "commitment", "deal", "joint", "seen", "view"})
"""Keys that only messages of matches with joint turns or hidden parts have."""


class BridgedBot(Bot):
    """The bot that a program is."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def match_start(self, match: Match) -> None:
        """Tell it of the match."""
        self._program.tell(
            "match_resume" if match.resumed else "match_start",
            match=match.id,
            game=match.game,
            seat=match.seat,
            players=[asdict(player) for player in match.players],
            options=match.options,
            clock=asdict(match.clock),
            state=match.state,
            **_of_some_games(match.message),
        )

    def turn(self, turn: Turn) -> Steps:
        """Ask it, and ask the server what it asks us."""
        about = {"match": turn.match.id, "turn": turn.number}
        self._program.ask(turn)
        while True:
            answer = self._program.answer(turn)
            if _are_steps(answer.get("ask")):
                self._ask(turn, whole_numbers(answer["ask"]), about)
            elif answer.get("resign") is True:
                turn.resign()
                return []
            elif "steps" in answer:
                turn.info = answer.get("info") or {}
                steps: Steps = answer["steps"]
                return whole_numbers(steps) if _are_steps(steps) else steps
            else:
                note(f"no answer that we know: {printable(json.dumps(answer))}")

    def _ask(self, turn: Turn, steps: Steps, about: dict[str, Any]) -> None:
        try:
            legal = turn.legal_after(steps)
        except TurnLost as lost:
            self._program.tell("error", **about, message=str(lost))
            raise
        self._program.tell("legal", **about, legal=legal.steps, turn_over=legal.turn_over)

    def moved(self, match: Match, moved: Moved) -> None:
        """Tell it."""
        self._program.tell("moved", match=match.id, **_known(moved))

    def forfeited(self, match: Match, forfeited: Forfeited) -> None:
        """Tell it."""
        self._program.tell("forfeited", match=match.id, **_known(forfeited))

    def match_over(self, match: Match, over: MatchOver) -> None:
        """Tell it."""
        result = _known(over)
        result["ratings"] = [
            {"name": name, "before": before, "after": after}
            for name, (before, after) in over.ratings.items()
        ]
        self._program.tell("match_over", match=match.id, **result)


def _of_some_games(message: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: message.get(key) for key in sorted(OF_SOME_GAMES)}
    return {key: value for key, value in found.items() if value is not None}


def _known(event: Moved | Forfeited | MatchOver) -> dict[str, Any]:
    """The keys of an event that programs are told."""
    known = asdict(event)
    del known["message"]
    for key in (OF_SOME_GAMES | {"turn"}) & known.keys():
        if event.message.get(key) is None:
            del known[key]
    return known


class OneOfSeveral(BridgedBot):
    """The bot of one match, whose program plays no other meanwhile."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def match_start(self, match: Match) -> None:
        """Tell a program of the match that has no other."""
        self._program = self._programs.take(match)
        super().match_start(match)

    def match_over(self, match: Match, over: MatchOver) -> None:
        """Tell it, and let it play another."""
        super().match_over(match, over)
        self._programs.give_back(match)


def _are_steps(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(step, list) for step in given)


def whole_numbers(steps: Steps) -> list[list[Any]]:
    """Steps with 7 for 7.0: some languages write every number with a fraction."""
    return [
        [int(word) if isinstance(word, float) and word.is_integer() else word for word in step]
        for step in steps
    ]


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|[^"\[\]{},]+|"')


def _without_info(line: str) -> Any:
    """The object in a line of JSON without its ``info``; None if there is none."""
    entries = [entry for entry in _entries(line) if not entry.lstrip().startswith('"info"')]
    try:
        return json.loads(f"{{{','.join(entries)}}}") if entries else None
    except (ValueError, RecursionError):
        return None


def _entries(line: str) -> Iterator[str]:
    """The entries of the outermost map of a line, as text."""
    depth = begin = 0
    for token in _TOKEN.finditer(line):
        sign = token.group()
        if depth == 1 and sign in ("}", ","):
            yield line[begin : token.start()]
        depth += (sign in ("[", "{")) - (sign in ("]", "}"))
        if depth == 1 and sign in ("{", ","):
            begin = token.end()


def note(text: str) -> None:
    """A line for the author, on standard error."""
    print(f"polynya-bridge: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the command line; exit code 1 if the server refused the bot, 75 and 76 as in the SDK.

    A program that ends says goodbye, and its exit code is ours.
    """
    parser = argparse.ArgumentParser(
        prog="polynya-bridge",
        description="Let a program that speaks JSON lines play on a Polynya server.",
        epilog="POLYNYA_HOST, POLYNYA_PORT, POLYNYA_NAME and so on say where, and as whom.",
    )
    parser.add_argument("--name", help="the bot's name, if POLYNYA_NAME does not say it")
    parser.add_argument("--game", action="append", help="a game that it plays; any otherwise")
    parser.add_argument(
        "--bot-version", help="the bot's version, for the records; each has a rating of its own"
    )
    parser.add_argument(
        "--wants",
        default="state,legal",
        help="what turns bring: state, legal; moved: our own moves (default: %(default)s)",
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=1,
        help="how many matches are played at the same time, each by a program of its own "
        "(default: %(default)s)",
    )
    parser.add_argument("command", nargs="+", help="the program and its arguments, after --")
    arguments = parser.parse_args()
    sys.exit(
        bridge(
            arguments.command,
            name=arguments.name,
            games=arguments.game,
            wants=[word for word in arguments.wants.split(",") if word],
            concurrency=arguments.concurrency,
            software=_software(arguments.bot_version),
        )
    )


def bridge(command: Sequence[str], **settings: Any) -> int:
    """Play with a program that speaks lines of JSON until the contest is over.

    Args:
        command: the program and its arguments.
        settings: those of ``polynya_client.run``.

    Returns:
        The exit code of ``main``.
    """
    try:
        programs = Programs(command)
    except OSError as error:
        note(f"{command[0]} cannot be started: {error.strerror}")
        return 1
    try:
        if hasattr(signal, "SIGCHLD"):
            signal.signal(signal.SIGCHLD, programs.on_child)
        programs.on_child(0, None)  # it may have ended before we listened
        _play(programs, settings)
    except ProgramEnded as ended:
        note(str(ended))
        code = _close(programs)
        return code if code >= 0 else _SIGNALLED - code
    except ClientError as error:
        note(str(error))
        _close(programs)
        return exit_code(error)
    except SystemExit:  # Ctrl-C or SIGTERM
        _close(programs)
        raise
    else:
        _close(programs)
        return 0


def _play(programs: Programs, settings: dict[str, Any]) -> None:
    concurrency = os.environ.get("POLYNYA_CONCURRENCY") or str(settings.get("concurrency", 1))
    if concurrency == "1":
        run(BridgedBot(programs.the_one()), **settings)
    else:
        run_each(lambda: OneOfSeveral(programs), **settings)


def _software(bot_version: str | None) -> dict[str, str]:
    software = {"name": "polynya-bridge", "language": "any"}
    return software if bot_version is None else {**software, "version": bot_version}


def _close(programs: Programs) -> int:
    if hasattr(signal, "SIGCHLD"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return programs.close()


if __name__ == "__main__":
    main()
