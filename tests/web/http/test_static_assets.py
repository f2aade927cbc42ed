"""Style and scripts: compressed, under names that browsers keep; answers compressed as well."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message
from tests.web.conftest import OpenPages
from tests.web.records import fill

from polynya_store import Store
from polynya_web.http.compression import Compression
from polynya_web.http.static_assets import StaticAssets, read_assets

PLAIN = {"accept-encoding": "identity"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "polynya.sqlite", for_play=True) as opened:
        yield opened


async def test_browsers_keep_static_files_for_ever(pages: OpenPages) -> None:
    async with pages() as client:
        shown = (await client.get("/replay")).text
        addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', shown)
        answers = [await client.get(address) for address in addresses]
    assert len(answers) >= 4
    for answer in answers:
        assert answer.status_code == 200, answer.url
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert read_assets().digest in str(answer.url)


def test_other_contents_have_another_name() -> None:
    one, other = StaticAssets({"a.css": b"a{}"}), StaticAssets({"a.css": b"b{}"})
    assert one.digest != other.digest


def test_a_file_that_is_kept_compressed_has_its_own_name() -> None:
    plain, kept = StaticAssets({"a.js": b"1;"}), StaticAssets({"a.js.gz": gzip.compress(b"1;")})
    assert "a.js" in kept
    assert "a.js.gz" not in kept
    assert plain.digest == kept.digest


async def test_static_files_are_compressed_for_those_who_take_it(pages: OpenPages) -> None:
    path = f"/static/{read_assets().digest}/style.css"
    async with pages() as client:
        compressed = await client.get(path)
        plain = await client.get(path, headers=PLAIN)
        refused = await client.get(path, headers={"accept-encoding": "gzip;q=0, br"})
    assert compressed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert "content-encoding" not in refused.headers
    assert compressed.content == plain.content
    assert compressed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/matches/icecult-7", "/api/v1/matches/icecult-7/frames"])
async def test_pages_and_replays_are_compressed(pages: OpenPages, store: Store, path: str) -> None:
    await fill(store)
    async with pages(store) as client:
        async with client.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
            raw = b"".join([chunk async for chunk in answer.aiter_raw()])
        plain = await client.get(path, headers=PLAIN)
    assert gzip.decompress(raw) == plain.content
    assert int(answer.headers["content-length"]) == len(raw) < len(plain.content) / 3
    assert "Accept-Encoding" in answer.headers["vary"]


@pytest.mark.parametrize(
    ("length", "headers", "encoding"),
    [
        (5_000, {}, "gzip"),
        (500, {}, None),
        (5_000, {"cache-control": "no-store"}, None),  # it may hold a secret
        (5_000, {"content-type": "image/png"}, None),
    ],
)
async def test_what_is_short_secret_or_compressed_is_sent_as_it_is(
    length: int, headers: dict[str, str], encoding: str | None
) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip")]}
    application = Compression(PlainTextResponse("x" * length, headers=headers))
    await application(scope, never, send)
    assert Headers(raw=sent[0]["headers"]).get("content-encoding") == encoding
    assert (len(sent[1]["body"]) < length) == (encoding is not None)


async def never() -> Message:
    raise AssertionError("nothing is to be read")
