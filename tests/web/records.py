"""Records of matches that were played at random, without a server."""

from __future__ import annotations

from tests.tournaments.conftest import _played

played = _played
