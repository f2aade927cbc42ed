"""Reports the progress and problems of a running tournament or ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Cause
from polynya_server.records import MatchRecord


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a tournament.

    Attributes:
        played: matches with a result.
        scheduled: all matches of the tournament to be played, without walkovers (on a ladder equal
            to ``played``).
        in_play: matches in play.
        played_now: matches that got their result in this run.
    """

    played: int
    scheduled: int
    in_play: int
    played_now: int


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """The workers that play a tournament.

    Attributes:
        workers: number of workers.
        slots: number of blocks that they play at the same time.
        waiting: number of blocks that wait for a worker.
    """

    workers: int
    slots: int
    waiting: int


class Reporter:
    """Receives events of a run; each method does nothing unless it is overridden.

    All methods are called in the trio thread and must not block.
    """

    def listening(self, host: str, port: int) -> None:
        """The server accepts connections."""

    def pages(self, where: str) -> None:
        """The web pages answer at this address."""

    def committed(self, commitment: str) -> None:
        """No match has been played yet, and set-ups follow from a secret with this commitment."""

    def token_created(self, name: str, token: str) -> None:
        """An external bot got its token: give it to the author, for only its hash is stored."""

    def waiting(self, names: Sequence[str]) -> None:
        """Report bots that are not connected, whenever the list changes; empty if all are."""

    def match_begins(self, match: str, players: Sequence[str], why: Cause) -> None:
        """A ladder begins a match between these bots by seat, for the reason in the sentence."""

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:
        """A match has ended, with or without a result."""

    def forfeits(self, record: MatchRecord, reports: Mapping[int, ProcessReport]) -> None:
        """A recorded match had forfeits; the reports are of its hosted processes, by seat."""

    def bot_failed(self, name: str, how: Cause) -> None:
        """A hosted bot ended by itself, or plays another game; ``how`` follows the bot's name."""

    def walkovers(self, progress: RunProgress) -> None:
        """Matches were decided without being played, so fewer remain."""

    def workers(self, progress: WorkerProgress) -> None:
        """Report the workers each second; without workers matches are played here."""

    def verdict(self, sentence: str) -> None:
        """Report the verdict so far, in formats that have one."""

    def warning(self, sentence: str) -> None:
        """Warn the host, for example of a crash with its last lines, or of a locked database."""
