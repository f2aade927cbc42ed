"""``polynya tournament verify``: checks the published bundle or report of a tournament."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.flags.parameters import Json
from polynya_common.text import figure_words
from polynya_contest.pairing.standings import Standing
from polynya_evidence.bundles.bundle_reader import read_bundle
from polynya_evidence.bundles.signing import check_public_text
from polynya_evidence.bundles.verification import Verification, verify

NOT_ALL_CHECKED = 3
"""The exit code if nothing differs, but something was not checked."""


def verify_bundle(
    file: Path,
    /,
    *,
    public_key: str | None = None,
    allow_unchecked: bool = False,
    as_json: Json = False,
) -> int:
    """Check a tournament's bundle, or the page of its report with the bundle in it.

    The command needs only this file. It checks the signature and the hashes, plays
    every replay through the rules, draws every pairing and seed again, computes
    the table, the ratings and the report again, and renders a page again from
    them. It names each difference and each check that it could not make, and shows
    the table that follows from the replays. Exit code 0: all was checked, and
    nothing differs. 1: something differs, or the file is no bundle. 3: nothing
    differs, but something was not checked.

    Args:
        file: The file that 'polynya tournament report' wrote with --bundle or --html.
        public_key: The host's public key, as 'polynya tournament keygen' prints it; without it
            any key may have signed the bundle.
        allow_unchecked: Exit code 0 instead of 3 if nothing differs.
        as_json: Write JSON.
    """
    if public_key is not None:
        check_public_text(public_key)
    found = verify(read_bundle(file), public_key)
    if as_json:
        write_json(dataclasses.asdict(found) | {"pinned": public_key is not None})
    else:
        _tell(found, public_key)
    if found.differences:
        return 1
    return NOT_ALL_CHECKED if found.unchecked and not allow_unchecked else 0


def _tell(found: Verification, demanded: str | None) -> None:
    for sentence in (*found.differences, *found.unchecked):
        complain(sentence)
    write_line(_signed(found, demanded))
    count = len(found.differences)
    said = f"{count} difference{'s' * (count != 1)}" if count else "nothing differs"
    if found.unchecked:
        said += f", {len(found.unchecked)} of the checks not made"
    write_line(f"{found.tournament}: {found.replays} replays played again, {said}")
    for sentence in found.repeated:
        write_line(sentence)
    if found.standings is not None:
        write_table(
            [">place", "bot", ">points", ">games"],
            [[figure_words(row.place), row.name, *_points(row)] for row in found.standings.rows],
            title="The table that follows from the replays:",
        )


def _points(row: Standing) -> list[object]:
    return [f"{row.points:g}", row.games]


def _signed(found: Verification, demanded: str | None) -> str:
    if not found.signed:
        return (
            "not signed: the signature is not one by the key in it, so any person may have made it"
        )
    if demanded is None:
        whose = "whose that is, --public-key would check"
    else:
        whose = "as it must be" if found.public_key == demanded else "not by the given key"
    return f"signed by {found.public_key} ({whose})"
