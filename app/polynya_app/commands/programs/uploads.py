"""``polynya uploads``: what authors have uploaded, and what the host decides about it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_app.owner_token import owner_token
from polynya_common.errors import ConfigurationError, NotInStoreError
from polynya_common.reasons import Reason
from polynya_common.text import moment
from polynya_protocol.errors import printable
from polynya_store import Store
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.retention import (
    Removal,
    plan_removal,
    remove_old,
)
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_client import UploadClient, UploadState
from polynya_tournaments.uploads.upload_folder import UploadFolder
from polynya_tournaments.uploads.validation.validation_matches import match_text

_MIB = 2**20
_KEPT = UploadSettings()
_NONE = "nothing was uploaded: 'polynya upload --help' says how, and --uploads of 'polynya serve'"


def list_uploads(
    name: str | None = None, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """List the versions that were uploaded, the latest first.

    Args:
        name: A bot's name; by default all bots.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        uploads = store.uploads.all() if name is None else _of_bot(store, name)
        matches = store.uploads.matches_of({upload.bot for upload in uploads})
    if as_json:
        write_json(
            [
                _document(upload) | {"matches": matches.get((upload.bot, upload.version), 0)}
                for upload in uploads
            ]
        )
        return
    columns = ["version", "language", "uploaded", "state", "plays", ">matches", ">MiB", "why"]
    rows = [
        [
            upload.label,
            upload.language,
            moment(upload.uploaded_ms),
            _state(upload),
            "yes" if upload.plays else "",
            matches.get((upload.bot, upload.version), 0),
            _mib(upload.kept_bytes),
            upload.detail,
        ]
        for upload in uploads
    ]
    write_table(columns, rows, without_rows=_NONE)


