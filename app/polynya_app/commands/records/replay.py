"""``polynya replay``: recorded matches shown, exported, imported and verified."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.console.board_text import board_lines
from polynya_app.console.imports import import_into
from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.console.replay_table import COLUMNS, event_rows, heading, seat_rows
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import ConfigurationError, NotInStoreError, TournamentError
from polynya_common.file_names import file_stems
from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Cause, Reason
from polynya_conformance.replay.text_form import TEXT_SUFFIX, as_text
from polynya_conformance.replay.verify import differences, parse_replay, read_replay
from polynya_server.records import ForfeitRecord, MatchRecord, encode_replay
from polynya_store import Store
from polynya_store.imports.imported_matches import foreign_match_of

SUFFIX = ".replay"

All = Annotated[bool, Parameter(name="--all")]


def show(
    match: str,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    turn: Number | None = None,
    seat: Number | None = None,
    as_json: Json = False,
) -> None:
    """Print a recorded match: set-up, turns with their times, forfeits, result.

    Each turn shows the charged time, the time from sending it to the last byte of
    the answer, the budget left, the time that sending took, and the largest delay
    of the server's own event loop meanwhile. docs/hosting/disputes.md explains how
    to answer a complaint about the clock with these times.

    With --turn only the board after that turn is printed, 0 for the initial
    position: the rows of text that the game brings, or else its state.

    Args:
        match: The id of a match in the database, or a .replay or .match file.
        database: A file, or postgresql://USER@HOST/NAME.
        turn: Print the board after this turn.
        seat: With --turn: print what this seat knew.
        as_json: Write the whole record as JSON.
    """
    record = record_of(match, database)
    if turn is not None:
        for line in board_lines(record, turn, seat):
            write_line(line)
        return
    if seat is not None:
        raise ConfigurationError("--seat needs --turn: the view is that after a turn")
    if as_json:
        write_json(as_document(record))
        return
    for line in heading(record):
        write_line(line)
    reports = {} if _is_file(match) else _write_known(match, database)
    write_table(["seat", "bot", "software", ">rank", ">score"], seat_rows(record))
    write_table(COLUMNS, event_rows(record, reports), without_rows="no turn was played")


def _write_known(match: str, database: DatabaseAddress) -> Mapping[int, ProcessReport]:
    """Why a ladder paired these bots; the database says it, not the replay.

    Returns:
        the reports of the match's hosted processes, by seat.
    """
    with Store.open(database) as store:
        row = store.matches.get(match)
        reports = {one.seat: one.report for one in store.processes.of_match(match)}
    if row.why is not None:
        write_line(f"paired: {row.why}")
    if row.imported is not None:
        write_line(f"imported: {row.imported}")
    if row.annulled is not None:
        write_line(f"annulled, it does not count: {row.annulled}")
    return reports


def _is_file(match: str) -> bool:
    file = Path(match)
    return file.suffix in (SUFFIX, TEXT_SUFFIX) or file.is_file()


def as_document(record: MatchRecord) -> Any:
    """The record as JSON values; a number that JSON does not have becomes null."""
    document = json.loads(msgspec.json.encode(record))
    _say_reason(document, record.detail)
    for event, told in zip(record.events, document["events"], strict=True):
        if isinstance(event, ForfeitRecord):
            _say_reason(told, event.detail)
    return document


def _say_reason(told: dict[str, Any], detail: Cause | None) -> None:
    """Write a reason as its sentence, and its code with fields beside it."""
    if isinstance(detail, Reason):
        told |= {"detail": str(detail), "detail_cause": told["detail"]}


def record_of(match: str, database: DatabaseAddress) -> MatchRecord:
    """The record of a match: of a replay file, or of an id in the database."""
    if _is_file(match):
        return read_replay(Path(match))
    with Store.open(database) as store:
        return parse_replay(_document(store, match), f"the replay of {match}")


def _document(store: Store, match: str) -> bytes:
    """The replay of a match; the error without ``--database`` says which file was searched."""
    try:
        return store.matches.replay(match)
    except NotInStoreError as error:
        raise NotInStoreError(
            f"{error}; it was looked for in {store.address}, --database names another file"
        ) from error


def export(
    *matches: str,
    to: Path = Path(),
    database: DatabaseFlag = DEFAULT_DATABASE,
    every: All = False,
    as_text_form: Annotated[bool, Parameter(name="--text")] = False,
    as_html: Annotated[bool, Parameter(name="--html")] = False,
    language: str = "en",
    as_json: Json = False,
) -> int:
    """Write recorded matches to files MATCH.replay, one msgpack document each.

    With --text each is written as plain text to MATCH.match: for people to
    read, to paste into the page 'Open a replay', and to read back with
    'polynya replay import'. It has the charged times, but no other times and no
    remarks of bots. With --html each is written as a page MATCH.html, which
    shows the match in any browser, without a server and without a network.
    The command names a match that cannot be written so; the exit code is
    then 1.

    Args:
        matches: The ids of matches, or .replay or .match files.
        to: The folder to write to; created if missing.
        database: A file, or postgresql://USER@HOST/NAME.
        every: Write all matches in the database.
        as_text_form: Write text instead of msgpack.
        as_html: Write a page instead of msgpack.
        language: The language of the page: en or de.
        as_json: Write JSON: each match with its file.
    """
    if every == bool(matches):
        raise ConfigurationError("name the matches to export, or give --all, not both")
    if as_text_form and as_html:
        raise ConfigurationError("give --text or --html, not both")
    form = _TEXT if as_text_form else _html(language) if as_html else _REPLAY
    written, refused = [], 0
    with ExitStack() as stack:
        for name, stem, document in _documents(matches, every, database, stack):
            file = to / f"{stem}{form.suffix}"
            try:
                _write(file, form.make(name, document))
            except _NotSoError as error:
                refused += 1
                complain(str(error))
            else:
                written.append({"match": name, "file": str(file)})
    if as_json:
        write_json(written)
    else:
        write_line(f"{len(written)} replay{'s' * (len(written) != 1)} written to {to}")
    return int(bool(refused))


def _documents(
    matches: tuple[str, ...], every: bool, database: DatabaseAddress, stack: ExitStack
) -> Iterator[tuple[str, str, bytes]]:
    """Of each match its name, the beginning of its file's name, and its replay."""
    if every:
        store = stack.enter_context(Store.open(database))
        stems = file_stems(row.match for row in store.matches.find())
        for name, document in store.matches.replays():
            yield name, stems[name], document
        return
    in_files = {name for name in matches if _is_file(name)}
    stems = file_stems(Path(name).stem if name in in_files else name for name in matches)
    store_ = None
    for name in matches:
        if name in in_files:
            yield name, stems[Path(name).stem], encode_replay(read_replay(Path(name)))
            continue
        store_ = store_ or stack.enter_context(Store.open(database))
        yield name, stems[name], _document(store_, name)


