"""The units of systemd in the documents, and programs held to what a unit allows.

systemd enforces ``RestrictAddressFamilies`` by a filter of system calls (systemd.exec(5)); so does
this, where no systemd runs.
"""

from __future__ import annotations

import configparser
import os
import re
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from errno import EAFNOSUPPORT

from tests.folders import DOCS

_SOCKET = {"x86_64": 41, "aarch64": 198}
"""The number of socket(2)."""
_LOAD, _EQUAL, _RETURN, _ALLOW, _FAIL = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2


def documented_units() -> Mapping[str, str]:
    """The units in the documents, each by its page and number."""
    found: dict[str, str] = {}
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```ini\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        units = [block for block in blocks if "[Service]" in block]
        found |= {f"{page.stem}-{number}": unit for number, unit in enumerate(units)}
    return found


def service(unit: str) -> Mapping[str, str]:
    """The settings of a unit's service."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit)
    return parser["Service"]


def run_with_families(
    families: Sequence[str], words: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run a program that may make only sockets of these families, and gains no privileges."""
    numbers = [getattr(socket, family) for family in families]
    allowed = [
        one for number in numbers for one in ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW))
    ]
    program = [
        (_LOAD, 0, 0, 0),
        (_EQUAL, 1, 0, _SOCKET[os.uname().machine]),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, 16),
        *allowed,
        (_RETURN, 0, 0, _FAIL | EAFNOSUPPORT),
    ]
    packed = b"".join(struct.pack("=HBBI", *one) for one in program)
    return subprocess.run(
        [sys.executable, "-c", _HOLD, packed.hex(), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


_HOLD = f"""import ctypes, os, struct, sys
text = bytes.fromhex(sys.argv[1])
kept = ctypes.create_string_buffer(text, len(text))
described = struct.pack("HxxxxxxP", len(text) // 8, ctypes.addressof(kept))
prctl = ctypes.CDLL(None).prctl
assert prctl({_SET_NO_NEW_PRIVILEGES}, 1, 0, 0, 0) == 0
assert prctl({_SET_SECCOMP}, {_FILTER}, described, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""
