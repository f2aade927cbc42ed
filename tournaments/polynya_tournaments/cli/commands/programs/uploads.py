"""``polynya uploads``: what authors have handed in, and what the host decides about it."""

from __future__ import annotations

import dataclasses

from polynya_tournaments.cli.console.output import write_json, write_line, write_table
from polynya_tournaments.cli.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json
from polynya_tournaments.errors import ConfigurationError, NotInStoreError
from polynya_tournaments.store import Store
from polynya_tournaments.store.bots.upload_repository import Upload
from polynya_tournaments.text import moment, printable


def list_uploads(
    name: str | None = None, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """List the versions that were handed in, the latest first.

    Args:
        name: A bot's name; without, those of all bots.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        uploads = (
            store.uploads.all(logs=as_json) if name is None else _of_bot(store, name, logs=as_json)
        )
    if as_json:
        write_json([dataclasses.asdict(upload) for upload in uploads])
        return
    columns = ["version", "language", "handed in", "state", "plays", "why"]
    none = (
        "nothing was handed in: 'polynya upload --help' says how, and --uploads of 'polynya serve'"
    )
    write_table(columns, [_cells(upload) for upload in uploads], without_rows=none)


def _cells(upload: Upload) -> list[object]:
    return [
        upload.label,
        upload.language,
        moment(upload.uploaded_ms),
        upload.state,
        "yes" if upload.plays else "",
        upload.detail,
    ]


def show_log(version: str, /, *, database: DatabaseFlag = DEFAULT_DATABASE) -> None:
    """Print what building a version printed, and the match that it was refused for.

    Args:
        version: NAME@VERSION, or NAME for its latest.
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        upload = _latest(store, version)
    if upload.detail is not None:
        write_line(f"{upload.label} is {upload.state}: {upload.detail}")
    for line in (upload.build_log or "").splitlines():
        write_line(line)


def use(version: str, /, *, database: DatabaseFlag = DEFAULT_DATABASE) -> None:
    """Let a bot play this version, an older one too; its matches in play go on.

    Args:
        version: NAME@VERSION; it must have been accepted.
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        store.uploads.prefer(*_words(version))
    write_line(f"{version} plays from now on")


def disable(
    version: str, /, *, why: str = "the host disabled it", database: DatabaseFlag = DEFAULT_DATABASE
) -> None:
    """Let a version play no more; the one before plays instead, if there is one.

    Args:
        version: NAME@VERSION.
        why: A sentence, which its author reads.
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        bot, words = _words(version)
        store.uploads.disable(bot, words, why)
        playing = store.uploads.playing().get(bot)
    instead = f"{playing.label} plays instead" if playing else f"{bot} plays nothing"
    write_line(f"{version} is disabled: {instead}")


def rebuild(*, database: DatabaseFlag = DEFAULT_DATABASE) -> None:
    """Build and validate all accepted versions again, as for another compiler.

    A server that is running does it one after the other; until then they do not
    play.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
    """
    with Store.open(database) as store:
        count = store.uploads.build_again()
    write_line(f"{count} versions are built again")


def _of_bot(store: Store, name: str, *, logs: bool) -> list[Upload]:
    store.bots.get(name)  # or there is no such bot
    return store.uploads.of_bot(name, logs=logs)


def _words(version: str) -> tuple[str, str]:
    """The name and the version in ``NAME@VERSION``."""
    name, at, number = version.partition("@")
    if not (name and at and number):
        raise ConfigurationError(f"write it as NAME@VERSION, not {printable(version)}")
    return name, number


def _latest(store: Store, version: str) -> Upload:
    name, _, number = version.partition("@")
    for upload in _of_bot(store, name, logs=True):
        if not number or upload.version == number:
            return upload
    raise NotInStoreError(f"nothing was handed in as {printable(version)}")
