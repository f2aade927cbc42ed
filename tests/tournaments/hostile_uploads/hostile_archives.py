"""Archives that were made to do harm: of each known kind, and mutations of real ones by a seed."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from random import Random

MANIFEST = b"""name = "fish"
version = "1"
language = "python"
run = "python3 bot.py"
games = ["packeis"]
"""


def member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    """The block of a tar file that begins an entry."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)


def link(name: str, target: str) -> bytes:
    """The block of a link."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info.tobuf(tarfile.USTAR_FORMAT)


def with_content(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    """The blocks of an entry."""
    return member(name, kind, len(content)) + content + bytes(-len(content) % 512)


def record(key: str, value: str) -> bytes:
    """A record of a PAX header."""
    rest = f" {key}={value}\n".encode()
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


def packed_tar(*blocks: bytes) -> bytes:
    """A tar.gz file of an honest manifest and these blocks."""
    return gzip.compress(with_content("polynya.toml", MANIFEST) + b"".join(blocks) + bytes(1024))


def header_of_digits(length: int = 2**20) -> bytes:
    """What Python before 3.11.10 and 3.12.6 searches in quadratic time."""
    return packed_tar(with_content("p", b"9" * length, tarfile.XHDTYPE), member("a"))


def global_headers(count: int = 5_000) -> bytes:
    """Headers for all entries, and never an entry."""
    one = with_content("g", record("comment", "x" * 400), tarfile.XGLTYPE)
    return packed_tar(one * count)


def large_global_header(entries: int = 20_000) -> bytes:
    """Thousands of values that each entry would have a copy of."""
    records = b"".join(record(f"k{number}", "v") for number in range(5_000))
    return packed_tar(
        with_content("g", records, tarfile.XGLTYPE),
        *(member(f"f{number}") for number in range(entries)),
    )


def headers_in_a_row(count: int = 5_000) -> bytes:
    """``tarfile`` calls itself for each."""
    return packed_tar(with_content("x", record("path", "a"), tarfile.XHDTYPE) * count, member("a"))


@cache
def two_directories(entries: int = 60_000) -> bytes:
    """A ZIP file whose old record says one entry, and its ZIP64 record says the truth."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(entries):
            archive.writestr(f"f{number}", b"")
    content = packed.getvalue()
    end = content.rfind(b"PK\x05\x06")
    size, offset = struct.unpack("<LL", content[end + 12 : end + 20])
    record64 = struct.pack(
        "<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, size, offset
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    old = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 1, 1, 46, offset, 0)
    return content[:end] + record64 + locator + old


def empty_gzip_members(count: int = 2_000_000) -> bytes:
    """A gzip file of millions of parts, each of which is nothing."""
    return gzip.compress(b"") * count


def deep_manifest(levels: int = 30_000) -> bytes:
    """A manifest that is a list in a list in a list."""
    text = b"name = " + b"[" * levels + b"]" * levels
    return gzip.compress(with_content("polynya.toml", text) + bytes(1024))


def many_dotted_keys(count: int = 9_000) -> bytes:
    """A manifest whose keys have thousands of parts."""
    text = ".".join(f"a{number}" for number in range(count)) + " = 1"
    return gzip.compress(with_content("polynya.toml", text.encode()) + bytes(1024))


def bomb(length: int = 2**30) -> bytes:
    """A file of zeros, which packs to a thousandth."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as archive:
        archive.write(member("zeros", size=length))
        for _ in range(length // 2**20):
            archive.write(bytes(2**20))
    return packed.getvalue()


HOSTILE: Mapping[str, Callable[[], bytes]] = {
    "a header of digits": header_of_digits,
    "short headers of digits": lambda: packed_tar(
        *(
            with_content("p", b"9" * 8_192, tarfile.XHDTYPE) + member(f"f{number}")
            for number in range(2_000)
        )
    ),
    "global headers": global_headers,
    "a large global header": large_global_header,
    "headers in a row": headers_in_a_row,
    "long names in a row": lambda: packed_tar(
        with_content("././@LongLink", b"a" * 200, tarfile.GNUTYPE_LONGNAME) * 5_000
    ),
    "two directories": two_directories,
    "a directory of 100,000 entries": lambda: two_directories(100_000),
    "empty parts": empty_gzip_members,
    "a deep manifest": deep_manifest,
    "many dotted keys": many_dotted_keys,
    "a bomb": bomb,
    "a header that claims a terabyte": lambda: packed_tar(member("a", size=2**33 - 1)),
    "a name that is no UTF-8": lambda: packed_tar(member("a\udcff")),
    "a link to a name that is no UTF-8": lambda: gzip.compress(link("a", "b\udcff") + bytes(1024)),
    "a negative size": lambda: packed_tar(
        with_content("p", record("size", "-512"), tarfile.XHDTYPE) + member("a")
    ),
}
"""Each is refused, by a name."""


def real_tar(random: Random) -> bytes:
    """The blocks of an honest tar file."""
    files = [("polynya.toml", MANIFEST)]
    files += [(f"src/{number}.py", random.randbytes(random.randrange(900))) for number in range(4)]
    packed = io.BytesIO()
    form = random.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if form == tarfile.PAX_FORMAT and random.random() < 0.5:
                info.pax_headers = {"comment": "\N{FISH}" * random.randrange(1, 99)}
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def real_zip(random: Random) -> bytes:
    """An honest ZIP file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", random.choice([0, zipfile.ZIP_DEFLATED])) as archive:
        archive.writestr("polynya.toml", MANIFEST)
        for number in range(4):
            archive.writestr(f"src/{number}.py", random.randbytes(random.randrange(900)))
    return packed.getvalue()


_HARMFUL = (
    b"\x00", b"\xff", b"9" * 40, b"/", b"../", b"\n", b"g", b"x", b"L", b"K", b"S", b"1", b"2",
    b"PK\x06\x06", b"PK\x05\x06", b"PK\x01\x02", b"\xff\xff\xff\xff", b"ustar\x0000", b"-1",
)  # fmt: skip


def mutated(random: Random) -> bytes:
    """A real archive with a few changes: bytes, runs, words that mean something, parts twice."""
    is_tar = random.random() < 0.6
    content = bytearray(real_tar(random) if is_tar else real_zip(random))
    for _ in range(random.randrange(1, 6)):
        place = random.randrange(len(content))
        change = random.randrange(5)
        if change == 0:
            content[place] = random.randrange(256)
        elif change == 1:
            word = random.choice(_HARMFUL)
            content[place : place + len(word)] = word
        elif change == 2:
            begin = place // 512 * 512
            content[begin:begin] = content[begin : begin + 512 * random.randrange(1, 6)] * (
                random.randrange(1, 40)
            )
        elif change == 3:
            del content[place : place + random.randrange(1, 600)]
        else:
            kind = random.choice([tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
            text = random.choice([b"9" * 3_000, record("path", "../a"), random.randbytes(600)])
            begin = place // 512 * 512
            content[begin:begin] = with_content("h", text, kind) * random.randrange(1, 12)
        if not content:
            return b""
    whole = gzip.compress(bytes(content)) if is_tar else bytes(content)
    return whole[: random.randrange(len(whole))] if random.random() < 0.1 else whole
