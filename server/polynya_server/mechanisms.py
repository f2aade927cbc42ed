"""The mechanisms that exist for speed alone, by the names under which a benchmark leaves them out.

Without them a server does the same, more slowly; ``docs/design/002-mechanisms-for-speed.md`` says
what each brings.
"""

from __future__ import annotations

from typing import Literal, get_args

Mechanism = Literal["write-batch", "epoll-reactor", "paused-collector", "switch-interval"]

MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
