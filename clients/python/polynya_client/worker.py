"""The bot's own thread: what it has to do, in order, while another thread receives."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from polynya_client.bot import Bot
from polynya_client.connection import Connection
from polynya_client.errors import ConnectionLost, farewell
from polynya_client.match import Match
from polynya_client.turn import Cancellation

_WAITING = 1024
"""How many tasks may wait for the bot before the server has to."""
_LOOK_SECONDS = 1.0
"""How often a thread that waits for the other looks for the end, or for a signal, in seconds."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something for the bot to do in a match."""

    match: Match
    do: Callable[[Bot], None]


class Tasks:
    """The tasks that wait for the bot; a new task ends its thinking on the opponents' time."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Task | None] = queue.Queue(_WAITING)
        self._lock = threading.Lock()
        self._pondering = Cancellation()
        self._has_ended = threading.Event()

    def put(self, task: Task | None) -> None:
        """Add a task, None after the last one; nothing when the bot has ended."""
        while not self._has_ended.is_set():
            try:
                self._waiting.put(task, timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            break
        with self._lock:
            self._pondering.cancel()

    def next(self, ponder: Callable[[Cancellation], None]) -> Task | None:
        """The next task, after letting the bot think until it is there."""
        with self._lock:
            until = self._pondering = Cancellation()
        if self._waiting.empty():
            ponder(until)
        while True:  # a wait without an end would miss a signal of the moment before it
            with contextlib.suppress(queue.Empty):
                return self._waiting.get(timeout=_LOOK_SECONDS)

    def end(self) -> None:
        """Say that no bot takes tasks any more."""
        self._has_ended.set()

    def work(self, bot: Bot) -> None:
        """Let a bot do the tasks until there are no more.

        Raises:
            ClientError: what it gave cannot be sent, or the connection broke.
            Exception: what the bot itself raised.
        """
        last: Match | None = None

        def ponder(until: Cancellation) -> None:
            if last is not None and not last.is_lost:
                bot.ponder(last, until)

        try:
            while (task := self.next(ponder)) is not None:
                last = task.match
                task.do(bot)
        finally:
            self.end()


class Workers(Protocol):
    """The bots that do the tasks of the matches."""

    def begin(self) -> Tasks:
        """Where the tasks of a new match go."""

    def over(self, tasks: Tasks) -> None:
        """A match is over: its tasks are all there."""

    def end(self) -> None:
        """The connection has ended: no more tasks come."""


class OneWorker:
    """One bot plays all matches, in the thread that calls ``work``."""

    def __init__(self) -> None:
        self._tasks = Tasks()

    def begin(self) -> Tasks:
        """The same for all matches."""
        return self._tasks

    def over(self, tasks: Tasks) -> None:
        """Other matches may come."""

    def end(self) -> None:
        """Let ``work`` end, after what is there."""
        self._tasks.put(None)

    def work(self, bot: Bot) -> None:
        """Let the bot do all tasks; see ``Tasks.work``."""
        self._tasks.work(bot)


class WorkerForEach:
    """Each match has a bot of its own, in a thread of its own.

    Attributes:
        failure: what a bot raised first, None if none did.
    """

    def __init__(self, make: Callable[[], Bot], connection: Connection) -> None:
        self.failure: BaseException | None = None
        self._make = make
        self._connection = connection
        self._going_on: list[Tasks] = []
        self._threads: list[threading.Thread] = []

    def begin(self) -> Tasks:
        """Those of a new thread."""
        tasks = Tasks()
        thread = threading.Thread(
            target=self._work, args=(tasks,), name="polynya-match", daemon=True
        )
        self._going_on.append(tasks)
        self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
        thread.start()
        return tasks

    def over(self, tasks: Tasks) -> None:
        """Let its thread end, after what is there."""
        self._going_on.remove(tasks)
        tasks.put(None)

    def end(self) -> None:
        """Let all threads end."""
        for tasks in self._going_on:
            tasks.put(None)
        self._going_on.clear()

    def join(self) -> None:
        """Wait until all have ended."""
        for thread in self._threads:
            thread.join()

    def _work(self, tasks: Tasks) -> None:
        try:
            tasks.work(self._make())
        except ConnectionLost:
            return  # the receiver notices too
        except BaseException as error:
            if self.failure is None:
                self.failure = error
            self._connection.leave(farewell(error))
            self._connection.hang_up()
        finally:
            tasks.end()
