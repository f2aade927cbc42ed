"""Uploaded archives: what is unpacked, and what is refused before it is written."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits, unpack
from polynya_tournaments.uploads.errors import UploadError

SMALL = Limits(packed_bytes=2**20, unpacked_bytes=100_000, entries=50)


@pytest.fixture
def upload(tmp_path: Path) -> Callable[[bytes], Path]:
    def unpacked(content: bytes) -> Path:
        unpack(io.BytesIO(content), tmp_path / "program", SMALL)
        return tmp_path / "program"

    return unpacked


Upload = Callable[[bytes], Path]


def zipped(files: dict[str, bytes], *, mode: int = 0o100644) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def tarred(*members: tarfile.TarInfo, content: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for member in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def with_pax(name: str, headers: dict[str, str]) -> tarfile.TarInfo:
    """An entry with headers of pax (POSIX.1-2001), which win over its own."""
    info = member(name)
    info.pax_headers = headers
    return info


def test_an_archive_of_git_has_the_commits_id_as_its_comment(upload: Upload) -> None:
    packed = io.BytesIO(zipped({"polynya.toml": b"one"}))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.comment = b"0123abcd" * 5

    assert (upload(packed.getvalue()) / "polynya.toml").read_bytes() == b"one"


def test_a_zip_file_is_unpacked(upload: Upload) -> None:
    program = upload(zipped({"polynya.toml": b"one", "src/main.py": b"two"}))

    assert (program / "polynya.toml").read_bytes() == b"one"
    assert (program / "src" / "main.py").read_bytes() == b"two"


def test_a_single_folder_around_everything_is_left_out(upload: Upload) -> None:
    program = upload(zipped({"my-bot-main/polynya.toml": b"one"}))

    assert (program / "polynya.toml").read_bytes() == b"one"


def test_an_executable_file_stays_executable_and_loses_further_rights(upload: Upload) -> None:
    program = upload(zipped({"a": b"", "run.sh": b""}, mode=0o104755))

    assert stat.S_IMODE((program / "run.sh").stat().st_mode) == 0o755


def test_a_packed_folder_is_unpacked_as_it_was(upload: Upload, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    (folder / "src").mkdir(parents=True)
    (folder / "polynya.toml").write_bytes(b"one")
    (folder / "src" / "m\u00e4in.py").write_bytes(b"two")
    (folder / "run.sh").write_bytes(b"three")
    (folder / "run.sh").chmod(0o755)

    program = upload(pack(folder, SMALL))

    assert (program / "src" / "m\u00e4in.py").read_bytes() == b"two"
    assert os.access(program / "run.sh", os.X_OK)
    assert not os.access(program / "polynya.toml", os.X_OK)


def test_a_folder_packed_twice_is_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    for name in ("b", "a"):
        (folder / name).write_text(name)
    first = pack(folder, SMALL)
    os.utime(folder / "a", (1, 1))

    assert pack(folder, SMALL) == first


def test_build_products_are_not_packed(upload: Upload, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    (folder / "target").mkdir(parents=True)
    (folder / "target" / "bot").write_bytes(b"")
    (folder / "polynya.toml").write_bytes(b"")

    assert [path.name for path in upload(pack(folder, SMALL)).iterdir()] == ["polynya.toml"]


def test_a_source_folder_named_like_build_products_is_packed(
    upload: Upload, tmp_path: Path
) -> None:
    folder = tmp_path / "bot"
    (folder / "src" / "target").mkdir(parents=True)
    (folder / "src" / "target" / "aim.py").write_bytes(b"")
    (folder / "polynya.toml").write_bytes(b"")

    assert (upload(pack(folder, SMALL)) / "src" / "target" / "aim.py").is_file()


def test_a_link_is_not_packed(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "passwords").symlink_to("/etc/passwd")

    with pytest.raises(UploadError, match="is a link"):
        pack(folder, SMALL)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        pytest.param(zipped({"../out": b""}), "leads out of the archive's folder", id="parent"),
        pytest.param(zipped({"/etc/out": b""}), "leads out of the archive's folder", id="absolute"),
        pytest.param(zipped({"a/../../out": b""}), "leads out", id="parent within"),
        pytest.param(zipped({"a\\..\\out": b""}), "a backslash", id="backslash"),
        pytest.param(zipped({"a\nb": b""}), "a control character", id="line"),
        pytest.param(tarred(member("a\x01b")), "a control character", id="control in tar"),
        pytest.param(zipped({"a\x7fb": b""}), "a control character", id="delete"),
        pytest.param(zipped({"a\u202eb": b""}), "a control character", id="direction"),
        pytest.param(zipped({"x" * 241: b""}), "the most is 240", id="long path"),
        pytest.param(tarred(member("x" * 4_096)), "a header of 4,107 bytes", id="4,096 in tar"),
        pytest.param(zipped({"x" * 4_096: b""}), "4096 characters; the most", id="4,096 in zip"),
        pytest.param(zipped({"\u00e4" * 101: b""}), "longer than 200 bytes", id="long part"),
        pytest.param(zipped({"a/" * 32 + "b": b""}), "more than 32 folders deep", id="deep"),
        pytest.param(zipped({"a": b"", "a/b": b""}), "a is a file and a folder", id="both"),
        pytest.param(zipped({"a/b": b"", "a": b""}), "a is in the archive twice", id="both later"),
        pytest.param(zipped({"a": b"/etc"}, mode=0o120777), "a is a link", id="zip link"),
        pytest.param(zipped({"a": b""}, mode=0o020666), "a is a device", id="zip device"),
        pytest.param(zipped({}), "is empty", id="empty zip"),
        pytest.param(tarred(), "is empty", id="empty tar"),
        pytest.param(
            tarred(member("a", tarfile.SYMTYPE, "/etc/passwd")), "a is a link", id="symbolic link"
        ),
        pytest.param(
            tarred(member("b", tarfile.LNKTYPE, "a"), member("a")), "b is a link", id="hard link"
        ),
        pytest.param(tarred(member("a", tarfile.CHRTYPE)), "a is a device", id="tar device"),
        pytest.param(tarred(member("a", tarfile.FIFOTYPE)), "a is a device", id="pipe"),
        pytest.param(tarred(member("a", tarfile.BLKTYPE)), "a is a device", id="disk"),
        pytest.param(zipped({"a": b""}, mode=0o010644), "a is a device", id="zip pipe"),
        pytest.param(
            tarred(member("a", tarfile.GNUTYPE_SPARSE)), "a is a device", id="sparse file"
        ),
        pytest.param(
            tarred(
                with_pax("a", {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}), content=b"0\n"
            ),
            "sparse",
            id="sparse file of pax",
        ),
        pytest.param(tarred(with_pax("a", {"path": "/etc/out"})), "leads out", id="pax path"),
        pytest.param(tarred(with_pax("a", {"path": "../out"})), "leads out", id="pax parent"),
        pytest.param(tarred(with_pax("a", {"size": "9" * 400})), "damaged", id="pax size"),
        pytest.param(tarred(member("../out")), "leads out", id="tar parent"),
        pytest.param(tarred(member("/etc/out")), "leads out", id="tar absolute"),
        pytest.param(tarred(member("a"), member("a")), "a is in the archive twice", id="twice"),
        pytest.param(
            zipped({f"f{n}": b"" for n in range(51)}), "more than 50 entries", id="many files"
        ),
        pytest.param(
            tarred(*[member(f"f{n}") for n in range(51)]), "more than 50 entries", id="many in tar"
        ),
        pytest.param(
            zipped(
                {"/".join(["d"] * 9 + [f"{n}", "x"]).replace("d", f"d{n}"): b"" for n in range(9)}
            ),
            "more than 50 folders",
            id="many folders",
        ),
        pytest.param(zipped({"a": bytes(100_001)}), "unpacks to more than 100,000", id="zip bomb"),
        pytest.param(tarred(member("a"), content=bytes(100_001)), "unpacks to more", id="tar bomb"),
        pytest.param(os.urandom(2**20 + 1), "the most is 1,048,576", id="large"),
        pytest.param(b"", "neither a ZIP nor a tar.gz file", id="nothing"),
        pytest.param(b"#!/bin/sh\n", "neither a ZIP nor a tar.gz file", id="a script"),
        pytest.param(b"PK\x03\x04", "damaged", id="begin of a zip"),
        pytest.param(b"PK<p>" + zipped({"a": b""}), "before its first entry", id="page, zip"),
        pytest.param(zipped({"a": b""}) + b"<p>", "or other bytes follow", id="zip, page"),
        pytest.param(
            gzip.compress(gzip.decompress(tarred(member("a"))) + b"<p>"),
            "something follows its last entry",
            id="tar, page",
        ),
        pytest.param(tarred(member("a")) + b"<p>", "damaged", id="tar.gz, page"),
        pytest.param(gzip.compress(b"text"), "damaged", id="no tar"),
        pytest.param(tarred(member("a"), content=b"x" * 999)[:-20], "damaged", id="cut off"),
    ],
)
def test_an_archive_that_could_do_harm_is_refused(
    content: bytes, sentence: str, upload: Upload, tmp_path: Path
) -> None:
    with pytest.raises(UploadError, match=sentence):
        upload(content)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_hundred_thousand_entries_are_refused(kind: str, tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(100_000)]
    content = zipped(dict.fromkeys(names, b"")) if kind == "zip" else tarred(*map(member, names))

    with pytest.raises(UploadError, match="more than 20,000 entries"):
        unpack(io.BytesIO(content), tmp_path / "program", Limits())

    assert list(tmp_path.iterdir()) == []


def test_names_that_differ_in_case_are_two_files(upload: Upload) -> None:
    program = upload(zipped({"Makefile": b"one", "makefile": b"two"}))

    assert sorted(path.read_bytes() for path in program.iterdir()) == [b"one", b"two"]


def test_what_follows_a_zero_in_a_name_is_no_part_of_it(upload: Upload) -> None:
    packed = zipped({"aXb": b"", "c": b""}).replace(b"aXb", b"a\x00b")

    assert sorted(path.name for path in upload(packed).iterdir()) == ["a", "c"]


def test_an_archive_in_an_archive_stays_one(upload: Upload) -> None:
    inside = zipped({"../out": b""})

    program = upload(zipped({"inside.zip": inside, "polynya.toml": b""}))

    assert (program / "inside.zip").read_bytes() == inside


def test_setuid_and_owners_in_a_tar_file_are_dropped(upload: Upload) -> None:
    info = member("bot")
    info.mode, info.uid, info.gid = 0o6755, 60_999, 60_999

    found = (upload(tarred(info, member("b"))) / "bot").stat()

    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o755, os.geteuid())


def test_a_size_that_a_zip_file_says_is_not_believed(upload: Upload) -> None:
    honest = zipped({"a": bytes(200_000)})
    lying = honest.replace((200_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))

    with pytest.raises(UploadError, match=r"unpacks to more|damaged"):
        upload(lying)


def test_a_tar_file_that_claims_a_huge_file_is_refused_without_unpacking_it(upload: Upload) -> None:
    huge = member("a")
    huge.size = 2**40

    with pytest.raises(UploadError, match=r"unpacks to more|damaged"):
        upload(gzip.compress(huge.tobuf(tarfile.GNU_FORMAT) + bytes(5_000)))


def test_a_tar_header_of_many_megabytes_is_not_read(upload: Upload) -> None:
    header = member("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    header.size = 2**27

    with pytest.raises(UploadError, match="a header of"):
        upload(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(2**20)))


@given(
    content=st.binary(max_size=300), begin=st.sampled_from([b"PK\x03\x04", b"\x1f\x8b\x08", b""])
)
def test_random_bytes_are_refused_in_a_sentence(
    content: bytes, begin: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("random")

    with pytest.raises(UploadError):
        unpack(io.BytesIO(begin + content), folder / "program", SMALL)


@given(place=st.integers(0, 10**6), value=st.integers(0, 255), kind=st.sampled_from(["zip", "tar"]))
def test_a_damaged_archive_is_unpacked_below_its_folder_or_refused(
    place: int, value: int, kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("damaged")
    content = bytearray(
        zipped({"a/b": b"text", "c": b"x" * 40})
        if kind == "zip"
        else gzip.decompress(tarred(member("a/b"), member("c"), content=b"text"))
    )
    content[place % len(content)] = value
    packed = bytes(content) if kind == "zip" else gzip.compress(bytes(content))

    with contextlib.suppress(UploadError):
        unpack(io.BytesIO(packed), home / "program", SMALL)

    assert {path.name for path in home.iterdir()} <= {"program"}