def queue(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """List the uploads that are being built or validated, or wait for it.

    Owners take turns: many uploads of one do not delay the first of another.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        uploads = store.uploads.undecided()
    if as_json:
        write_json([_document(upload) for upload in uploads])
        return
    rows = [
        [
            upload.label,
            upload.again or upload.state,
            moment(upload.changed_ms or upload.uploaded_ms),
        ]
        for upload in uploads
    ]
    write_table(["version", "stage", "since"], rows, without_rows="nothing waits")


def usage(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Show the disk space of each bot's versions, and the total.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        found = store.uploads.usage()
    if as_json:
        write_json([dataclasses.asdict(one) for one in found])
        return
    rows: list[list[object]] = [
        [one.bot, one.versions, _mib(one.archive_bytes), _mib(one.program_bytes)] for one in found
    ]
    if rows:
        rows.append(
            [
                "in all",
                sum(one.versions for one in found),
                _mib(sum(one.archive_bytes for one in found)),
                _mib(sum(one.program_bytes for one in found)),
            ]
        )
    columns = ["bot", ">versions", ">archives, MiB", ">programs, MiB"]
    write_table(columns, rows, without_rows=_NONE)


def show_log(
    version: str, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Print a version's build log and, if it was refused, its last validation match.

    Args:
        version: NAME@VERSION, or NAME for its latest.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of text.
    """
    with Store.open(database) as store:
        upload = _latest(store, version, logs=True)
    match = match_text(upload.replay)
    if as_json:
        write_json(_document(upload) | {"build_log": upload.build_log, "match": match})
        return
    if upload.detail is not None:
        write_line(f"{upload.label} is {upload.state}: {upload.detail}")
    for line in (upload.build_log or "").splitlines():
        write_line(line)
    if match is not None and upload.state == "refused":
        write_line()
        for line in match.splitlines():
            write_line(line)


def use(
    version: str,
    /,
    *,
    server: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Choose the version that a bot plays, an older one too; matches in play finish.

    An author uses --server and the bot's token, which 'polynya upload' keeps.

    Args:
        version: NAME@VERSION; it must have been accepted.
        server: The address of the server's web pages, for authors.
        database: A file, or postgresql://USER@HOST/NAME, for the host.
        as_json: Write JSON instead of a sentence.
    """
    if server is not None:
        bot, number = _words(version)
        state = UploadClient(server, bot, owner_token(server, bot, os.environ)).use(number)
        _say_state(f"{version} plays from now on", state, as_json=as_json)
        return
    with Store.open(database) as store:
        upload = store.uploads.prefer(*_words(version))
    when = "when it has been built again" if upload.again else "from now on"
    _say(f"{version} plays {when}", upload, as_json=as_json)


def disable(
    version: str,
    /,
    *,
    why: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Disable a version; the version before it plays instead, if there is one.

    Args:
        version: NAME@VERSION.
        why: A sentence, which its author reads; by default "the host disabled it".
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a sentence.
    """
    bot, number = _words(version)
    with Store.open(database) as store:
        store.uploads.disable(bot, number, why or Reason.of("host_disabled"))
        upload, playing = _latest(store, version), store.uploads.playing().get(bot)
    instead = f"{playing.label} plays instead" if playing else f"{bot} plays nothing"
    _say(f"{version} is disabled: {instead}", upload, as_json=as_json)


def rebuild(
    version: str | None = None,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Build and validate versions again, for example with a new compiler.

    The command marks one version, or all accepted ones; a running server builds
    them. Until then they play as they are. If VERSION was refused or disabled, it
    may play again when it passes.

    Args:
        version: NAME@VERSION; by default all accepted versions.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a sentence.
    """
    with Store.open(database) as store:
        if version is not None:
            number = _latest(store, version).number
            _say(f"{version} is built again", store.uploads.build_again(number), as_json=as_json)
            return
        count = store.uploads.build_all_again()
    if as_json:
        write_json({"versions": count})
    else:
        write_line(f"{count} versions are built again")


def cancel(
    version: str,
    /,
    *,
    why: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Stop building or validating a version.

    A new version is refused then; an accepted version that is built again stays
    accepted.

    Args:
        version: NAME@VERSION.
        why: A sentence, which its author reads; by default "the host cancelled it".
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a sentence.
    """
    with Store.open(database) as store:
        number = _latest(store, version).number
        store.uploads.cancel(number, why or Reason.of("host_cancelled"))
        upload = store.uploads.get(number)
    _say(f"{version} is {upload.state}: its build is cancelled", upload, as_json=as_json)


def remove(
    version: str,
    /,
    *,
    why: str | None = None,
    server: str | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Delete a version; only its name stays reserved.

    A version that played in a tournament cannot be deleted. A running server
    removes the files within an hour, 'polynya uploads prune' at once. An author
    uses --server and the bot's token, which 'polynya upload' keeps.

    Args:
        version: NAME@VERSION.
        why: A sentence, which its author reads; by default "the host removed it".
        server: The address of the server's web pages, for authors.
        database: A file, or postgresql://USER@HOST/NAME, for the host.
        as_json: Write JSON instead of a sentence.
    """
    if server is not None:
        bot, number = _words(version)
        state = UploadClient(server, bot, owner_token(server, bot, os.environ)).remove(number)
        _say_state(f"{version} is removed", state, as_json=as_json)
        return
    with Store.open(database) as store:
        store.uploads.remove(*_words(version), why or Reason.of("host_removed"))
        upload = _latest(store, version)
    _say(f"{version} is removed", upload, as_json=as_json)


def prune(
    folder: Path,
    /,
    *,
    refused: Annotated[Number, Parameter(name="--keep-refused")] = _KEPT.refused,
    refused_days: Annotated[Number, Parameter(name="--keep-refused-days")] = (_KEPT.refused_days),
    programs: Annotated[Number, Parameter(name="--keep-programs")] = _KEPT.programs,
    yes: bool = False,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Remove old refused versions, idle programs, and files of no version.

    The command lists what it would remove; only --yes removes it. A server may be
    running: it does the same each hour, by its settings. Programs that run or that
    are being built stay. A removed program is built again when its version is
    chosen. Refused versions stay for at least a day.

    Args:
        folder: The folder of uploads, as 'polynya serve --uploads' has it.
        refused: The most refused versions of each bot that are kept.
        refused_days: The number of days that refused versions are kept.
        programs: The most versions of each bot that stay built.
        yes: Remove them.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of sentences.
    """
    if not (folder / "archives").is_dir():
        raise ConfigurationError(f"{folder} is no folder of uploads: it has no folder archives")
    uploads, retention = (
        UploadFolder(folder),
        UploadSettings(refused=refused, refused_days=refused_days, programs=programs),
    )
    with Store.open(database) as store:
        found = (remove_old if yes else plan_removal)(store, uploads, retention)
    if as_json:
        write_json(
            {
                "refused": [upload.label for upload in found.refused],
                "forgotten": [upload.label for upload in found.forgotten],
                "archives": list(found.archives),
                "programs": list(found.programs),
                "bytes": found.size,
                "removed": yes,
            }
        )
        return
    _write_removal(found, yes=yes)


def _write_removal(found: Removal, *, yes: bool) -> None:
    rows = [
        *([upload.label, "refused, and old"] for upload in found.refused),
        *([upload.label, "its program is idle"] for upload in found.forgotten),
        *([sha256, "an archive of no version"] for sha256 in found.archives),
        *([name, "a program of no version"] for name in found.programs),
    ]
    write_table(["what", "why"], rows, without_rows="There is nothing to remove.")
    if rows:
        done = "were removed" if yes else "would be free; --yes removes them, nothing is gone yet"
        write_line(f"{_mib(found.size)} MiB {done}.")


def _say(sentence: str, upload: Upload, *, as_json: bool) -> None:
    if as_json:
        write_json(_document(upload))
    else:
        write_line(sentence)


def _say_state(sentence: str, state: UploadState, *, as_json: bool) -> None:
    if as_json:
        write_json(dataclasses.asdict(state))
    else:
        write_line(sentence)


def _document(upload: Upload) -> dict[str, Any]:
    """An upload as JSON, without its log and archive."""
    found = dataclasses.asdict(upload)
    del found["build_log"], found["replay"]
    return found


def _state(upload: Upload) -> str:
    return upload.state if upload.again is None else f"{upload.state}, again {upload.again}"


def _mib(size: int) -> str:
    return f"{size / _MIB:.1f}"


def _of_bot(store: Store, name: str, *, logs: bool = False) -> Sequence[Upload]:
    store.bots.get(name)  # or there is no such bot
    return store.uploads.of_bot(name, logs=logs)


def _words(version: str) -> tuple[str, str]:
    """The name and the version in ``NAME@VERSION``."""
    name, at, number = version.partition("@")
    if not (name and at and number):
        raise ConfigurationError(f"write it as NAME@VERSION, not {printable(version)}")
    return name, number


def _latest(store: Store, version: str, *, logs: bool = False) -> Upload:
    name, _, number = version.partition("@")
    for upload in _of_bot(store, name):
        if not number or upload.version == number:
            return store.uploads.get(upload.number, logs=logs)
    raise NotInStoreError(f"nothing was uploaded as {printable(version)}")
