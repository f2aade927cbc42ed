"""Asks rules processes: one line of JSON is a question, the next line is its answer."""

from __future__ import annotations

import atexit
import hashlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_foreign.answers import MOST_LINE, Answer, WrongAnswer, canonical, decode
from polynya_foreign.game_folder import GameFolder
from polynya_foreign.rules_box import BoxedCommand, chosen, command_in
from polynya_games import RulesFailed
from polynya_games.errors import describe
from polynya_hosting.sandbox.hindrances import hindrance
from polynya_protocol.errors import printable

T = TypeVar("T")
MOST_ANSWERED: Final = 16_384
"""How many of the last questions a pool compares with further answers to them."""
_AT_ONCE: Final = 65_536
"""The most bytes of one reading."""
_MOST_QUESTION: Final = 4_000
_MOST_ERRORS: Final = 4_000
"""How many of the last bytes of its standard error are kept."""
_MOST_LINES: Final = 12
_MOST_READ: Final = 32
"""How often the standard error of a failed process is read: a process may write without end."""
_DIGEST_BYTES: Final = 16


@cache
def _starter(owner: int) -> ThreadPoolExecutor:  # noqa: ARG001 -- a forked process has no threads
    return ThreadPoolExecutor(1, "rules-starter")


def _started(command: BoxedCommand) -> subprocess.Popen[bytes]:
    """Start a process in a thread that lives as long as this process.

    Bubblewrap's boxes end when the thread ends that started them, as threads of the loop do.
    """

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 -- the host chose the folder
            command.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.directory,
            env=command.environment,
            pass_fds=command.inherits,
            bufsize=0,
            start_new_session=True,
        )

    return _starter(os.getpid()).submit(start).result()


class RulesProcess:
    """One running process of a game folder; for one thread at a time."""

    def __init__(self, game: GameFolder) -> None:
        self.box = chosen()
        try:
            with ExitStack() as stack:
                self._process = _started(stack.enter_context(command_in(self.box, game)))
                self._place = stack.pop_all()
        except (OSError, ConfigurationError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise WrongAnswer(f"the rules process does not start: {why}") from error
        self._answer_s = game.answer_s
        self._id = 0
        self._errors = b""
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)

    def ask(self, question: Mapping[str, Any]) -> Answer:
        """The answer to a question.

        Raises:
            WrongAnswer: there is none in time, or it has another form.
        """
        self._id += 1
        line = msgspec.json.encode({"id": self._id, **question}) + b"\n"
        answer = decode(self._exchange(line))
        if answer.id != self._id:
            raise WrongAnswer(f"the answer has the id {answer.id}, the question {self._id}")
        return answer

    def _exchange(self, line: bytes) -> bytes:
        deadline = time.monotonic() + self._answer_s
        to_it, from_it, errors = [pipe.fileno() for pipe in self._pipes]
        left, found = memoryview(line), bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(to_it, selectors.EVENT_WRITE)
            selector.register(from_it, selectors.EVENT_READ)
            selector.register(errors, selectors.EVENT_READ)
            while not found.endswith(b"\n"):
                ready = {key.fd for key, _ in selector.select(deadline - time.monotonic())}
                if time.monotonic() >= deadline:
                    raise WrongAnswer(f"the rules process is silent for {self._answer_s} s")
                if to_it in ready:
                    left = left[self._write(to_it, left) :]
                    if not left:
                        selector.unregister(to_it)
                if errors in ready and not self._read_errors():
                    selector.unregister(errors)
                if from_it in ready:
                    found += self._read(from_it, MOST_LINE - len(found))
        if left or found.count(b"\n") > 1:
            raise WrongAnswer("a question has exactly one line as its answer")
        return bytes(found)

    def _read(self, from_it: int, room: int) -> bytes:
        data = os.read(from_it, _AT_ONCE)
        if not data:
            raise WrongAnswer("the rules process ended")
        if len(data) > room:
            raise WrongAnswer(f"the answer has more than {MOST_LINE} bytes")
        return data

    def _read_errors(self) -> bool:
        """Read from its standard error; False at its end, or if nothing is there."""
        try:
            data = os.read(self._pipes[2].fileno(), _AT_ONCE)
        except BlockingIOError:
            return False
        self._errors = (self._errors + data)[-_MOST_ERRORS:]
        return bool(data)

    def last_errors(self) -> str:
        """The last lines of its standard error, printable; a traceback ends with its cause."""
        for _ in range(_MOST_READ):
            if not self._read_errors():
                break
        lines = self._errors.decode("utf-8", "replace").splitlines()
        return "\n".join(printable(line) for line in lines[-_MOST_LINES:] if line.strip())

    def _write(self, descriptor: int, data: memoryview) -> int:
        try:
            return os.write(descriptor, data)
        except BrokenPipeError as error:
            raise WrongAnswer("the rules process ended") from error

    def close(self) -> None:
        """End the process and all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in self._pipes:
            pipe.close()
        self._place.close()


class _NoAnswerError(Exception):
    """No usable answer; ``errors`` are the last lines of the process's standard error."""

    def __init__(self, sentence: str, errors: str = "") -> None:
        super().__init__(sentence)
        self.errors = errors


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).digest()


