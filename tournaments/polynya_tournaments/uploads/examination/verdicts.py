"""Examines strangers' files in a separate process, and trusts only its short verdict.

The libraries that read archives were not made for hostile ones: a few bytes can keep them busy for
hours while they hold the interpreter's lock, or fill the memory. Here that affects only one small
process with its own limits, which is killed when it exceeds them; the server's matches go on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import trio

from polynya_common.errors import RunError
from polynya_common.reasons import Cause, Reason, is_known
from polynya_hosting.bots.child_process import open_output, step_back, wait_ended
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.archives.manifest import Manifest, manifest_of
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.foreign_trees import TreeBounds

_EXAMINER: Final = "polynya_tournaments.uploads.examination.examiner"
_MOST_OUTPUT: Final = 2**20
"""Bytes of a verdict: a manifest as JSON is shorter."""
_LONGEST_SENTENCE: Final = 1_000
_MOST_NOTES: Final = 20
_MIB: Final = 2**20
_NICE: Final = 10
"""Matches go before the reading of archives."""


@dataclass(frozen=True)
class ExaminationLimits:
    """The limits of one process that reads.

    Attributes:
        memory_mb: of its address space.
        cpu_s: of its processor time.
        wall_s: of all of its time.
        open_files: how many descriptors it may have.
        file_mb: how long a file may be that it writes.
    """

    memory_mb: int = 256
    cpu_s: int = 15
    wall_s: int = 120
    open_files: int = 512
    file_mb: int = 1_024


class _Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of the process, as far as it is believed.

    Attributes:
        refused: why the upload is refused; None if it is not.
        unable: why this machine could not do it now.
        document: what the manifest of the archive says.
        digest: the SHA-256 of the manifest, in hexadecimal.
        bytes: how much was built.
        notes: what was done with the archive.
    """

    refused: Cause | None = None
    unable: str | None = None
    document: dict[str, Any] | None = None
    digest: str | None = None
    bytes: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Examined:
    """An archive that could be a program.

    Attributes:
        manifest: what it says of itself.
        digest: the SHA-256 of the manifest's text.
        notes: what was left out or changed, a line each.
    """

    manifest: Manifest
    digest: str
    notes: tuple[str, ...] = ()


async def examine(
    archive: Path,
    bounds: Limits,
    folder: Path | None = None,
    limits: ExaminationLimits | None = None,
) -> Examined:
    """Read a whole archive, and unpack it where a folder is given.

    Args:
        archive: the file.
        bounds: what may be in it.
        folder: which must not exist; see
            :func:`~polynya_tournaments.uploads.archives.unpacking.unpack`. When this fails it, and
            the one beside it, may be there in part.
        limits: of the process.

    Raises:
        UploadError: it is refused; the message is for its author.
        RunError: this machine cannot read it now.
        OSError: the file cannot be opened.
    """
    with archive.open("rb") as opened:
        task = {"do": "archive", "bounds": asdict(bounds), "folder": folder and str(folder)}
        verdict = await _verdict(task, opened, limits or ExaminationLimits())
    if verdict.document is None or verdict.digest is None:
        raise RunError("the process that reads uploads said nothing of one")
    notes = tuple(printable(note, _LONGEST_SENTENCE) for note in verdict.notes[:_MOST_NOTES])
    return Examined(manifest_of(verdict.document), verdict.digest, notes)


async def settle_build(
    folder: Path,
    bounds: TreeBounds,
    digest: str | None = None,
    limits: ExaminationLimits | None = None,
) -> int:
    """Make ours what a build has left.

    See :func:`~polynya_tournaments.uploads.examination.settling.settle`.

    Args:
        folder: in which it was built; nothing of the build runs any more.
        bounds: how much may be in it.
        digest: of the manifest, which must be as it was; None if that does not matter.
        limits: of the process.

    Returns:
        how many bytes are in it.

    Raises:
        UploadError: it is refused; the message is for its author.
        RunError: this machine cannot do it now.
    """
    task = {"do": "build", "bounds": asdict(bounds), "folder": str(folder)}
    verdict = await _verdict(task, None, limits or ExaminationLimits())
    if digest is not None and verdict.digest != digest:
        raise UploadError(Reason.of("manifest_changed_by_build"))
    return verdict.bytes


async def _verdict(
    task: Mapping[str, object], source: BinaryIO | None, limits: ExaminationLimits
) -> _Verdict:
    """The verdict of a new process on a task.

    Raises:
        UploadError: it refuses, or was over its limits.
        RunError: it could not do it, or failed.
    """
    words = msgspec.json.encode({**task, "limits": _as_words(limits)}).decode()
    # In the thread of the loop: it is to end with the thread that started it.
    with _started(words, source) as process:
        output = await _output_of(process, limits)
    if output is None:
        raise UploadError(
            Reason.of(
                "reading_beyond_limits",
                cpu_s=limits.cpu_s,
                wall_s=limits.wall_s,
                memory_mb=limits.memory_mb,
            )
        )
    try:
        verdict = msgspec.json.decode(output, type=_Verdict)
    except (msgspec.DecodeError, RecursionError) as error:
        code = process.returncode
        raise RunError(
            f"the process that reads uploads has failed with exit code {code}"
        ) from error
    if verdict.refused is not None:
        raise UploadError(_believed(verdict.refused))
    if verdict.unable is not None:
        raise RunError(f"an upload cannot be read: {printable(verdict.unable, 500)}")
    return verdict


def _believed(cause: Cause) -> Cause:
    """A refusal as it may be shown: a reason of the table, in printable words, or a sentence."""
    if isinstance(cause, Reason) and is_known(cause):
        safe = Reason(cause.code, {name: _in_print(value) for name, value in cause.fields.items()})
        if len(str(safe)) <= _LONGEST_SENTENCE:
            return safe
    return printable(str(cause), _LONGEST_SENTENCE)


def _in_print(value: object) -> object:
    """A field's value without control characters, however it is nested."""
    match value:
        case str():
            return printable(value, _LONGEST_SENTENCE)
        case list():
            return [_in_print(each) for each in value]
        case dict():
            return {str(name): _in_print(each) for name, each in value.items()}
        case _:
            return value


def _as_words(limits: ExaminationLimits) -> dict[str, int]:
    return {
        "memory": limits.memory_mb * _MIB,
        "cpu_s": limits.cpu_s,
        "wall_s": limits.wall_s,
        "open_files": limits.open_files,
        "file": limits.file_mb * _MIB,
    }


def _started(words: str, source: BinaryIO | None) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(  # noqa: S603 - our own module
        # -S: what is installed is found by our own path; -P: not what lies in this folder.
        [sys.executable, "-S", "-s", "-P", "-m", _EXAMINER, words],
        stdin=subprocess.DEVNULL if source is None else source,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    )
    step_back(process.pid, _NICE)
    return process


async def _output_of(process: subprocess.Popen[bytes], limits: ExaminationLimits) -> bytes | None:
    """All that a process writes, when it has ended; None if it was over a limit."""
    found = bytearray()
    try:
        with trio.move_on_after(limits.wall_s):
            async with open_output(process) as output:
                async for chunk in output:
                    found += chunk
                    if len(found) > _MOST_OUTPUT:
                        return None
            await wait_ended(process)
            return None if process.wait() < 0 else bytes(found)
        return None
    finally:
        process.kill()
        process.wait()  # at once: nothing survives that signal
