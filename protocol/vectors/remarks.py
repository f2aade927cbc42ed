"""Remarks in ``info``, and whether the SDKs send them: the cases of ``remarks.json``."""

from __future__ import annotations

from typing import Any

BIG_INTEGERS = "integers beyond 64 bits"
"""A feature that a language needs for a case; other languages leave the case out."""


def _case(name: str, info: dict[str, Any], *, sent: bool, needs: str | None = None) -> Any:
    return {"name": name, "info": info, "sent": sent, "needs": needs}


def _maps(levels: int, innermost: Any = None) -> dict[str, Any]:
    return {"a": _maps(levels - 1, innermost)} if levels > 1 else innermost or {}


def _lists(levels: int, innermost: Any = None) -> list[Any]:
    return [_lists(levels - 1, innermost)] if levels > 1 else innermost or []


CASES = [
    _case(
        "values of all kinds",
        {
            "score": -0.25,
            "depth": 12,
            "text": "ž 🎲",
            "line": [["go", 1]],
            "best": True,
            "no": None,
        },
        sent=True,
    ),
    _case("the largest and the least integer", {"n": [2**64 - 1, -(2**63)]}, sent=True),
    _case("1,024 bytes", {"text": "x" * 1015}, sent=True),
    _case("1,024 bytes in letters of two bytes", {"text": "ž" * 507 + "x"}, sent=True),
    _case("a key of 1,000 letters", {"k" * 1000: 1}, sent=True),
    _case("fifteen levels of maps", _maps(15), sent=True),
    _case("fifteen levels with lists", {"a": _lists(14)}, sent=True),
    _case("fifteen levels of maps around a number", _maps(15, {"a": 1}), sent=True),
    _case("fifteen levels with lists around a number", {"a": _lists(14, [1])}, sent=True),
    _case("1,025 bytes", {"text": "x" * 1016}, sent=False),
    _case("1,025 bytes in letters of two bytes", {"text": "ž" * 508}, sent=False),
    _case("a key of 1,100 letters", {"k" * 1100: 1}, sent=False),
    _case("1,100 short values", {"values": [0] * 1100}, sent=False),
    _case("300 short keys", {f"k{number}": 0 for number in range(300)}, sent=False),
    _case("sixteen levels of maps", _maps(16), sent=False),
    _case("sixteen levels with lists", {"a": _lists(15)}, sent=False),
    _case("2^64", {"n": 2**64}, sent=False, needs=BIG_INTEGERS),
    _case("-2^63 - 1", {"n": -(2**63) - 1}, sent=False, needs=BIG_INTEGERS),
    _case("2^70 in a list", {"n": [2**70]}, sent=False, needs=BIG_INTEGERS),
]
