"""``polynya doctor``: is this machine fit for hosting?"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from polynya_tournaments.cli.application import DONE, FAILED
from polynya_tournaments.cli.console.output import write_json, write_line
from polynya_tournaments.cli.flags.parameters import Json
from polynya_tournaments.diagnostics import examine
from polynya_tournaments.errors import ConfigurationError

_MARKS = {"good": "good", "fair": "FAIR", "bad": "BAD "}


def doctor(*, folder: Path = Path(), as_json: Json = False) -> int:
    """Tell what is wrong with this machine for hosting contests.

    Looks at versions, limits of the system, cores, clock, memory and the disk,
    and writes a sentence on each. What is fair limits how many bots can play
    or how exactly their time is measured; what is bad must be put right first:
    the exit code is then 1.

    Args:
        folder: Where the database will be; a file of a few KB is written there and removed.
        as_json: Write JSON instead of sentences.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"there is no folder {folder}")
    findings = examine(folder.resolve())
    if as_json:
        write_json([dataclasses.asdict(finding) for finding in findings])
    else:
        for finding in findings:
            write_line(f"{_MARKS[finding.verdict]}  {finding.subject}: {finding.sentence}")
    return FAILED if any(finding.verdict == "bad" for finding in findings) else DONE
