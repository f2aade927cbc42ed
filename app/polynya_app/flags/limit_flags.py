"""The clock of a match as arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from polynya_app.flags.parameters import Number
from polynya_common.errors import ConfigurationError
from polynya_protocol.messages import Clock


@Parameter(name="*")
@dataclass(frozen=True)
class Limits:
    """The time limits of each match, in ms."""

    initial: Annotated[
        Number | None,
        Parameter(
            name=("--initial-ms", "--initial"), help="Each bot's budget for the whole match."
        ),
    ] = None
    increment: Annotated[
        Number | None,
        Parameter(
            name=("--increment-ms", "--increment"), help="Time added to the clock after each turn."
        ),
    ] = None
    move: Annotated[
        Number | None,
        Parameter(name=("--move-ms", "--move"), help="The most that one turn may take."),
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether there is any limit."""
        return not self.initial is self.increment is self.move is None

    def clock(self, default: Clock) -> Clock:
        """The clock that was asked for; ``default`` where nothing was.

        Raises:
            ConfigurationError: the limits do not make a clock.
        """
        if self.initial is self.increment is self.move is None:
            return default
        if not self.initial and not self.move:
            raise ConfigurationError("a clock needs --initial-ms or --move-ms of at least 1 ms")
        return Clock(initial_ms=self.initial, increment_ms=self.increment, move_ms=self.move)
