"""``polynya bots``: who is known to a database, and the tokens that prove names."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, datetime
from pathlib import Path

from polynya_protocol.messages import NAME_PATTERN
from polynya_server.tokens import hash_token, new_token
from polynya_tournaments.cli.output import write_json, write_line, write_table
from polynya_tournaments.cli.parameters import DEFAULT_DATABASE, Json
from polynya_tournaments.errors import ConfigurationError, TournamentError
from polynya_tournaments.store import BotRow, Store


def list_bots(*, database: Path = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """List the bots that a database knows.

    A bot without a token was started by a tournament and cannot connect from
    outside before it has one. A suspended bot gets no matches on the ladder,
    for the reason that is shown.

    Args:
        database: The database file.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        rows = store.bots()
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
    else:
        columns = ["bot", "first seen", "token", "suspended"]
        none = (
            f"{database} holds no bots: 'polynya bots add NAME' registers one, and those that a "
            "tournament starts are entered by it"
        )
        write_table(columns, [_cells(row) for row in rows], without_rows=none)


def _cells(row: BotRow) -> list[object]:
    seen = datetime.fromtimestamp(row.created_ms / 1000, UTC).isoformat(" ", timespec="seconds")
    token = "yes" if row.registered else "revoked" if row.revoked else "no"
    return [row.name, seen, token, row.suspension]


def add(name: str, /, *, database: Path = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Register a bot and print its token, which cannot be shown again.

    Only a hash of the token is kept. A server that is running learns of it
    within seconds. A bot whose token was revoked is let in again by this.

    Args:
        name: The bot's name: 1 to 32 letters, digits and _ . -
        database: The database file.
        as_json: Write name and token as JSON.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise ConfigurationError(f"{name!r} is no name: 1 to 32 letters, digits and _ . - are")
    # Where nothing is, a database is made; one that is there may be in use by a server.
    with Store.open(database, for_play=not database.exists()) as store:
        if any(row.name == name and row.registered for row in store.bots()):
            raise TournamentError(f"{name} has a token; 'polynya bots rotate {name}' gives another")
        _give_token(store, name, as_json)


def rotate(name: str, /, *, database: Path = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Give a bot a new token in place of the one it has, and print it.

    A server that is running learns of it within seconds, and disconnects
    whoever is connected with the old one.

    Args:
        name: The bot's name.
        database: The database file.
        as_json: Write name and token as JSON.
    """
    with Store.open(database) as store:
        row = _row(store, name)
        if row.revoked:
            raise TournamentError(
                f"the token of {name} was revoked; 'polynya bots add {name}' lets it in again, "
                "with a new one"
            )
        if not row.registered:
            raise TournamentError(f"{name} has no token yet; 'polynya bots add {name}' gives one")
        _give_token(store, name, as_json)


def revoke(name: str, /, *, database: Path = DEFAULT_DATABASE) -> None:
    """Take a bot's token away: nobody can play under its name any more.

    The name stays taken, and its matches and ratings stay as they are. A
    server that is running learns of it within seconds, and disconnects the
    bot; matches that it is in are lost when it would have had to be back.
    'polynya bots add NAME' lets it in again, with a new token.

    Args:
        name: The bot's name.
        database: The database file.
    """
    with Store.open(database) as store:
        if not store.revoke(name):
            raise _unknown(name)


def suspend(
    name: str, /, *, why: str = "the host suspended it", database: Path = DEFAULT_DATABASE
) -> None:
    """Let the ladder give a bot no matches until 'polynya bots resume NAME'.

    A server that is running does so within seconds; matches in play go on.

    Args:
        name: The bot's name.
        why: The reason, a sentence that everybody can read.
        database: The database file.
    """
    with Store.open(database) as store:
        if not store.suspend(name, why):
            raise _unknown(name)


def resume(name: str, /, *, database: Path = DEFAULT_DATABASE) -> None:
    """Put a bot back that was suspended because it kept failing.

    A server that is running gives it matches again within seconds.

    Args:
        name: The bot's name.
        database: The database file.
    """
    with Store.open(database) as store:
        if _row(store, name).suspension is None:
            raise TournamentError(f"{name} is not suspended")
        store.resume(name)


def _row(store: Store, name: str) -> BotRow:
    for row in store.bots():
        if row.name == name:
            return row
    raise _unknown(name)


def _unknown(name: str) -> TournamentError:
    return TournamentError(
        f"the database holds no bot {name}; 'polynya bots list' says which it holds"
    )


def _give_token(store: Store, name: str, as_json: bool) -> None:
    token = new_token()
    store.set_token(name, hash_token(token))
    if as_json:
        write_json({"bot": name, "token": token})
    else:
        write_line(token)
