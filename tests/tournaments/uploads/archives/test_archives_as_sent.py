"""Archives as authors make them on Macs, on Windows and elsewhere: what is meant is taken."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import unicodedata
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest
from tests.clients.toolchains import require
from tests.tournaments.uploads.archives.archivers import (
    APPLE_DOUBLE,
    finder_zip,
    mac_tar,
    windows_zip,
)

from polynya_tournaments.uploads.archives.manifest import manifest_of
from polynya_tournaments.uploads.archives.unpacking import Limits, unpack
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.examination.examiner import read_archive
from polynya_tournaments.uploads.examination.verdicts import examine

SCRIPT = b"#!/bin/sh\nexec python3 bot.py\n"
UMLAUT = "m\u00e4in.py"


def manifest(run: str = "python3 bot.py", *build: str) -> bytes:
    return (
        'name = "fish"\nversion = "1"\nlanguage = "python"\ngames = ["packeis"]\n'
        f"run = {run!r}\nbuild = {list(build)!r}\n"
    ).encode()


def examined(content: bytes, program: Path) -> Sequence[str]:
    """Unpack an archive as the process does that reads archives; what was done with it."""
    read = read_archive(BytesIO(content), Limits(), program)
    manifest_of(cast("dict[str, Any]", read["document"]))
    return cast("list[str]", read["notes"])


def refusal(content: bytes, tmp_path: Path) -> str:
    with pytest.raises(UploadError) as refused:
        examined(content, tmp_path / "program")
    return str(refused.value)


def names(folder: Path) -> list[str]:
    """The files in a folder and below it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def runs(file: Path) -> bool:
    return os.access(file, os.X_OK)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program"


def test_finder_zip_of_a_folder_is_taken_without_the_files_of_finder(program: Path) -> None:
    apart = unicodedata.normalize("NFD", UMLAUT)
    content = finder_zip(
        {
            "my_bot/": b"",
            "my_bot/polynya.toml": manifest(f"python3 {UMLAUT}"),
            "__MACOSX/my_bot/._polynya.toml": APPLE_DOUBLE,
            "my_bot/.DS_Store": b"\0\0\0\1Bud1",
            f"my_bot/{apart}": b"",
            "__MACOSX/._my_bot": APPLE_DOUBLE,
        }
    )

    notes = examined(content, program)

    assert names(program) == [UMLAUT, "polynya.toml"]
    assert notes == [
        "left out, because a file manager made it: __MACOSX/my_bot/._polynya.toml, "
        "my_bot/.DS_Store, __MACOSX/._my_bot",
        f"the name is in UTF-8, though the ZIP file does not say so: my_bot/{apart}",
        f"the name has composed letters now (Unicode NFC): my_bot/{UMLAUT}",
    ]


