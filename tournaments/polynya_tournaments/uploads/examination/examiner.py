"""The process that examines a stranger's files: ``verdicts.py`` starts it and says why.

Its first argument is the task, as JSON; it writes a verdict, as JSON, and exits.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from polynya_common.reasons import Cause, Reason, cause_of
from polynya_tournaments.uploads.archives.declared_programs import prepare_programs
from polynya_tournaments.uploads.archives.manifest_text import parsed, why_missing
from polynya_tournaments.uploads.archives.unpacking import Limits, check, unpack
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.settling import digest, manifest_digest, settle
from polynya_tournaments.uploads.foreign_trees import TreeBounds

_LONGEST: Final = 1_000
_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Do one task."""
    task = json.loads(sys.argv[1])
    _limit(task["limits"])
    verdict = json.dumps(_verdict(task), ensure_ascii=False)
    sys.stdout.buffer.write(verdict.encode("utf-8", "replace"))  # names may be no UTF-8


def end_with_server(number: signal.Signals) -> None:
    """Get a signal when the thread ends that started this process; elsewhere than on Linux none."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _limit(limits: Mapping[str, int]) -> None:
    """Bound this process, before it reads anything; elsewhere authors read their own archives."""
    if sys.platform != "linux":
        return
    import resource

    end_with_server(signal.SIGKILL)
    for name, most in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_CPU, limits["cpu_s"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (most, most))
    signal.alarm(limits["wall_s"])


def _verdict(task: Mapping[str, Any]) -> dict[str, object]:
    try:
        return {"archive": _archive, "build": _build}[task["do"]](task)
    except UploadError as error:
        return {"refused": _words(cause_of(error))}
    except MemoryError:
        return {"refused": _words(Reason.of("reading_takes_memory"))}
    except RecursionError:
        return {"refused": _words(Reason.of("nested_too_deeply"))}
    except OSError as error:
        return {"unable": str(error)[:_LONGEST]}
    except Exception as error:  # the libraries' own mistakes about what they did not foresee
        return {"refused": f"it cannot be read: {error!r}"[:_LONGEST]}


def _words(cause: Cause) -> object:
    """A refusal as JSON has it."""
    if isinstance(cause, str):
        return cause[:_LONGEST]
    return {"code": cause.code, "fields": cause.fields}


def _archive(task: Mapping[str, Any]) -> dict[str, object]:
    """Read an archive, which is standard input; unpack it where a folder is named."""
    folder = None if task["folder"] is None else Path(task["folder"])
    with open(0, "rb", closefd=False) as archive:
        return read_archive(archive, Limits(**task["bounds"]), folder)


def read_archive(archive: BinaryIO, limits: Limits, folder: Path | None) -> dict[str, object]:
    """The verdict on an archive, which is unpacked where a folder is named.

    Raises:
        UploadError: it is refused.
        OSError: the folder cannot be written.
    """
    found = check(archive, limits) if folder is None else unpack(archive, folder, limits)
    if found.manifest is None:
        raise UploadError(why_missing(found.like_manifest))
    document = parsed(found.manifest)
    prepare_programs(found, document, folder)
    return {
        "document": _plain(document),
        "digest": digest(found.manifest),
        "notes": found.notes.lines(),
    }


def _plain(document: Mapping[str, Any]) -> Any:
    """A document without the values that JSON lacks: a date is no text, and in no manifest."""
    try:
        return json.loads(json.dumps(document, default=lambda _: {}, allow_nan=False))
    except ValueError as error:  # a number that is none, or has thousands of digits
        raise UploadError(Reason.of("manifest_number_too_long")) from error


def _build(task: Mapping[str, Any]) -> dict[str, object]:
    folder = Path(task["folder"])
    size = settle(folder, TreeBounds(**task["bounds"]))
    return {"bytes": size.bytes, "digest": manifest_digest(folder)}


if __name__ == "__main__":
    main()
