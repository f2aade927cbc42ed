"""ZIP files of ordinary programs have one layout; files with more in them are refused."""

from __future__ import annotations

import io
import struct
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.clients.toolchains import require

from polynya_common.zip_layout import ZipLayoutError, check_layout

ID = b"8d3c1f0a" * 5
FILES = {"polynya.toml": b'name = "fish"\n', "src/main.py": b"print()\n" * 100, "empty": b""}


def checked(content: bytes, *, commit: bool = False) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_layout(io.BytesIO(content), archive.infolist(), commit=commit)


class Stream(io.RawIOBase):
    """A file to which is only appended, as a pipe or a download."""

    def __init__(self) -> None:
        super().__init__()
        self.content = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.content += bytes(data)  # type: ignore[call-overload]
        return len(data)  # type: ignore[arg-type]


def zipped(comment: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = comment
        for name, content in FILES.items():
            archive.writestr(name, content)
    return packed.getvalue()


def streamed() -> bytes:
    """The sizes follow each content."""
    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return stream.content


def for_large_files() -> bytes:
    """Each entry has the extra field of files over 4 GiB."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in FILES.items():
            with archive.open(name, "w", force_zip64=True) as entry:
                entry.write(content)
    return packed.getvalue()


def without_signatures() -> bytes:
    """Sizes follow the content, without the signature that most programs write before them."""
    content = streamed()
    position = content.index(b"PK\x07\x08")
    first, rest = content[:position], content[position + 4 :]
    second = rest.index(b"PK\x03\x04", 1)
    [one] = _read(first + rest[:second])
    return first + rest[:second] + _directory(one, len(first) + second)


def _read(entry: bytes) -> list[bytes]:
    """The directory's record of the one entry of a streamed file."""
    crc, packed, unpacked = struct.unpack("<3L", entry[-12:])
    header = entry[4:14] + struct.pack("<3L", crc, packed, unpacked) + entry[26:30]
    name = entry[30 : 30 + struct.unpack("<H", entry[26:28])[0]]
    return [b"PK\x01\x02\x14\x03" + header + bytes(14) + name]


def _directory(record: bytes, offset: int) -> bytes:
    return record + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(record), offset, 0)


def many_entries() -> bytes:
    """More than the old record can count: there is the longer one, too."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(65_600):
            archive.writestr(zipfile.ZipInfo(f"f{number}"), b"")
    return packed.getvalue()


HONEST: dict[str, Callable[[], bytes]] = {
    "zipfile": zipped,
    "a stream": streamed,
    "large files": for_large_files,
    "no signatures": without_signatures,
    "many entries": many_entries,
}


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
def test_a_zip_file_of_its_entries_alone_is_taken(make: Callable[[], bytes]) -> None:
    checked(make())


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["zip", "-q", "-r", "out.zip", "folder"], id="Info-ZIP"),
        pytest.param(["zip", "-q", "-r", "-fd", "out.zip", "folder"], id="Info-ZIP, sizes behind"),
        pytest.param(["zip", "-q", "-r", "-fz", "out.zip", "folder"], id="Info-ZIP, ZIP64"),
        pytest.param(["sh", "-c", "zip -q -r - folder | cat >out.zip"], id="Info-ZIP to a pipe"),
        pytest.param(["jar", "cf", "out.zip", "folder"], id="jar"),
        pytest.param(["jar", "cfM0", "out.zip", "folder"], id="jar, not packed"),
    ],
)
def test_files_of_ordinary_programs_are_taken(command: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "polynya.toml").write_bytes(FILES["polynya.toml"])
    (folder / "größe").write_bytes(b"")
    require("jar" if command[0] == "jar" else "zip")
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    checked((tmp_path / "out.zip").read_bytes())


def test_a_commits_id_is_a_comment_only_where_it_is_said_to_be() -> None:
    checked(zipped(ID), commit=True)
    with pytest.raises(ZipLayoutError, match="a comment or other bytes follow"):
        checked(zipped(ID))
    with pytest.raises(ZipLayoutError, match="a comment or other bytes follow"):
        checked(zipped(b"<script>"), commit=True)
    with pytest.raises(ZipLayoutError, match="a comment or other bytes follow"):
        checked(zipped(b"x" * 40), commit=True)


def second_directory() -> bytes:
    """One directory hides the other, which has an entry less."""
    content = zipped()
    end = content.rindex(b"PK\x05\x06")
    *_, length, offset, _ = struct.unpack("<4s4H2LH", content[end:])
    directory = content[offset : offset + length]
    hidden = directory[: directory.rindex(b"PK\x01\x02")]
    return (
        content
        + hidden
        + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(hidden), len(content), 0)
    )


def hole() -> bytes:
    """An entry that the directory does not list, between two others."""
    content = zipped()
    end = content.rindex(b"PK\x05\x06")
    *_, length, offset, _ = struct.unpack("<4s4H2LH", content[end:])
    directory = content[offset : offset + length]
    second = directory.index(b"PK\x01\x02", 1)
    third = directory.index(b"PK\x01\x02", second + 1)
    rest = directory[:second] + directory[third:]
    return (
        content[:offset]
        + rest
        + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(rest), offset, 0)
    )


def other_header() -> bytes:
    """The first entry has another name than the directory says."""
    return zipped().replace(b"polynya.toml", b"polynya.txtl", 1)


MORE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a page before it": (lambda: b"PK<html></html>" + zipped(), "before its first entry"),
    "another ZIP file before it": (lambda: zipped() + zipped(), "before its first entry"),
    "bytes behind it": (lambda: zipped() + b"<html>", "bytes follow"),
    "zeros behind it": (lambda: zipped() + bytes(1), "bytes follow"),
    "a second directory": (second_directory, "belong to no entry"),
    "an entry that is not listed": (hole, "belong to no entry"),
    "another name in the entry": (other_header, "the entry at byte 0 differ"),
    "one of several parts": (lambda: zipped()[:-18] + b"\1\0" + zipped()[-16:], "one part of"),
}


@pytest.mark.parametrize(("make", "part"), MORE.values(), ids=MORE)
def test_a_file_that_is_more_than_its_entries_is_refused(
    make: Callable[[], bytes], part: str
) -> None:
    with pytest.raises(ZipLayoutError, match=part):
        checked(make())


@pytest.mark.parametrize("kept", range(0, 330, 30))
def test_a_file_that_is_cut_off_is_refused(kept: int) -> None:
    content = zipped()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, pytest.raises(ZipLayoutError):
        check_layout(io.BytesIO(content[:kept]), archive.infolist(), commit=False)
