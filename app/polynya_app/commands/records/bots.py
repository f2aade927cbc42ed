"""``polynya bots``: the bots in a database, and the tokens that prove their names."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json
from polynya_app.host_name import host_name
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.process_report import cpu_words
from polynya_common.reasons import Reason
from polynya_common.text import argument, moment, moment_ms
from polynya_contest.config.bot_names import KnownNames
from polynya_hosting.bot_logs import last_lines, log_path
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_store import BotRow, Store
from polynya_store.matches.match_repository import ProcessRow


def list_bots(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """List the bots in a database.

    A tournament started the bots without a token; such a bot cannot connect from
    outside before it has one. A suspended bot gets no matches on the ladder,
    for the reason that is shown.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        rows = store.bots.all()
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
    else:
        columns = ["bot", "first seen", "token", "suspended"]
        none = (
            f"{database} has no bots: 'polynya bots add NAME' registers one, and a tournament "
            "registers the bots that it starts"
        )
        write_table(columns, [_cells(row) for row in rows], without_rows=none)


def _cells(row: BotRow) -> list[object]:
    seen = moment(row.created_ms)
    token = "yes" if row.registered else "revoked" if row.revoked else "no"
    return [row.name, seen, token, row.suspension]


def add(
    name: str | None = None,
    /,
    *,
    names: Annotated[Path | None, Parameter(name="--from")] = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Register a bot and print its token, which cannot be shown again.

    The database keeps only a hash of the token. A running server accepts the bot
    within seconds. This also gives a new token to a bot whose token was revoked.
    With --from, each bot of a file gets a token, printed as NAME TOKEN; a bot that
    has one already is left out. A wrong name is shown before any token is given.

    Args:
        name: The bot's name: 1 to 32 letters, digits and _ . -, not beginning with - or .
            nor ending with . (behind -- where a bot has such a name since earlier).
        names: A file of names, one on each line.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write name and token as JSON.
    """
    if (name is None) == (names is None):
        raise ConfigurationError("give the name of a bot, or --from FILE with one on each line")
    # Where nothing is, a database is made; an existing one may be in use by a server.
    with Store.open(database, create=True) as store:
        known = store.bots.all()
        allowed = KnownNames(row.name for row in known)
        registered = {row.name for row in known if row.registered}
        if names is not None:
            _add_all(store, _names_in(names, allowed), registered, as_json)
            return
        allowed.add(str(name))
        if name in registered:
            raise TournamentError(
                f"{name} has a token; 'polynya bots rotate {argument(str(name))}' gives another"
            )
        _give_token(store, str(name), as_json)


def _names_in(file: Path, allowed: KnownNames) -> list[str]:
    """The names in a file, each once.

    Raises:
        ConfigurationError: the file cannot be read, or a line is no name of a bot; it says which.
    """
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
    names = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    for number, name in names:
        allowed.add(name, f"{file}, line {number}: ")
    return list(dict.fromkeys(name for _, name in names))


def _add_all(store: Store, names: Sequence[str], registered: Set[str], as_json: bool) -> None:
    """Give the bots tokens that have none, and print each at once; JSON is one list at the end."""
    given = []
    for name in names:
        if name in registered:
            complain(f"{name} has a token already")
            continue
        token = _new_token_of(store, name)
        given.append({"bot": name, "token": token})
        if not as_json:
            write_line(f"{name} {token}")
    if as_json:
        write_json(given)


def rotate(
    name: str, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Give a bot a new token in place of the one it has, and print it.

    Within seconds a running server disconnects a bot that used the old token.

    Args:
        name: The bot's name.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write name and token as JSON.
    """
    with Store.open(database) as store:
        row = _row(store, name)
        if row.revoked:
            raise TournamentError(
                f"the token of {name} was revoked; 'polynya bots add {argument(name)}' gives it a "
                "new one"
            )
        if not row.registered:
            raise TournamentError(
                f"{name} has no token yet; 'polynya bots add {argument(name)}' gives one"
            )
        _give_token(store, name, as_json)


def revoke(name: str, /, *, database: DatabaseFlag = DEFAULT_DATABASE) -> None:
    """Revoke a bot's token: no bot can play under its name any more.

    The name stays taken; its matches and ratings do not change. Within seconds a
    running server disconnects the bot; it loses its matches in play when the
    time to reconnect is over. 'polynya bots add NAME' gives it a new token.

    Args:
        name: The bot's name.
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        if not store.bots.revoke(name):
            raise _unknown(name)
    write_line(
        f"{name} cannot connect any more: its token is revoked; 'polynya bots add "
        f"{argument(name)}' gives it a new one"
    )


def suspend(
    name: str,
    /,
    *,
    why: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
) -> None:
    """Stop giving a bot ladder matches until 'polynya bots resume NAME'.

    A running server obeys within seconds; matches in play finish.

    Args:
        name: The bot's name.
        why: The reason, a sentence that is published; by default "the host suspended it".
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        if not store.interventions.suspend(name, why or Reason.of("host_suspended"), host_name()):
            raise _unknown(name)
    write_line(
        f"{name} gets no ladder matches any more: {why}; 'polynya bots resume {argument(name)}' "
        "puts it back"
    )


def resume(
    name: str,
    /,
    *,
    why: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
) -> None:
    """Reinstate a suspended bot: it gets ladder matches again.

    A running server obeys within seconds. Earlier faults no longer count for
    rests and suspensions.

    Args:
        name: The bot's name.
        why: The reason, a sentence that is kept; by default "the host put it back".
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        if _row(store, name).suspension is None:
            raise TournamentError(f"{name} is not suspended")
        store.interventions.resume(name, why or Reason.of("host_reinstated"), host_name())
    write_line(f"{name} gets ladder matches again")


def annul(
    name: str,
    /,
    *,
    since: str,
    why: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
) -> None:
    """Annul a bot's ladder matches since a time: they no longer count for ratings.

    All ratings are computed again without these matches. The matches stay in
    lists and replays, marked with the reason. A server may be running: results
    wait until the command is done. Matches of tournaments do not change.

    Args:
        name: The bot's name.
        since: Matches that ended at this time (UTC) or later: a date, or a date and time such as
            2026-11-25T18:00.
        why: The reason, a sentence that is published; by default "the host annulled it".
        database: A file, or postgresql://USER@HOST/NAME.
    """
    since_ms = moment_ms(since, "since")
    with Store.open(database) as store:
        _row(store, name)
        count = store.interventions.annul(
            name, since_ms, why or Reason.of("host_annulled"), host_name()
        )
    write_line(f"{count} matches of {name} were annulled; all ratings are computed again")


def history(
    name: str | None = None, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Show the interventions of hosts: annulments, recomputations, suspensions.

    Args:
        name: Only those of this bot.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        rows = store.interventions.all(name)
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
    else:
        write_table(
            ["when", "who", "what", "bot", ">matches", "why"],
            [[moment(r.at_ms), r.who, r.action, r.bot, r.matches, r.why] for r in rows],
            without_rows="nothing has been set right",
        )


def logs(
    name: str,
    /,
    *,
    matches: int = 10,
    lines: int = 20,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Show how a bot's processes ended, and the time and memory that they used.

    The end of the bot's log follows. The bot's page shows the same to its owner,
    who needs the token.

    Args:
        name: The bot's name.
        matches: The number of matches that are shown.
        lines: The number of lines of the log that are shown.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        _row(store, name)
        rows = store.processes.of_bot(name, matches)
        path = log_path(store.tournaments.log_folders(name), name)
    log = [] if path is None else last_lines(path)[-lines:] if lines > 0 else []
    if as_json:
        write_json({"matches": [_process_json(row) for row in rows], "log": log})
        return
    write_table(
        ["match", ">turns", "processor time", ">MiB", "how it ended, and limits", "last message"],
        [_process_cells(row) for row in rows],
        without_rows=f"the host has started no process of {name} for a match that is recorded here",
    )
    if rows and rows[0].report.last_lines and not log:
        path, log = None, rows[0].report.last_lines[-lines:]
    if log:
        write_line(f"the end of {path}:" if path else f"its last lines in {rows[0].match}:")
        for line in log:
            write_line(f"  {line}")


def _process_json(row: ProcessRow) -> dict[str, object]:
    told = {name: getattr(row.report, name) for name in msgspec.to_builtins(row.report)}
    return {"match": row.match, "seat": row.seat, **told}


def _process_cells(row: ProcessRow) -> list[object]:
    report = row.report
    met = report.limits if report.ended is None else []  # an end names them
    peak = None if report.peak_bytes is None else round(report.peak_bytes / 2**20)
    what = "; ".join(map(str, filter(None, [report.ended, *met])))
    return [row.match, len(report.cpu_ms), cpu_words(report), peak, what, report.last_received]


def _row(store: Store, name: str) -> BotRow:
    for row in store.bots.all():
        if row.name == name:
            return row
    raise _unknown(name)


def _unknown(name: str) -> TournamentError:
    return TournamentError(
        f"the database holds no bot {name}; 'polynya bots list' says which it holds"
    )


def _give_token(store: Store, name: str, as_json: bool) -> None:
    token = _new_token_of(store, name)
    if as_json:
        write_json({"bot": name, "token": token})
    else:
        write_line(token)


def _new_token_of(store: Store, name: str) -> str:
    token = new_token()
    store.bots.set_token(name, hash_token(token))
    return token
