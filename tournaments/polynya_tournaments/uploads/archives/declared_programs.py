"""The programs that a manifest declares: run bits that archives lose, and lines that end otherwise.

Windows has no run bits, and its editors end lines with CRLF: the kernel would then look for an
interpreter whose name ends with CR, and say only that there is no such file.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from polynya_common.reasons import Reason
from polynya_contest.config.bot_names import command_words
from polynya_tournaments.uploads.archives.archive_names import nearest
from polynya_tournaments.uploads.archives.notes import Note
from polynya_tournaments.uploads.archives.unpacking import Unpacked, UnpackedFile
from polynya_tournaments.uploads.errors import UploadError

_FOR_ALL: Final = 0o755
_ELF: Final = b"\x7fELF"
_MARKED: Final = b"\xef\xbb\xbf"
"""The byte order mark, which Windows' editors write before a text in UTF-8."""
_WRAPPERS: Final = frozenset(
    {"env", "exec", "nice", "nohup", "setsid", "stdbuf", "time", "timeout"}
)
_SHELLS: Final = frozenset({"ash", "bash", "dash", "ksh", "sh", "zsh"})
_READERS: Final = _SHELLS | {"lua", "node", "perl", "php", "python", "python3", "ruby"}
"""Programs whose first argument is the file that they run."""


def prepare_programs(upload: Unpacked, document: Mapping[str, Any], folder: Path | None) -> None:
    """Let the programs run that the manifest declares; notes say which.

    Where no file of an archive may be run, it comes from a system without run bits: then each file
    that begins as a program may.

    Args:
        upload: was unpacked.
        document: the manifest, whose values are not checked yet.
        folder: where it was unpacked; None for nowhere.

    Raises:
        UploadError: a program could not be started; the message says what to do.
    """
    commands = list(commands_of(document))
    for number, (key, words) in enumerate(commands):
        _check_command(upload, key, words, may_be_built=number > 0)
    declared = {path for _, words in commands for path in _named(upload, words)}
    if not any(file.runs for file in upload.files.values()):
        declared |= {path for path, file in upload.files.items() if _is_program(file)}
    for path in sorted(declared):
        if not upload.files[path].runs:
            upload.notes.add(Note.RUN_BIT, path)
            if folder is not None:
                os.chmod(folder / path, _FOR_ALL)
    for path, file in upload.files.items():
        if _has_crlf_shebang(file):
            upload.notes.add(Note.CRLF, path)


def commands_of(document: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The words of each command, in the order in which they run, under the command's key."""
    found = document.get("build")
    build = found if isinstance(found, list) else []
    lines = [(f"build[{number}]", line) for number, line in enumerate(build)]
    for key, line in (*lines, ("run", document.get("run"))):
        if isinstance(line, str):
            try:
                yield key, command_words(line)
            except ValueError:
                continue  # the manifest's own check says so


def _check_command(upload: Unpacked, key: str, words: Sequence[str], *, may_be_built: bool) -> None:
    """Refuse a command whose program could not be started as it is in the upload."""
    place = _program_place(words)
    if place == len(words):
        return
    program = words[place]
    _check_name(upload, key, program, may_be_built=may_be_built)
    file = _file(upload, program) if "/" in program else None
    if posixpath.basename(program) in _READERS and place + 1 < len(words):
        script = words[place + 1]
        if not script.startswith("-"):
            _check_near(upload, key, script, may_be_built=may_be_built)
            if posixpath.basename(program) in _SHELLS:
                file = _file(upload, script)
                if file is not None and file.begins.endswith(b"\r\n"):
                    raise UploadError(Reason.of("script_with_crlf", command=key, path=script))
        return
    if file is None:
        return
    if _has_crlf_shebang(file):
        raise UploadError(Reason.of("script_with_crlf", command=key, path=program))
    if file.begins.startswith(_MARKED + b"#!"):
        raise UploadError(Reason.of("script_with_bom", command=key, path=program))


def _program_place(words: Sequence[str]) -> int:
    """The number of the word that is the program, behind ``env`` and its variables or the like."""
    place = 0
    while place < len(words) and posixpath.basename(words[place]) in _WRAPPERS:
        place += 1
        while place < len(words) and (
            words[place].startswith("-") or "=" in words[place] or words[place][0:1].isdigit()
        ):
            place += 1
    return place


def _check_name(upload: Unpacked, key: str, program: str, *, may_be_built: bool) -> None:
    if "/" in program:
        _check_near(upload, key, program, may_be_built=may_be_built)
    elif _file(upload, program) is not None and shutil.which(program) is None:
        raise UploadError(Reason.of("program_without_slash", command=key, name=program))


def _check_near(upload: Unpacked, key: str, word: str, *, may_be_built: bool) -> None:
    """Name a file whose name is nearly that of a command; a build may make one of that name."""
    path = _path(word)
    if path is None or path in upload.files or path in upload.links:
        return
    near = nearest(path, (*upload.files, *upload.links))
    if near is None:
        return
    if may_be_built:
        upload.notes.add(Note.NEARLY, f"{path} and {near}")
        return
    raise UploadError(Reason.of("name_nearly_there", command=key, path=path, near=near))


def _named(upload: Unpacked, words: Sequence[str]) -> Iterator[str]:
    """The programs of an upload that a command names: its first word, and what begins as one."""
    place = _program_place(words)
    parts = [(word, number == place) for number, word in enumerate(words)]
    parts += [(part, False) for word in words if " " in word for part in word.split()]
    for word, is_first in parts:
        path = _path(word)
        file = upload.files.get(path or "")
        if path and file is not None and ((is_first and "/" in word) or _is_program(file)):
            yield path


def _path(word: str) -> str | None:
    """A word as a path in the upload; None for none."""
    path = posixpath.normpath(word)
    return None if path.startswith(("/", "..")) or path == "." else path


def named_paths(words: Sequence[str]) -> list[str]:
    """The words of a command that could be paths in the upload, those of a shell's line too."""
    parts = [*words, *(part for word in words if " " in word for part in word.split())]
    return [path for part in parts if (path := _path(part))]


def _file(upload: Unpacked, word: str) -> UnpackedFile | None:
    return upload.files.get(_path(word) or "")


def _is_program(file: UnpackedFile) -> bool:
    return file.begins.startswith((b"#!", _ELF))


def _has_crlf_shebang(file: UnpackedFile) -> bool:
    return file.begins.startswith(b"#!") and file.begins.endswith(b"\r\n")