class _NotSoError(TournamentError):
    """A match that cannot be written in the form that was asked for; the others are."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of files: their ending, and what makes one of a match's name and its replay."""

    suffix: str
    make: Callable[[str, bytes], bytes]


def _as_text(name: str, document: bytes) -> bytes:
    try:
        return as_text(parse_replay(document, f"the replay of {name}")).encode()
    except TournamentError as error:
        raise _NotSoError(str(error)) from error


def _html(language: str) -> _Form:
    from polynya_app.web_pages import replay_page  # what it imports, no other form needs

    def make(name: str, document: bytes) -> bytes:
        try:
            return replay_page(parse_replay(document, f"the replay of {name}"), language)
        except ConfigurationError:
            raise  # no match can be written
        except TournamentError as error:
            raise _NotSoError(str(error)) from error

    return _Form(".html", make)


_TEXT = _Form(TEXT_SUFFIX, _as_text)
_REPLAY = _Form(SUFFIX, lambda _, document: document)


def _write(file: Path, document: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(document)
    except OSError as error:
        raise TournamentError(f"{file} cannot be written: {error.strerror}") from error


def import_replays(
    *files: Path, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Bring matches that were played elsewhere into a database.

    The command plays each through the rules first; if one fails, it imports none.
    Rated matches are rated in the order of their times, and marked as imported
    everywhere. Matches that the database has already are skipped, so the same
    files may be imported again.

    Args:
        files: Files that 'polynya replay export' has written, with or without --text.
        database: The database file; created if missing.
        as_json: Write JSON instead of sentences.
    """
    if not files:
        raise ConfigurationError("name the files to import")
    found = []
    for file in files:
        record = read_replay(file)
        if wrong := differences(record):
            raise TournamentError(f"{file}: {wrong[0]}; nothing is imported")
        found.append(foreign_match_of(record, str(file)))
    source = files[0].name if len(files) == 1 else f"{len(files)} files"
    import_into(database, found, source, as_json=as_json)


def verify_replays(
    *files: Path,
    every: All = False,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> int:
    """Play recorded matches again through the rules, and compare.

    Checked are the set-up, every turn and forfeit, the sums of the clocks, the
    final ranking and scores. Exit code 1 if anything differs, or cannot be read
    as a replay; each difference is named.

    Args:
        files: Replay files.
        every: Verify all replays in the database.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON: the match or file with its differences, only where there are some, and
            those that cannot be read.
    """
    if every == bool(files):
        raise ConfigurationError("name the replay files to verify, or give --all, not both")
    count, wrong, unreadable = 0, {}, {}
    for name, record in _records(files, database):
        if isinstance(record, TournamentError):
            unreadable[name] = str(record)
            continue
        count += 1
        if found := differences(record):
            wrong[name] = found
    if as_json:
        write_json({"verified": count, "differing": wrong, "unreadable": unreadable})
    else:
        for name, found in wrong.items():
            for sentence in found:
                complain(f"{name}: {sentence}")
        for sentence in unreadable.values():
            complain(sentence)
        unread = f", {len(unreadable)} could not be read" if unreadable else ""
        said = f"{count} replay{'s' * (count != 1)} verified, {len(wrong)} with differences"
        write_line(f"{said}{unread}")
    return int(bool(wrong or unreadable))


def _records(
    files: tuple[Path, ...], database: DatabaseAddress
) -> Iterator[tuple[str, MatchRecord | TournamentError]]:
    """Each replay's name with its record, or why there is none."""
    if files:
        for file in files:
            yield str(file), _read(partial(read_replay, file))
        return
    with Store.open(database) as store:
        for name, document in store.matches.replays():
            yield name, _read(partial(parse_replay, document, name))


def _read(read: Callable[[], MatchRecord]) -> MatchRecord | TournamentError:
    try:
        return read()
    except TournamentError as error:
        return error
