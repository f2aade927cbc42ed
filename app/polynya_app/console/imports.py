"""Matches of a file brought into a database, and what is said about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from polynya_app.console.output import write_json, write_line
from polynya_app.host_name import host_name
from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.text import shortened
from polynya_contest.config.bot_names import KnownNames
from polynya_contest.ratings.pool import System
from polynya_store import Store
from polynya_store.imports.imported_matches import ForeignMatch, Imported, import_matches

_NAMED = 10
"""The number of new bots that are named."""


def import_into(
    database: DatabaseAddress,
    found: Sequence[ForeignMatch],
    source: str,
    *,
    as_json: bool,
    system: System | None = None,
) -> None:
    """Add matches to a database, which is made if there is none, and say what became of it.

    Args:
        database: where it is.
        found: the matches.
        source: what they are from.
        as_json: whether to write JSON.
        system: how matches are rated of a kind that has no ratings there yet.

    Raises:
        TournamentError: nothing was imported; the message says why.
    """
    if not found:
        raise TournamentError(f"{source} has no match to import")
    # Where nothing is, a database is made; an existing one may be in use by a server.
    with Store.open(database, create=True) as store:
        _check_names(found, [row.name for row in store.bots.all()])
        done = import_matches(store.database, found, source, host_name(), system)
    if as_json:
        write_json(dataclasses.asdict(done))
        return
    for sentence in _sentences(done, source):
        write_line(sentence)


def _check_names(found: Sequence[ForeignMatch], known: Sequence[str]) -> None:
    names = KnownNames(known)
    for match in found:
        for name in match.bots:
            try:
                names.add(name, f"{match.place}: ")
            except ConfigurationError as error:
                raise TournamentError(str(error)) from error


def _sentences(done: Imported, source: str) -> list[str]:
    known = f", {done.known} were there already" if done.known else ""
    said = [f"{done.matches} matches of {source} are imported{known}"]
    if done.new_bots:
        said.append(f"new bots, without a token: {shortened(done.new_bots, _NAMED)}")
    if done.recomputed:
        said.append("all ratings are computed again, because rated matches had ended later")
    return said