class RulesPool:
    """The processes of one game folder, started when they are needed; for several threads.

    Equal questions have equal answers: an answer that differs from an earlier one is not usable.
    """

    def __init__(self, game: GameFolder) -> None:
        self._game = game
        self._free = threading.BoundedSemaphore(game.workers)
        self._idle: deque[RulesProcess] = deque()
        self._answered: dict[bytes, bytes] = {}
        self._comparing = threading.Lock()
        self._owner = os.getpid()
        atexit.register(self.close)

    def ask(self, question: Mapping[str, Any], read: Callable[[Answer], T]) -> T:
        """Ask, and return the answer as ``read`` reads it; a new process is asked once more.

        Raises:
            RulesFailed: two processes gave no usable answer.
        """
        if os.getpid() != self._owner:
            self._owner, self._idle = os.getpid(), deque()
            self._free = threading.BoundedSemaphore(self._game.workers)
            self._comparing = threading.Lock()
        if not self._free.acquire(timeout=4 * self._game.answer_s):
            raise self._failed(_NoAnswerError("all rules processes are busy"), question)
        try:
            try:
                return self._once(question, read)
            except _NoAnswerError:
                return self._once(question, read, fresh=True)
        except _NoAnswerError as failure:
            raise self._failed(failure, question) from failure
        finally:
            self._free.release()

    def _once(
        self, question: Mapping[str, Any], read: Callable[[Answer], T], *, fresh: bool = False
    ) -> T:
        process = None
        if not fresh:
            with suppress(IndexError):
                process = self._idle.pop()
        if process is not None and process.box != chosen():
            process.close()
            process = None
        try:
            process = process or RulesProcess(self._game)
            answer = process.ask(question)
            result = read(answer)
            self._compare(question, answer)
        except BaseException as error:
            errors = process.last_errors() if process else ""
            if process is not None:
                process.close()
            if isinstance(error, WrongAnswer):
                cause = hindrance(errors) if process is not None and process.box else ""
                sentence = "; ".join(filter(None, [str(error), cause]))
                raise _NoAnswerError(sentence, errors) from error
            raise
        self._idle.append(process)
        return result

    def _compare(self, question: Mapping[str, Any], answer: Answer) -> None:
        """Remember an answer, or compare it with that to an equal question before.

        Sentences of errors may differ: they change nothing in a match.
        """
        refused = None if answer.error is None else ""
        said = canonical(msgspec.structs.replace(answer, id=0, error=refused))
        key, found = _digest(canonical(question)), _digest(said)
        with self._comparing:
            before = self._answered.setdefault(key, found)
            if len(self._answered) > MOST_ANSWERED:
                del self._answered[next(iter(self._answered))]
            if before != found:
                raise WrongAnswer("the answer differs from an earlier one to the same question")

    def _failed(self, failure: _NoAnswerError, question: Mapping[str, Any]) -> RulesFailed:
        text = describe(question, _MOST_QUESTION)
        sentence = f"{self._game.title}: {failure}"
        return RulesFailed(sentence, self._game.name, text, failure.errors)

    def close(self) -> None:
        """End all idle processes of this process."""
        while os.getpid() == self._owner and self._idle:
            self._idle.pop().close()
