"""A server that is killed with an upload in hand: nothing is half accepted, and nothing is lost."""

from __future__ import annotations

import http.client
import io
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trio
from tests.clients.toolchains import require_sandboxes
from tests.tournaments.uploads.serving import TOKEN, kit, serving

from polynya_store import Store
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.upload_folder import UploadFolder

PATIENCE_S = 300
WRITES = 5
"""What is recorded of an upload after its reception: building, what that printed, validating, its
last match, accepted."""

WORKING = """
import os, pathlib, signal, sys
import trio
from polynya_server import ServerSettings, open_server
from polynya_app.serve_settings import ServeSettings
from polynya_store import Store, open_journal
from polynya_tournaments.uploads.service import open_uploads
from polynya_tournaments.uploads.settings import UploadSettings

home, killed_at, moment = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
writes = 0

def counted(write):
    def counting(*values):
        global writes
        writes += 1
        if (writes, moment) == (killed_at, "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        write(*values)
        if (writes, moment) == (killed_at, "after"):
            os.kill(os.getpid(), signal.SIGKILL)
    return counting

async def work():
    settings = ServeSettings()
    with Store.open(home / "contest.sqlite", for_play=True) as store:
        for name in ("note", "log", "accept", "refuse"):
            setattr(store.uploads, name, counted(getattr(store.uploads, name)))
        async with (
            open_journal(store) as journal, open_server(ServerSettings(port=0), journal) as server
        ):
            service = await open_uploads(
                home / "uploads", store, server, journal, settings.contest, UploadSettings()
            )
            async with trio.open_nursery() as nursery:
                await nursery.start(service.run)
                with trio.fail_after(250):
                    while store.uploads.undecided():
                        await trio.sleep(0.1)
                nursery.cancel_scope.cancel()

trio.run(work)
"""


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    require_sandboxes()


def work(home: Path, killed_at: int = 0, moment: str = "never") -> int:
    """Build and validate what was uploaded, in a process of its own; how that ended."""
    command = [sys.executable, "-c", WORKING, str(home), str(killed_at), moment]
    return subprocess.run(command, check=False, timeout=PATIENCE_S).returncode


@pytest.mark.parametrize(
    ("killed_at", "moment"),
    [*((write, "before") for write in range(1, WRITES + 1)), (WRITES, "after")],
)
def test_an_upload_is_decided_by_the_next_server(
    killed_at: int, moment: str, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as store:
        reception = Reception(store, UploadFolder(tmp_path / "uploads"), Limits())
        archive = io.BytesIO(pack(kit(tmp_path, "cod"), Limits()))
        trio.run(reception.receive, "cod", archive)

    assert work(tmp_path, killed_at, moment) == -9
    with Store.open(tmp_path / "contest.sqlite") as store:
        accepted = ["cod"] if moment == "after" else []
        assert list(store.uploads.playing()) == accepted

    assert work(tmp_path) == 0
    with Store.open(tmp_path / "contest.sqlite") as store:
        (upload,) = store.uploads.all()
        assert upload == store.uploads.playing()["cod"]
        programs = [path.name for path in (tmp_path / "uploads" / "programs").iterdir()]
        assert programs == [upload.program]


def test_half_an_upload_leaves_nothing(tmp_path: Path) -> None:
    archive = pack(kit(tmp_path, "cod"), Limits())
    with serving(tmp_path, "cod") as server:
        place = urlsplit(server.address)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        connection.putrequest("POST", "/api/v1/bots/cod/versions")
        connection.putheader("Authorization", f"Bearer {TOKEN}")
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.putheader("Content-Length", str(len(archive) + 1_000))
        connection.endheaders()
        part = b'--x\r\nContent-Disposition: form-data; name="archive"; filename="a"\r\n\r\n'
        connection.send(part + archive[: len(archive) // 2])
        server.process.kill()
        server.process.wait()
        connection.close()

    with serving(tmp_path) as server:
        assert server.upload(tmp_path / "cod").returncode == 0
    with Store.open(tmp_path / "contest.sqlite") as store:
        assert [upload.state for upload in store.uploads.all()] == ["accepted"]
    assert list((tmp_path / "uploads" / "unfinished").iterdir()) == []


def test_a_server_that_is_killed_right_after_its_answer_has_the_upload(tmp_path: Path) -> None:
    with serving(tmp_path, "cod") as server:
        done = server.upload(kit(tmp_path, "cod"), "--no-wait")
        server.process.kill()
    assert done.returncode == 0, done.stderr

    with serving(tmp_path) as server:
        server.read_until("an upload plays")
    with Store.open(tmp_path / "contest.sqlite") as store:
        assert list(store.uploads.playing()) == ["cod"]
