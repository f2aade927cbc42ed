"""Enforces quotas on what the author of a bot, and all authors of a network, upload and keep."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from polynya_common.reasons import Reason
from polynya_common.text import moment
from polynya_store import Store
from polynya_store.backends.sql import now_ms
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.errors import FullError, QuotaError
from polynya_tournaments.uploads.settings import UploadSettings

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


class QuotaGate:
    """Lets uploads in within the quotas.

    What was recorded counts, and in memory each attempt of the last hour: to check an archive takes
    as long as to unpack it, also if it is refused then.

    Args:
        store: where uploads are recorded.
        quotas: what may be uploaded.
    """

    def __init__(self, store: Store, quotas: UploadSettings) -> None:
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
            FullError: as many are being received as there may be.
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
                Reason.of("versions_too_large", bot=bot, mebibytes=size / _MIB, most=most_mb)
            )

    def _check_busy(self, bot: str, network: str | None) -> None:
        if bot in self._busy:
            raise QuotaError(Reason.of("upload_being_received", bot=bot))
        of_network = sum(other == network for other in self._busy.values())
        if network is not None and of_network >= AT_ONCE_OF_NETWORK:
            raise QuotaError(
                Reason.of("network_uploads_busy", count=of_network, seconds=_AGAIN_S),
                _AGAIN_S,
            )
        if len(self._busy) >= AT_ONCE:
            raise FullError(
                Reason.of("uploads_busy", count=len(self._busy), seconds=_AGAIN_S),
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
            _check_rate(last_hour, quotas.per_hour, HOUR_S, now, partial(_hourly, bot))
        _check_rate(own, quotas.per_day, DAY_S, now, partial(_daily, bot))
        _check_rate(of_network, quotas.network_per_day, DAY_S, now, _of_network)


def _check_kept(bot: str, uploads: Sequence[Upload], quotas: UploadSettings) -> None:
    waiting = sum(upload.undecided for upload in uploads)
    if waiting >= quotas.undecided:
        raise QuotaError(Reason.of("uploads_waiting", count=waiting, bot=bot))
    kept = [upload for upload in uploads if upload.state in _KEPT]
    if len(kept) >= quotas.versions:
        raise QuotaError(Reason.of("too_many_versions", count=len(kept), bot=bot))


def _check_rate(
    times: Sequence[int],
    most: int,
    window_s: int,
    now: int,
    why: Callable[[int, int, str, str], Reason],
) -> None:
    """Refuse one more than ``most`` in a window.

    Args:
        times: those in the window, oldest first.
        most: how many there may be.
        window_s: its length.
        now: ms since 1970.
        why: the refusal: how many there are, the most, how long to wait, and until when.
    """
    if len(times) < most:
        return
    free_ms = times[len(times) - most] + window_s * 1000
    wait_s = max(1, math.ceil((free_ms - now) / 1000))
    raise QuotaError(why(len(times), most, _length(wait_s), moment(free_ms)), wait_s)


def _hourly(bot: str, count: int, most: int, wait: str, until: str) -> Reason:
    return Reason.of("hourly_quota", bot=bot, count=count, most=most, wait=wait, moment=until)


def _daily(bot: str, count: int, most: int, wait: str, until: str) -> Reason:
    return Reason.of("daily_quota", bot=bot, count=count, most=most, wait=wait, moment=until)


def _of_network(count: int, most: int, wait: str, until: str) -> Reason:
    return Reason.of("network_quota", count=count, most=most, wait=wait, moment=until)


def _length(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
