"""Tries parameters in a process of its own before OpenSpiel sees them here.

OpenSpiel is a C++ library: some parameters that it accepts end its process, or need hours or all
memory. So parameters that are not the defaults are first tried in a child process with limits,
which plays one random game. It takes a tenth of a second, once for each set of parameters.
"""

from __future__ import annotations

import contextlib
import functools
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final

import pyspiel

from polynya_games.randomness import SplitMix64

FAULTS: Final = (
    pyspiel.SpielError,
    IndexError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""The exceptions that errors in OpenSpiel become."""

CPU_S: Final = 2
WALL_S: Final = 10
MEMORY_BYTES: Final = 2 * 2**30


@functools.lru_cache(1_000)
def flaw(name: str, values: tuple[tuple[str, Any], ...]) -> str | None:
    """Why OpenSpiel cannot play a game with these parameters; None if a random game ended well.

    Args:
        name: OpenSpiel's name.
        values: the parameters that do not have their default, sorted.
    """
    command = [sys.executable, "-m", "polynya_foreign.openspiel.trial"]
    question = json.dumps([name, dict(values)])
    try:
        child = subprocess.run(  # noqa: S603 - our own module
            command, input=question, capture_output=True, text=True, timeout=WALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"a random match takes more than {WALL_S} seconds"
    if child.returncode == 0:
        answer: str | None = json.loads(child.stdout.splitlines()[-1])
        return answer
    if child.returncode > 0:
        return f"OpenSpiel ends with exit code {child.returncode}"
    if -child.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return f"a random match takes more than {CPU_S} seconds"
    return f"OpenSpiel dies by signal {-child.returncode}"


def main() -> None:
    """Read the name and the parameters from standard input; write what is wrong as JSON."""
    with contextlib.suppress(OSError, ValueError):  # some systems do not have both limits
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    name, values = json.load(sys.stdin)
    try:
        _play(name, values)
    except MemoryError:
        answer: str | None = f"a match needs more than {MEMORY_BYTES // 2**30} GiB of memory"
    except FAULTS as error:
        answer = str(error) or type(error).__name__
    else:
        answer = None
    print(f"\n{json.dumps(answer)}", flush=True)


def _play(name: str, values: Mapping[str, Any]) -> None:
    game = pyspiel.load_game(name, dict(values))
    generator = SplitMix64(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        str(state)
        if state.is_chance_node():
            outcomes = [action for action, chance in state.chance_outcomes() if chance > 0]
            state.apply_action(outcomes[generator.below(len(outcomes))])
        elif state.is_simultaneous_node():
            seats = range(game.num_players())
            state.apply_actions([_choice(state, seat, generator) for seat in seats])
        else:
            state.apply_action(_choice(state, state.current_player(), generator))
    state.returns()


def _choice(state: Any, seat: int, generator: SplitMix64) -> int:
    actions = state.legal_actions(seat)
    for action in actions:
        state.action_to_string(seat, action)
    chosen: int = actions[generator.below(len(actions))] if actions else 0
    return chosen


if __name__ == "__main__":
    main()
