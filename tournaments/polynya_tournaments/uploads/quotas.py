"""Quotas: how much the author of a bot, and all authors of a network, may upload and keep."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from polynya_common.text import moment
from polynya_store import Store
from polynya_store.backends.sql import now_ms
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.errors import QuotaError

HOUR_S: Final = 3_600
DAY_S: Final = 86_400
AT_ONCE: Final = 32
AT_ONCE_OF_NETWORK: Final = 4
"""How many uploads are received at the same time, in all and from one network: each may take
minutes, and a file on the disk."""
_AGAIN_S: Final = 30
_MIB: Final = 2**20
_KEPT: Final = ("received", "building", "validating", "accepted", "disabled")
_MOST_NAMES: Final = 10_000


@dataclass(frozen=True)
class Quotas:
    """How much may be uploaded.

    Attributes:
        undecided: uploads of one bot that wait for being built.
        per_hour, per_day: uploads of one bot.
        network_per_day: uploads from one network, of all bots together.
        versions: of one bot that are kept; refused and removed ones do not count.
        kept_mb: MiB that archives and programs of one bot take.
    """

    undecided: int = 3
    per_hour: int = 20
    per_day: int = 100
    network_per_day: int = 300
    versions: int = 100
    kept_mb: int = 2_000


class QuotaGate:
    """Lets uploads in within the quotas.

    What was recorded counts, and in memory each attempt of the last hour: to check an archive takes
    as long as to unpack it, also if it is refused then.

    Args:
        store: where uploads are recorded.
        quotas: what may be uploaded.
    """

    def __init__(self, store: Store, quotas: Quotas) -> None:
        self._store = store
        self._quotas = quotas
        self._busy: dict[str, str | None] = {}
        self._attempts: OrderedDict[str, deque[int]] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def let_in(self, bot: str, network: str | None) -> Iterator[None]:
        """One upload of a bot, from :meth:`begin` to :meth:`end`."""
        self.begin(bot, network)
        try:
            yield
        finally:
            self.end(bot)

    def begin(self, bot: str, network: str | None) -> None:
        """Begin to receive an upload, before anything of it is read; blocking.

        Args:
            bot: the name of the bot.
            network: where it comes from; None where that is not known.

        Raises:
            QuotaError: it is not let in; the message names the limit, and when there is room.
        """
        with self._lock:
            self._check_busy(bot, network)
            self._busy[bot] = network
        try:
            self._check(bot, network)
        except BaseException:
            self.end(bot)
            raise
        self._note_attempt(bot)

    def end(self, bot: str) -> None:
        """The upload of a bot was received, refused or broken off."""
        with self._lock:
            self._busy.pop(bot, None)

    def check_length(self, bot: str, length: int) -> None:
        """Refuse an archive for which its bot has no room.

        Raises:
            QuotaError: its versions would take more bytes than the quota.
        """
        uploads = self._store.uploads.of_bot(bot)
        size = sum(upload.kept_bytes for upload in uploads) + length
        most_mb = self._quotas.kept_mb
        if size > most_mb * _MIB:
            raise QuotaError(
                f"the versions of {bot} would take {size / _MIB:,.0f} MiB with this one; the most "
                f"is {most_mb:,} MiB: remove versions that you need no more, with "
                f"'polynya uploads remove {bot}@VERSION --server URL'"
            )

    def _check_busy(self, bot: str, network: str | None) -> None:
        if bot in self._busy:
            raise QuotaError(f"another upload of {bot} is being received: wait for its answer")
        of_network = sum(other == network for other in self._busy.values())
        if network is not None and of_network >= AT_ONCE_OF_NETWORK:
            raise QuotaError(
                f"{of_network} uploads of your network are being received, the most at once: "
                f"try again in {_AGAIN_S} s",
                _AGAIN_S,
            )
        if len(self._busy) >= AT_ONCE:
            raise QuotaError(
                f"{len(self._busy)} uploads are being received, the most at once: "
                f"try again in {_AGAIN_S} s",
                _AGAIN_S,
            )

    def _note_attempt(self, bot: str) -> None:
        with self._lock:
            self._attempts.setdefault(bot, deque(maxlen=self._quotas.per_hour)).append(now_ms())
            self._attempts.move_to_end(bot)
            if len(self._attempts) > _MOST_NAMES:
                self._attempts.popitem(last=False)

    def _check(self, bot: str, network: str | None) -> None:
        quotas, now = self._quotas, now_ms()
        uploads = self._store.uploads.of_bot(bot)
        _check_kept(bot, uploads, quotas)
        day_ago, hour_ago = now - DAY_S * 1000, now - HOUR_S * 1000
        own, of_network = self._store.uploads.since(bot, network, day_ago)
        with self._lock:
            attempts = list(self._attempts.get(bot, ()))
        for times in (own, attempts):
            last_hour = [time_ms for time_ms in times if time_ms > hour_ago]
            _check_rate(f"{bot} has sent", "an hour", last_hour, quotas.per_hour, HOUR_S, now)
        _check_rate(f"{bot} has sent", "a day", own, quotas.per_day, DAY_S, now)
        from_there = "your network has sent"
        _check_rate(from_there, "a day", of_network, quotas.network_per_day, DAY_S, now)


def _check_kept(bot: str, uploads: Sequence[Upload], quotas: Quotas) -> None:
    waiting = sum(upload.undecided for upload in uploads)
    if waiting >= quotas.undecided:
        raise QuotaError(
            f"{waiting} uploads of {bot} still wait for being built, the most: "
            "upload the next one when one of them is decided"
        )
    kept = [upload for upload in uploads if upload.state in _KEPT]
    if len(kept) >= quotas.versions:
        raise QuotaError(
            f"the server keeps {len(kept)} versions of {bot}, the most: remove a version that you "
            f"need no more, with 'polynya uploads remove {bot}@VERSION --server URL'"
        )


def _check_rate(
    who: str, span: str, times: Sequence[int], most: int, window_s: int, now: int
) -> None:
    """Refuse one more than ``most`` in a window; ``times`` are those in it, oldest first."""
    if len(times) < most:
        return
    free_ms = times[len(times) - most] + window_s * 1000
    wait_s = max(1, math.ceil((free_ms - now) / 1000))
    raise QuotaError(
        f"{who} {len(times)} uploads within {span}; the most is {most}: the next one can come in "
        f"{_length(wait_s)}, at {moment(free_ms)}",
        wait_s,
    )


def _length(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
