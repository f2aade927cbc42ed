"""What builds may leave: folders that were made to do harm to whoever walks them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random


def nested(folder: Path, levels: int) -> None:
    """Folders in each other; their path is longer than any path may be."""
    inside = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=inside)
        inner = os.open("d", os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = inner
    os.close(inside)


def listening(folder: Path) -> None:
    """The name of a socket."""
    here = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/socket")
    os.close(here)


def long_file(folder: Path, length: int = 2**40, name: str = "long") -> None:
    """A file that says to be a terabyte, and takes nothing."""
    with (folder / name).open("wb") as made:
        made.truncate(length)


def unreadable(folder: Path) -> None:
    """A folder that nobody may enter, and a file in it."""
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "inner" / "file").write_bytes(b"x")
    (folder / "closed" / "inner").chmod(0)
    (folder / "closed").chmod(0)


def odd_names(folder: Path) -> None:
    """Names that are no UTF-8, or have lines and controls in them."""
    for name in (b"\xff\xfe", b"a\nb", b"\x1b[2J", b"-rf", b"\xe2\x80\xae", b"x" * 255):
        with open(os.path.join(os.fsencode(folder), name), "wb"):
            pass


def outside_links(folder: Path) -> None:
    """Links to what is not the program's, and to themselves."""
    for name, target in (("root", "/"), ("own", "own"), ("up", "../.."), ("dev", "/dev/zero")):
        (folder / name).symlink_to(target)


def setuid(folder: Path) -> None:
    """A program with the rights of its owner, and its second name."""
    (folder / "su").write_bytes(b"#!/bin/sh\n")
    (folder / "su").chmod(0o6755)
    os.link(folder / "su", folder / "second")


def many(folder: Path) -> None:
    """Files without end."""
    for number in range(300):
        (folder / f"f{number}").touch()


def other_words(path: Path) -> None:
    """Another manifest."""
    path.write_text("name = 'cod'")


KINDS: Mapping[str, Callable[[Path], None]] = {
    "nested": lambda folder: nested(folder, 1_500),
    "pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "socket": listening,
    "long file": long_file,
    "closed folder": unreadable,
    "odd names": odd_names,
    "links": outside_links,
    "setuid": setuid,
    "many": many,
}

MANIFESTS: Mapping[str, Callable[[Path], None]] = {
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to the kernel's log": lambda path: path.symlink_to("/proc/kmsg"),
    "a link to a file of the host": lambda path: path.symlink_to("/etc/passwd"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a pipe": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
    "nothing": lambda _: None,
    "a terabyte": lambda path: long_file(path.parent, name=path.name),
    "other words": other_words,
}
"""What a build may put where its manifest was."""


def hostile_tree(folder: Path, random: Random) -> None:
    """A folder with some of these things at random places."""
    places = [folder]
    for number in range(random.randrange(2, 12)):
        inner = random.choice(places) / f"n{number}"
        inner.mkdir()
        places.append(inner)
    for _ in range(random.randrange(1, 6)):
        kind = random.choice(list(KINDS))
        with suppress(OSError):  # it is there, or the folder is closed
            if kind == "nested":
                nested(random.choice(places), random.choice([3, 15, 30]))
            elif kind == "long file":
                long_file(random.choice(places), random.choice([10**4, 2**33]))
            else:
                KINDS[kind](random.choice(places))
