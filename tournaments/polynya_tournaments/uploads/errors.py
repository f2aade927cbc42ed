"""The error of an upload that is refused."""

from __future__ import annotations

from polynya_tournaments.errors import TournamentError


class UploadError(TournamentError):
    """An upload is refused; the message tells its author why, and what to do."""
