"""``polynya upload``: upload a program to a server, and follow it until it plays."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import trio

from polynya_app.console.output import complain, write_line
from polynya_app.owner_token import token_for_upload
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.archives.manifest import Manifest, read_manifest
from polynya_tournaments.uploads.archives.manifest_text import MANIFEST
from polynya_tournaments.uploads.archives.notes import Notes
from polynya_tournaments.uploads.archives.packing import check_commands, pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.building.build import names_error
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.verdicts import examine
from polynya_tournaments.uploads.upload_client import UploadClient, UploadState

_PAUSE_S = 1.0
_LONGEST_NOTE = 1_000
_LOG_LINES = 40
"""How much of the end of the build's output is shown when a version is refused.

The first line that names an error is shown in any case: compilers say much after it.
"""


def upload(
    program: Path, /, *, server: str, name: str | None = None, no_wait: bool = False
) -> None:
    """Upload a program: the server builds it, validates it, and then it plays.

    The program is a folder, or a ZIP or tar.gz file of one, with a polynya.toml at
    its top that says how it is built and started; 'polynya new-bot' makes such
    folders. The bot's token comes from POLYNYA_TOKEN, or from the file that
    POLYNYA_TOKEN_FILE names; a name that has none yet is registered, if the server
    takes new names, and its token is kept. Exit code 1 if the server refuses the
    program.

    Args:
        program: A folder, or an archive.
        server: The address of the server's web pages.
        name: The bot's name; without, the one in polynya.toml.
        no_wait: Do not wait until the version is accepted or refused.
    """
    archive, manifest, notes = _packed(program)
    for note in notes:
        write_line(printable(note, _LONGEST_NOTE))
    bot = name or manifest.name
    if bot != manifest.name:
        raise ConfigurationError(
            f"{program / MANIFEST}: name: it is {manifest.name}, and --name is {printable(bot)}: "
            "make them the same"
        )
    client = UploadClient(server, bot, token_for_upload(server, bot, os.environ, write_line))
    state = client.send(archive)
    write_line(f"{bot}@{state.version} has {len(archive):,} bytes and is {state.state}")
    while not no_wait and not state.decided:
        state = _next_state(client, state)
    if state.state == "refused":
        _show_log(client.state(state.version, log=True))
        raise UploadError(f"{bot}@{state.version} is refused: {state.detail}")


def _packed(program: Path) -> tuple[bytes, Manifest, Sequence[str]]:
    """The archive of a program, its manifest, and what was left out or will be changed.

    Raises:
        TournamentError: it cannot be read, or no server would take it.
    """
    limits = Limits()
    try:
        if program.is_dir():
            return _packed_folder(program, limits)
        found = trio.run(examine, program, limits)
        return program.read_bytes(), found.manifest, found.notes
    except OSError as error:
        raise TournamentError(f"{program} cannot be read: {error.strerror}") from error
    except UploadError as error:
        raise UploadError(f"{program}: {error}") from error


def _packed_folder(folder: Path, limits: Limits) -> tuple[bytes, Manifest, Sequence[str]]:
    manifest = read_manifest(folder)
    check_commands(folder, manifest)
    notes = Notes()
    archive = pack(folder, limits, notes)
    with tempfile.TemporaryDirectory(prefix="polynya-") as made:
        packed = Path(made, "archive")
        packed.write_bytes(archive)
        found = trio.run(examine, packed, limits)
    return archive, manifest, [*notes.lines(), *found.notes]


def _next_state(client: UploadClient, before: UploadState) -> UploadState:
    """The state after a while; a new one is told."""
    time.sleep(_PAUSE_S)
    state = client.state(before.version)
    if state.state != before.state and state.state != "refused":
        write_line(f"it is {state.state}")
    return state


def _show_log(state: UploadState) -> None:
    lines = "\n\n".join(filter(None, [state.build_log, state.match])).splitlines()
    hidden, shown = lines[:-_LOG_LINES], lines[-_LOG_LINES:]
    if hidden:
        complain(f"the last {_LOG_LINES} of {len(lines)} lines that building it printed:")
        shown[:0] = [*filter(names_error, hidden)][:1]
    for line in shown:
        print(printable(line), file=sys.stderr)
