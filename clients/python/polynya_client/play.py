"""A match as it is played: its events for the bot in their order, and the answers to its questions.

The receiving thread tells what happens, the bot's thread does what follows from it.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from typing import Any

from polynya_client import events
from polynya_client.bot import Bot
from polynya_client.codec import Message
from polynya_client.connection import Connection
from polynya_client.errors import BadTurn, ClientError, TurnLost, printable
from polynya_client.events import Legal, Steps, field
from polynya_client.match import Match
from polynya_client.remarks import Remarks, move, whole_numbers
from polynya_client.turn import Turn
from polynya_client.worker import Task, Tasks

logger = logging.getLogger("polynya_client")


class Play:
    """One match that the bot plays.

    Attributes:
        match: what is known of it.
        tasks: where the bot's tasks go.
    """

    def __init__(
        self, match: Match, tasks: Tasks, connection: Connection, remarks: Remarks
    ) -> None:
        self.match = match
        self.tasks = tasks
        self._connection = connection
        self._remarks = remarks
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._asked: Turn | None = None
        self._questions: deque[queue.SimpleQueue[Legal | ClientError]] = deque()
        tasks.put(Task(match, self._begin))

    # in the receiving thread

    def happened(self, message: Message, arrived: float) -> None:
        """Take an event of the match: a task for the bot, and perhaps the end of its search."""
        self.match.follow(message)
        match message["type"]:
            case "turn":
                self._ask_for(Turn(self.match, message, arrived, self._legal_after))
            case "moved":
                moved = events.read_moved(message)
                self._put(lambda bot: self._moved(bot, moved))
            case "forfeited":
                self._forfeited(events.read_forfeited(message))
            case "match_over":
                over = events.read_match_over(message)
                self.abandon("it ended by match_over")
                self._put(lambda bot: bot.match_over(self.match, over))

    def answer(self, message: Message) -> bool:
        """Take an answer to ``steps``, ``legal`` or ``error``; whether it was one."""
        with self._lock:
            if not self._questions or self._asked is None:
                return False
            if message.get("turn") not in (None, self._asked.number):
                return False
            question = self._questions.popleft()
        if message["type"] == "error":
            question.put(TurnLost(printable(field(message, "message", str))))
        else:
            question.put(events.read_legal(message))
        return True

    def abandon(self, why: str) -> None:
        """The server waits no longer for the turn that it has asked for, if it has."""
        with self._lock:
            turn, self._asked = self._asked, None
            questions = [*self._questions]
            self._questions.clear()
        if turn is not None:
            turn.cancelled.cancel()
        for question in questions:
            question.put(TurnLost(why))

    def _ask_for(self, turn: Turn) -> None:
        self.abandon("another turn is asked for")
        with self._lock:
            self._asked = turn
        self._put(lambda bot: self._decide(bot, turn))

    def _forfeited(self, forfeited: events.Forfeited) -> None:
        if forfeited.seat == self.match.seat:
            if not self.match.is_lost:
                logger.warning(
                    "match %s forfeited (%s): %s",
                    printable(self.match.id),
                    printable(forfeited.reason),
                    printable(forfeited.detail),
                )
            self.match.is_lost = True
            self.abandon("it ended by forfeited")
        self._put(lambda bot: self._lost(bot, forfeited))

    def _put(self, do: Any) -> None:
        self.tasks.put(Task(self.match, do))

    # in the bot's thread

    def _begin(self, bot: Bot) -> None:
        bot.match_start(self.match)
        if not self.match.resumed:  # a bot that has come back counts as ready
            self._connection.send({"type": "ready", "match": self.match.id})

    def _moved(self, bot: Bot, moved: events.Moved) -> None:
        self.match.told(moved)
        bot.moved(self.match, moved)

    def _lost(self, bot: Bot, forfeited: events.Forfeited) -> None:
        self.match.told(forfeited)
        bot.forfeited(self.match, forfeited)

    def _decide(self, bot: Bot, turn: Turn) -> None:
        if not self._is_asked(turn):
            return  # it was over before the bot came to it
        try:
            steps = bot.turn(turn)
        except TurnLost as lost:
            self._tell_no_move(turn, str(lost))
            return
        if self.match.is_lost:
            return
        if not self._is_asked(turn):
            self._tell_no_move(turn, "it is not asked for any more")
        elif not steps and turn.cancelled.is_set():
            self._tell_no_move(turn, "its time is over")
        else:
            self._connection.send(move(turn, _checked(steps), self._remarks))

    def _is_asked(self, turn: Turn) -> bool:
        with self._lock:
            return self._asked is turn

    @staticmethod
    def _tell_no_move(turn: Turn, why: str) -> None:
        match = printable(turn.match.id)
        logger.warning("no move for turn %d of match %s: %s", turn.number, match, why)

    def _legal_after(self, turn: Turn, steps: Steps) -> Legal:
        """Ask which steps may follow; any thread of the bot's may."""
        answered: queue.SimpleQueue[Legal | ClientError] = queue.SimpleQueue()
        with self._sending:  # answers come in the order of the questions
            with self._lock:
                if self._asked is not turn:
                    raise TurnLost("it is not asked for any more")
                self._questions.append(answered)
            about = {"match": turn.match.id, "turn": turn.number}
            self._connection.send({"type": "steps", **about, "steps": whole_numbers(steps)})
        answer = answered.get()
        if isinstance(answer, ClientError):
            raise answer
        return answer


def _checked(steps: Steps) -> Steps:
    """The steps of a turn, if that is what they are."""
    if not isinstance(steps, (list, tuple)) or not steps:
        raise BadTurn(
            f'the bot gave {steps!r} as its turn: give a list of steps, [["move", 12, 40]]'
        )
    return steps
