"""A tournament of two built-in bots that several tests play, as a description."""

from __future__ import annotations


def autumn(cycles: int) -> str:
    """The tournament autumn: each cycle has two matches."""
    return f"""
name = "autumn"
game = "packeis"
seed = 3
clock = {{ move_ms = 60_000 }}
cycles = {cycles}
[[bots]]
name = "first"
builtin = "random"
[[bots]]
name = "second"
builtin = "random"
"""
