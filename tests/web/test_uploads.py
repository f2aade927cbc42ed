"""Uploading a program over HTTP: who may, what is answered, and what is shown of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
import sqlalchemy as sa
import trio
from tests.scripted.scripted_referee import record_of, setup_of
from tests.tournaments.uploads.upload_contest import contest, pages, registering_pages

from polynya_hosting.kits.templates import write_kit
from polynya_server import encode_replay, hash_token
from polynya_store import Store, schema
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.quotas import AT_ONCE
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder
from polynya_web.http import arriving_bodies
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

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
async def served(store: Store, folder: Path, **more: Any) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        pages(store, folder, LIMITS, **more) as address,
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
        open_web(WebSettings(port=0), PageSources(store)) as address,
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


async def test_logs_are_given_for_one_version_where_they_are_asked_for(
    store: Store, archive: bytes, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads") as client:
        await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)
        (upload,) = store.uploads.all()
        replay = encode_replay(record_of(setup_of("validation-1", "fish", "random"), [1, 2]))
        store.uploads.log(upload.number, "bot.c:3: error", replay)

        async def asked(query: str, **headers: str) -> Any:
            return (await client.get(VERSIONS + query, headers=headers)).json()

        followed = await asked("?version=0.1", **OWNER)
        whole = await asked("?version=0.1&log=true", **OWNER)
        for_all = await asked("?version=0.1&log=true")
        others = await asked("?version=0.2", **OWNER)
        latest = await asked("?log=true", **OWNER)

    assert [(one["build_log"], one["match"]) for one in followed] == [(None, None)]
    assert whole[0]["build_log"] == "bot.c:3: error"
    assert "validation-1" in whole[0]["match"]
    assert [(one["build_log"], one["match"]) for one in for_all] == [(None, None)]
    assert (others, latest) == ([], whole)


async def test_an_owner_chooses_an_older_version_and_removes_another(
    store: Store, tmp_path: Path
) -> None:
    for version in ("1", "2"):
        received = store.uploads.receive("fish", version, "c", ["packeis"], version)
        store.uploads.accept(received.number, version)

    async with served(store, tmp_path / "uploads") as client:
        foreign = await client.post(VERSIONS + "/use?version=1")
        used = await client.post(VERSIONS + "/use?version=1", headers=OWNER)
        missing = await client.post(VERSIONS + "/use?version=3", headers=OWNER)
        removed = await client.post(VERSIONS + "/remove?version=2", headers=OWNER)

    assert foreign.status_code == 401
    assert (used.json()["plays"], missing.status_code) == (True, 404)
    assert "no accepted version 3 of fish" in missing.json()["error"]
    assert removed.json()["state"] == "removed"
    assert store.uploads.playing()["fish"].version == "1"


async def test_version_of_a_tournament_is_not_removed(store: Store, tmp_path: Path) -> None:
    number = played_version(store, tmp_path / "uploads")

    async with served(store, tmp_path / "uploads") as client:
        answer = await client.post(VERSIONS + "/remove?version=1", headers=OWNER)

    assert answer.status_code == 409
    assert answer.json()["error"] == "fish@1 is kept: it plays in cup"
    assert store.uploads.get(number).state == "accepted"


def played_version(store: Store, folder: Path) -> int:
    """The number of a version that plays in the tournament cup."""
    uploads = UploadFolder(folder)
    uploads.prepare()
    sha256 = uploads.keep(BytesIO(b"PK the source"))
    upload = store.uploads.receive("fish", "1", "c", ["packeis"], sha256)
    store.uploads.accept(upload.number, "1")
    with store.database.writing() as connection:
        connection.execute(
            sa.insert(schema.tournaments).values(
                name="cup",
                configuration=msgspec.json.encode(
                    {"format": "round_robin", "cycles": 1, "bots": ["fish", "cod"], "players": 2}
                ).decode(),
                configuration_hash="",
                game="packeis",
                players=2,
                created_ms=0,
                rated_through=0,
            )
        )
    store.uploads.note_tournament("cup", [upload.number])
    return upload.number


async def test_sources_are_for_their_owner_alone(store: Store, tmp_path: Path) -> None:
    played_version(store, tmp_path / "uploads")

    async with served(store, tmp_path / "uploads") as client:
        owned = await client.get(VERSIONS + "/archive?version=1", headers=OWNER)
        foreign = await client.get(VERSIONS + "/archive?version=1")

    assert (owned.status_code, owned.content) == (200, b"PK the source")
    assert owned.headers["content-disposition"] == 'attachment; filename="fish-1.zip"'
    assert foreign.status_code == 404


@pytest.mark.parametrize("over", [True, False])
async def test_sources_that_are_published_are_for_all_after_the_end(
    over: bool, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_version(store, tmp_path / "uploads")
    received = store.uploads.receive("fish", "2", "c", ["packeis"], "never played")
    store.uploads.accept(received.number, "2")
    monkeypatch.setattr(store.tournaments, "is_complete", lambda _name: over)

    async with served(
        store, tmp_path / "uploads", settings=UploadSettings(sources="published")
    ) as client:
        played = await client.get(VERSIONS + "/archive?version=1")
        other = await client.get(VERSIONS + "/archive?version=2")
        store.tournaments.hide_results("cup", 10**15)
        hidden = await client.get(VERSIONS + "/archive?version=1")

    assert played.status_code == (200 if over else 404)
    assert (other.status_code, hidden.status_code) == (404, 404)


async def test_quota_says_when_there_is_room_again(
    store: Store, archive: bytes, tmp_path: Path
) -> None:
    async with served(store, tmp_path / "uploads", settings=UploadSettings(per_hour=1)) as client:
        await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)
        answer = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)

    assert answer.status_code == 429
    assert "fish has sent 1 uploads within an hour; the most is 1" in answer.json()["error"]
    assert 3_500 < int(answer.headers["retry-after"]) <= 3_600


async def test_an_upload_that_breaks_off_leaves_nothing_and_makes_room(
    store: Store, archive: bytes, tmp_path: Path
) -> None:
    reception = Reception(store, UploadFolder(tmp_path / "uploads"), LIMITS)
    async with (
        open_web(WebSettings(port=0), PageSources(store, reception=reception)) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        head = (
            f"POST {VERSIONS} HTTP/1.1\r\nHost: {client.base_url.netloc.decode()}\r\n"
            f"Authorization: Bearer right\r\nContent-Length: 100000\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
            '--x\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\n'
        )
        assert client.base_url.port is not None
        stream = await trio.open_tcp_stream("127.0.0.1", client.base_url.port)
        await stream.send_all(head.encode() + archive[:1_000])
        with trio.fail_after(60):
            while not reception.gate._busy:
                await trio.lowlevel.checkpoint()
            during = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)
            await stream.aclose()
            while reception.gate._busy:
                await trio.lowlevel.checkpoint()
        after = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)

    assert "another upload of fish is being received" in during.json()["error"]
    assert after.status_code == 200
    assert len(store.uploads.all()) == 1
    assert list((tmp_path / "uploads" / "unfinished").iterdir()) == []


async def test_bodies_that_trickle_give_way_to_an_honest_one(
    store: Store, archive: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving_bodies, "GRACE_S", 0.0)  # what has come is what counts
    for number in range(AT_ONCE):
        store.bots.set_token(f"slow{number}", hash_token("right"))
    reception = Reception(store, UploadFolder(tmp_path / "uploads"), LIMITS)
    async with (
        open_web(WebSettings(port=0), PageSources(store, reception=reception)) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
        AsyncExitStack() as stack,
    ):
        assert client.base_url.port is not None
        slow = []
        with trio.fail_after(60):
            for number in range(AT_ONCE):
                stream = await stack.enter_async_context(
                    await trio.open_tcp_stream("127.0.0.1", client.base_url.port)
                )
                await stream.send_all(
                    f"POST /api/v1/bots/slow{number}/versions HTTP/1.1\r\n"
                    f"Host: {client.base_url.netloc.decode()}\r\n"
                    "Authorization: Bearer right\r\nContent-Length: 100000\r\n"
                    "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x".encode()
                )
                slow.append(stream)
            while len(reception.gate._busy) < AT_ONCE:
                await trio.lowlevel.checkpoint()
            honest = await client.post(VERSIONS, files={"archive": archive}, headers=OWNER)
            ended = await first_answer(slow)

    assert honest.status_code == 200
    assert ended.startswith("HTTP/1.1 408 ")
    assert "other uploads wait, and this one came at fewer than 32 KiB a second" in ended


async def first_answer(streams: list[trio.SocketStream]) -> str:
    """What comes first over one of these connections."""
    found = ""
    async with trio.open_nursery() as nursery:

        async def receive(stream: trio.SocketStream) -> None:
            nonlocal found
            found = b"".join([bytes(part) async for part in stream]).decode()
            nursery.cancel_scope.cancel()

        for stream in streams:
            nursery.start_soon(receive, stream)
    return found


@asynccontextmanager
async def registering(
    store: Store, folder: Path, **settings: object
) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        registering_pages(store, folder, **settings) as address,
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        yield client


async def test_new_name_is_registered_and_its_token_opens_its_uploads(
    store: Store, tmp_path: Path
) -> None:
    async with registering(store, tmp_path / "uploads", open_registration=True) as client:
        answer = await client.post("/api/v1/bots", data={"name": "cod"})
        token = answer.json()["token"]
        own = {"authorization": f"Bearer {token}"}
        listed = await client.get("/api/v1/bots/cod/versions", headers=own)

    assert answer.json()["bot"] == "cod"
    assert (listed.status_code, listed.json()) == (200, [])
    assert store.bots.token_hash("cod") == hash_token(token)


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("fish", 409, "fish is registered"),
        ("FISH", 400, "differs from the taken name fish in the case of letters only"),
        ("a b", 400, "choose another one"),
        ("", 400, "choose another one"),
    ],
)
async def test_name_that_cannot_be_registered_is_refused(
    name: str, status: int, sentence: str, store: Store, tmp_path: Path
) -> None:
    async with registering(store, tmp_path / "uploads", open_registration=True) as client:
        answer = await client.post("/api/v1/bots", data={"name": name})

    assert (answer.status_code, sentence in answer.json()["error"]) == (status, True)


async def test_no_name_is_registered_where_none_are_taken(store: Store, tmp_path: Path) -> None:
    async with registering(store, tmp_path / "uploads", open_registration=False) as client:
        answer = await client.post("/api/v1/bots", data={"name": "cod"})

    assert answer.status_code == 403
    assert answer.json()["error"] == "cod is not registered; new ones are not taken"


async def test_names_are_registered_within_the_limits_of_bots_that_connect(
    store: Store, tmp_path: Path
) -> None:
    async with registering(
        store, tmp_path / "uploads", open_registration=True, registration_burst=2
    ) as client:
        answers = [
            await client.post("/api/v1/bots", data={"name": f"cod{number}"}) for number in range(3)
        ]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "more than 2 new names came from 127.0.0.1" in answers[-1].json()["error"]


async def test_lost_answer_is_asked_for_again(store: Store, tmp_path: Path) -> None:
    form = {"name": "cod", "registration": "secret"}
    async with registering(store, tmp_path / "uploads", open_registration=True) as client:
        await client.post("/api/v1/bots", data=form)
        again = await client.post("/api/v1/bots", data=form)
        other = await client.post("/api/v1/bots", data=form | {"registration": "guessed"})

    assert store.bots.token_hash("cod") == hash_token(again.json()["token"])
    assert other.status_code == 409


async def test_page_of_another_site_registers_nothing(store: Store, tmp_path: Path) -> None:
    async with registering(store, tmp_path / "uploads", open_registration=True) as client:
        answer = await client.post(
            "/api/v1/bots", data={"name": "cod"}, headers={"origin": "https://evil.example"}
        )

    assert answer.status_code == 403
    assert store.bots.token_hash("cod") is None
