"""The errors of an upload that is refused."""

from __future__ import annotations

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause


class UploadError(TournamentError):
    """An upload is refused; the message tells its author why, and what to do."""


class QuotaError(UploadError):
    """It would be more than may be uploaded.

    Attributes:
        wait_s: when the same may be uploaded, in seconds; None where waiting does not help.
    """

    def __init__(self, why: Cause, wait_s: int | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


class FullError(QuotaError):
    """As many uploads are being received as there may be."""
