"""The box of a sandboxed program that has a control group of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polynya_hosting.sandbox.control_groups import ControlGroup
from polynya_hosting.sandbox.interface import LimitsHit


@dataclass(frozen=True)
class LimitedBox:
    """See :class:`~polynya_hosting.sandbox.interface.Box`.

    Attributes:
        group: the program's.
    """

    words: Sequence[str]
    environment: Mapping[str, str]
    directory: Path
    listens: bool
    output_bytes: int
    group: ControlGroup
    memory_mb: int
    owner: int | None = None
    is_guarded: bool = True
    inherits: Sequence[int] = ()

    def limits_hit(self) -> LimitsHit:
        """See :class:`~polynya_hosting.sandbox.interface.Box`."""
        return self.group.limits_hit()