async def test_notes_come_from_the_process_that_reads_archives(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(windows_zip({"polynya.toml": manifest("./a"), "a": SCRIPT}))

    found = await examine(archive, Limits(), tmp_path / "program")

    assert found.notes == ("it may be run now, which the archive does not say: a",)


def test_tar_of_a_mac_is_taken_without_its_resource_forks(program: Path) -> None:
    examined(mac_tar({"my_bot/polynya.toml": manifest(), "my_bot/bot.py": b""}), program)

    assert names(program) == ["bot.py", "polynya.toml"]


@pytest.mark.parametrize("separator", ["/", "\\"])
def test_zip_of_windows_gives_its_programs_their_run_bits(separator: str, program: Path) -> None:
    files = {"my_bot/polynya.toml": manifest("./bin/bot.sh"), "my_bot/bin/": b""}
    files |= {"my_bot/bin/bot.sh": SCRIPT, "my_bot/helper": b"\x7fELF", "my_bot/bot.py": b""}

    notes = examined(windows_zip(files, separator=separator), program)

    assert names(program) == ["bin/bot.sh", "bot.py", "helper", "polynya.toml"]
    assert [runs(program / name) for name in names(program)] == [True, False, True, False]
    assert notes[-1] == "it may be run now, which the archive does not say: bin/bot.sh, helper"
    assert any(note.startswith("backslashes are") for note in notes) == (separator != "/")


def test_declared_program_gets_its_run_bit_beside_others_that_have_theirs(
    program: Path,
) -> None:
    files = {"polynya.toml": manifest("env LEVEL=3 ./bot.sh", "sh -c './make.sh all'")}
    files |= {"bot.sh": SCRIPT, "make.sh": SCRIPT, "other.sh": SCRIPT, "may_run": SCRIPT}

    examined(finder_zip(files, {"may_run": 0o100755}), program)

    assert [name for name in names(program) if runs(program / name)] == [
        "bot.sh",
        "make.sh",
        "may_run",
    ]


def test_backslashes_that_lead_out_are_refused(tmp_path: Path) -> None:
    content = windows_zip({"polynya.toml": manifest(), "../out": b""}, separator="\\")

    assert "leads out of the archive's folder" in refusal(content, tmp_path)


@pytest.mark.parametrize(
    ("run", "build", "files", "sentence"),
    [
        ("./bot.sh", [], {"bot.sh": b"#!/bin/sh\r\n"}, "run: ./bot.sh ends its lines with CRLF"),
        ("sh bot.sh", [], {"bot.sh": b"set -e\r\n"}, "run: bot.sh ends its lines with CRLF"),
        ("./bot", ["./make.sh"], {"make.sh": b"#!/bin/sh\r\n"}, "build[0]: ./make.sh ends its"),
        ("./bot.sh", [], {"bot.sh": b"\xef\xbb\xbf#!/bin/sh\n"}, "begins with a byte order mark"),
        ("bot.sh", [], {"bot.sh": SCRIPT}, "run: a program of the upload needs its folder"),
        ("./Bot.sh", [], {"bot.sh": SCRIPT}, "there is no Bot.sh in the upload, but bot.sh"),
        ("python3 bot.py", [], {"bot.py ": b""}, "there is no bot.py in the upload, but bot.py "),
        ("cd src && ./bot", [], {}, "run: no shell reads it, so 'cd' means nothing"),
        ("./bot", ["make; make test"], {}, "build[0]: no shell reads it, so 'make;'"),
        ("./bot > log", [], {}, "so '>' means nothing"),
        ("LEVEL=3 ./bot", [], {}, "so 'LEVEL=3' means nothing"),
        ("python3 src\\bot.py", [], {}, "run: write / between folders, not a backslash"),
    ],
)
def test_command_that_cannot_be_started_is_named_with_the_remedy(
    run: str, build: list[str], files: Mapping[str, bytes], sentence: str, tmp_path: Path
) -> None:
    content = finder_zip({"polynya.toml": manifest(run, *build), **files})

    assert sentence in refusal(content, tmp_path)


def test_script_with_crlf_that_no_command_starts_is_only_noted(program: Path) -> None:
    content = finder_zip({"polynya.toml": manifest(), "bot.py": b"#!/usr/bin/python3\r\n"})

    assert examined(content, program)[-1].startswith("it ends lines with CRLF")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("Polynya.toml", "but Polynya.toml: rename it to polynya.toml"),
        ("my_bot/polynya.toml.txt", "but polynya.toml.txt: rename it"),
        ("polynya (1).toml", "but polynya (1).toml: rename it"),
        ("polynya.toml ", "but polynya.toml : rename it"),
        ("outer/my_bot/polynya.toml", "but in my_bot: pack the folder my_bot by itself"),
        ("bot.py", "there is no polynya.toml at the top of the folder: it has name"),
    ],
)
def test_manifest_that_is_nearly_there_is_named(path: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(finder_zip({path: manifest()}), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        manifest().replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + manifest(),
        b"\xef\xbb\xbf" + manifest().replace(b"\n", b"\r\n"),
    ],
)
def test_manifest_of_a_windows_editor_is_read(text: bytes, program: Path) -> None:
    examined(finder_zip({"polynya.toml": text}), program)

    assert names(program) == ["polynya.toml"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (manifest().decode().encode("utf-16"), "UTF-16"),
        (manifest().decode().encode("utf-16-le"), "UTF-16"),
        (b"{\\rtf1\\ansi name = ...}", "RTF"),
    ],
)
def test_manifest_in_another_encoding_is_named(text: bytes, kind: str, tmp_path: Path) -> None:
    said = refusal(finder_zip({"polynya.toml": text}), tmp_path)

    assert f"polynya.toml is in {kind}: save it as plain text in UTF-8" in said


