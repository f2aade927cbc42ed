"""Handing in a program over HTTP: who may, what is answered, and what is shown of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from tests.tournaments.uploads.handing_in import contest, pages

from polynya_tournaments.bots.templates import write_kit
from polynya_tournaments.store import Store
from polynya_tournaments.uploads.packing import pack
from polynya_tournaments.uploads.unpacking import Limits
from polynya_web import WebSettings, open_web

OWNER = {"authorization": "Bearer right"}
LIMITS = Limits(packed_bytes=100_000)
VERSIONS = "/api/v1/bots/fish/versions"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contest(tmp_path) as opened:
        yield opened


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    write_kit("python", "packeis", tmp_path / "fish")
    return pack(tmp_path / "fish", Limits())


@asynccontextmanager
async def served(store: Store, folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        pages(store, folder, LIMITS) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        yield client


async def test_an_upload_is_answered_with_its_state(
    store: Store, archive: bytes, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)

    assert answer.status_code == 200
    assert answer.json()["version"] == "0.1"
    assert answer.json()["state"] == "received"
    assert [upload.label for upload in store.uploads.undecided()] == ["fish@0.1"]


@pytest.mark.parametrize(
    ("headers", "status", "sentence"),
    [
        ({}, 401, "send the bot's token in the header Authorization"),
        ({"authorization": "Basic right"}, 401, "send the bot's token"),
        ({"authorization": "Bearer wrong"}, 403, "this is not the token of fish"),
    ],
)
async def test_only_the_owner_may_upload(
    headers: dict[str, str],
    status: int,
    sentence: str,
    store: Store,
    archive: bytes,
    tmp_path: Path,
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS, files={"archive": archive}, headers=headers)

    assert answer.status_code == status
    assert sentence in answer.json()["error"]
    assert store.uploads.all() == []


async def test_a_refused_archive_is_answered_with_its_sentence(
    store: Store, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS, files={"archive": b"#!/bin/sh"}, headers=OWNER)

    assert answer.status_code == 400
    assert "neither a ZIP nor a tar.gz file" in answer.json()["error"]


@pytest.mark.parametrize("length", [LIMITS.packed_bytes + 1, 10 * LIMITS.packed_bytes])
async def test_a_file_that_is_too_long_is_refused(
    length: int, store: Store, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS, files={"archive": bytes(length)}, headers=OWNER)

    assert answer.status_code == 413
    assert "longer than 100,000 bytes" in answer.json()["error"]


async def test_a_form_without_the_file_is_refused(store: Store, tmp_path: Path) -> None:
    async with served(store, tmp_path / "uploads") as client:
        other_field = await client.post(VERSIONS, files={"file": b"PK"}, headers=OWNER)
        no_form = await client.post(VERSIONS, content=b"PK", headers=OWNER)
        broken = await client.post(
            VERSIONS,
            content=b"--x\r\nnothing",
            headers=OWNER | {"content-type": "multipart/form-data; boundary=y"},
        )

    assert [answer.status_code for answer in (other_field, no_form, broken)] == [400, 400, 400]
    assert "no file in the field archive" in other_field.json()["error"]
    assert "send a form as multipart/form-data" in no_form.json()["error"]


async def test_only_the_owner_sees_why_a_version_was_refused(
    store: Store, archive: bytes, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)
        (upload,) = store.uploads.all()
        store.uploads.refuse(upload.number, "it does not build")
        to_all = (await client.get(VERSIONS)).json()
        to_owner = (await client.get(VERSIONS, headers=OWNER)).json()
        to_a_stranger = await client.get(VERSIONS, headers={"authorization": "Bearer wrong"})

    assert [(one["state"], one["detail"]) for one in to_all] == [("refused", None)]
    assert [one["detail"] for one in to_owner] == ["it does not build"]
    assert to_a_stranger.status_code == 403


async def test_a_server_without_uploads_says_so(store: Store, archive: bytes) -> None:
    async with (
        open_web(WebSettings(port=0), store) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        answer = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)

    assert answer.status_code == 404
    assert "takes no uploads" in answer.json()["error"]


async def test_a_large_archive_is_read_from_the_disk(store: Store, tmp_path: Path) -> None:
    write_kit("python", "packeis", tmp_path / "fish")
    (tmp_path / "fish" / "weights.bin").write_bytes(bytes(4 * 2**20))
    packed = pack(tmp_path / "fish", Limits())

    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS, files={"archive": packed}, headers=OWNER)

    assert json.loads(answer.content)["state"] == "received"
