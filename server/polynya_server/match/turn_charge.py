"""Charges a turn's time without the lag, which is the time that the bytes need on their way.

A time is charged in whole milliseconds, rounded down, and is in time if the charge does not
exceed the limit: a player exactly at the limit is in time, a player one millisecond over it is
not, and the recorded time is the time that decided (wire contract, "Clock").
"""

from __future__ import annotations

from polynya_server.timing.monotonic_clock import NS_PER_MS


def lag_allowance_ns(round_trip_ns: int | None, lag_ms: int) -> int:
    """The uncharged part of a turn's time: the network round trip, at most ``lag_ms``.

    Args:
        round_trip_ns: the smallest measured round trip of the bot's connection, None without one.
        lag_ms: the setting.
    """
    return 0 if round_trip_ns is None else min(round_trip_ns, lag_ms * NS_PER_MS)


def charge_ms(elapsed_ns: int, allowance_ns: int) -> int:
    """The charge of a turn: its time without the lag allowance, in whole ms, rounded down."""
    return (elapsed_ns - allowance_ns) // NS_PER_MS if elapsed_ns > allowance_ns else 0


def first_late_ns(start_ns: int, limit_ms: int, allowance_ns: int) -> int:
    """The earliest time at which an answer is late, for a clock started at ``start_ns``."""
    return start_ns + (limit_ms + 1) * NS_PER_MS + allowance_ns