@pytest.mark.parametrize(
    ("begins", "kind"), [(b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07\0", "RAR")]
)
def test_archive_of_another_kind_is_named(begins: bytes, kind: str, tmp_path: Path) -> None:
    assert f"it is a {kind} file" in refusal(begins + bytes(600), tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program with what archivers treat differently."""
    made = tmp_path / "my_bot"
    (made / "src" / "empty").mkdir(parents=True)
    (made / "polynya.toml").write_bytes(manifest("./run.sh"))
    (made / "run.sh").write_bytes(SCRIPT)
    (made / "run.sh").chmod(0o755)
    (made / "src" / UMLAUT).write_bytes(b"print()\n" * 2_000)
    return made


ARCHIVERS: Mapping[str, str] = {
    "zip": "zip -qr ../a my_bot && mv ../a.zip ../a",
    "zip to a stream": "zip -qr - my_bot | cat > ../a",
    "zip with ZIP64": "zip -qr -fz ../a my_bot && mv ../a.zip ../a",
    "7z": "7z a -tzip ../a.zip my_bot > ../log && mv ../a.zip ../a",
    "7z of UTF-8": "7z a -tzip -mcu=on ../a.zip my_bot > ../log && mv ../a.zip ../a",
    "bsdtar to ZIP": "bsdtar -a -cf ../a.zip my_bot && mv ../a.zip ../a",
    "bsdtar": "bsdtar -czf ../a --format pax my_bot",
    "bsdtar to ustar": "bsdtar -czf ../a --format ustar my_bot",
    "tar of the folder": "tar czf ../a my_bot",
    "tar of what is in it": "cd my_bot && tar czf ../../a .",
    "tar of pax with another owner": "tar czf ../a --format posix --owner anna:501 "
    "--group staff:20 --sort=name my_bot",
    "jar": "jar --create --no-manifest --file ../a.jar -C my_bot . && mv ../a.jar ../a",
    "git archive to ZIP": "cd my_bot && git init -q && git add . && git -c user.name=a "
    "-c user.email=a commit -qm a && git archive --format zip -o ../../a HEAD",
    "git archive to tar": "cd my_bot && git init -q && git add . && git -c user.name=a "
    "-c user.email=a commit -qm a && git archive --prefix my_bot/ --format tar.gz -o ../../a HEAD",
}


OF_TOOLS = {"zip": "zip", "7z": "7z", "bsdtar": "bsdtar", "jar": "java"}
"""Programs that not every machine has, and their tools."""


@pytest.mark.parametrize("archiver", ARCHIVERS)
def test_archive_of_an_archiver_is_taken(archiver: str, folder: Path, tmp_path: Path) -> None:
    command = ARCHIVERS[archiver]
    program = command.removeprefix("cd my_bot && ").split()[0]
    if program in OF_TOOLS:
        require(OF_TOOLS[program])
    work = tmp_path / "work"
    work.mkdir()
    folder.rename(work / "my_bot")
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    subprocess.run(["bash", "-c", command], cwd=work, env=environment, check=True)

    examined((tmp_path / "a").read_bytes(), tmp_path / "program")

    made = tmp_path / "program"
    assert names(made) == ["polynya.toml", "run.sh", f"src/{UMLAUT}"]
    assert runs(made / "run.sh")


@pytest.mark.parametrize("form", ["zip", "gztar"])
@pytest.mark.parametrize("around", [True, False])
def test_archive_of_pythons_shutil_is_taken(form: str, around: bool, folder: Path) -> None:
    tops = (folder.parent, "my_bot") if around else (folder, None)
    made = shutil.make_archive(str(folder.with_name("made")), form, *tops)

    examined(Path(made).read_bytes(), folder.with_name("program"))

    assert runs(folder.with_name("program") / "run.sh")
    assert f"src/{UMLAUT}" in names(folder.with_name("program"))


@pytest.mark.parametrize("command", ["tar czf ../a .", "zip -qry ../a.zip . && mv ../a.zip ../a"])
def test_links_within_an_upload_are_kept(command: str, folder: Path) -> None:
    if command.startswith("zip"):
        require("zip")
    (folder / "lib.so").symlink_to("src/../src")
    (folder / "src" / "up").symlink_to("../run.sh")
    (folder / "src" / "built-later").symlink_to("../target/bot")
    if command.startswith("tar"):
        os.link(folder / "run.sh", folder / "zz.sh")
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)

    program = folder.with_name("program")
    examined((folder.parent / "a").read_bytes(), program)

    assert (program / "lib.so").readlink() == Path("src/../src")
    assert (program / "src" / "up").read_bytes() == SCRIPT
    assert (program / "src" / "built-later").is_symlink()
    assert (program / "zz.sh").exists() == command.startswith("tar")


@pytest.mark.parametrize(
    "links",
    [
        {"a": "/etc/passwd"},
        {"a": ".."},
        {"a": "../my_bot/run.sh"},
        {"src/a": "../../x"},
        {"a": "src/empty", "b": "a/../../../x"},
        {"a": "b", "b": "a"},
        {"polynya.toml": "run.sh"},
    ],
)
def test_link_that_leads_out_is_refused(
    links: Mapping[str, str], folder: Path, tmp_path: Path
) -> None:
    for name, target in links.items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    subprocess.run(["tar", "czf", "a", "my_bot"], cwd=tmp_path, check=True)

    assert "links may only lead to" in refusal((tmp_path / "a").read_bytes(), tmp_path)
    assert not (tmp_path / "program").exists()


def test_file_below_a_link_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a", "w:gz") as archive:
        link = tarfile.TarInfo("a")
        link.type, link.linkname = tarfile.SYMTYPE, "."
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("a/b"))

    with (tmp_path / "a").open("rb") as opened, pytest.raises(UploadError, match="file and a fold"):
        unpack(opened, tmp_path / "program", Limits())
