"""Matches a second of ``polynya match``, with bare bots and with bots as starter kits are.

Nothing of Polynya is imported: an older version can be measured by the same code. A short and a
long run are compared, so start and end of the command are left out.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CLOCK = ("--move-ms", "60000")
AT_ONCE = (1, 2)
FEW = 20
MATCHES_PER_SECOND = 50
"""About as many are played: so many more in the long run for each second that is asked for."""


@dataclass(frozen=True)
class Version:
    """A version of Polynya.

    Attributes:
        launcher: the words that start its command.
        environment: all variables of the command, None for those of this process.
    """

    launcher: Sequence[str]
    environment: Mapping[str, str] | None = None


def rates(version: Version, bare: Path, kit: Path | None, seconds: float) -> Mapping[str, float]:
    """Matches a second, by the kind of bots and the number of matches at once.

    Args:
        version: whose command plays.
        bare: the load generator's program.
        kit: the bot of a starter kit, None to leave it out.
        seconds: how long each figure is measured, about.

    Raises:
        RuntimeError: the command failed.
    """
    return dict(_rates(version, bare, kit, seconds))


def _rates(
    version: Version, bare: Path, kit: Path | None, seconds: float
) -> Iterator[tuple[str, float]]:
    many = FEW + max(FEW, round(MATCHES_PER_SECOND * seconds))
    bots = {"bare bots": f"{bare} hosted"} | ({} if kit is None else {"kits' bots": f"{kit}"})
    for what, bot in bots.items():
        for at_once in AT_ONCE:
            few_s = _seconds_of(version, bot, at_once, FEW)
            many_s = _seconds_of(version, bot, at_once, many)
            name = f"match of {what}, {at_once} at once, matches/s"
            yield name, (many - FEW) / max(1e-3, many_s - few_s)


def _seconds_of(version: Version, bot: str, at_once: int, games: int) -> float:
    """How long the command plays that many matches."""
    words = ["match", bot, bot, "--game", "packeis", "--concurrency", str(at_once), "--json"]
    began = time.monotonic()
    done = subprocess.run(
        [*version.launcher, *words, *CLOCK, "--games", str(games)],
        env=version.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    if done.returncode:
        raise RuntimeError(f"polynya {' '.join(words)}: {done.stderr}")
    if (played := json.loads(done.stdout)["played"]) != games:
        raise RuntimeError(f"{played} of {games} matches were played")
    return seconds
