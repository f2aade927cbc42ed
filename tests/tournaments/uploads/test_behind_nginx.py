"""Uploads through nginx, with the block that the documents tell hosts to copy."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from tests.clients.toolchains import program, require
from tests.folders import DOCS
from tests.tournaments.uploads.upload_contest import contest, pages
from tests.web.browsing import in_a_thread

from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.upload_client import UploadClient

PATIENCE_S = 60
AROUND = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{ }}
http {{
  access_log off;
  client_body_buffer_size 8m;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; {block} }}
}}
"""
ARCHIVE = bytes(2 * 2**20)


def documented_block() -> str:
    text = (DOCS / "hosting" / "web-pages.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    return str(block)


@contextmanager
def nginx(folder: Path, block: str, pages_address: str) -> Iterator[str]:
    """The address of an nginx with this block before the pages."""
    require("nginx")
    folder.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = folder / "nginx.conf"
    here = block.replace("http://127.0.0.1:8080", pages_address)
    file.write_text(AROUND.format(folder=folder, port=port, block=here))
    words = [program("nginx"), "-p", str(folder), "-c", str(file)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        try:
            until_open(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def until_open(port: int) -> None:
    end_s = time.monotonic() + PATIENCE_S
    with socket.socket() as sock:
        while sock.connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < end_s


def refusal(folder: Path, block: str) -> str:
    """What the author of a program of 2 MiB is told that is no archive."""
    with (
        contest(folder) as store,
        in_a_thread(partial(pages, store, folder / "uploads")) as address,
        nginx(folder, block, address) as proxy,
        pytest.raises(UploadError) as caught,
    ):
        UploadClient(proxy, "fish", "right").send(ARCHIVE)
    return str(caught.value)


def test_programs_of_some_megabytes_pass_the_documented_block(tmp_path: Path) -> None:
    assert "neither a ZIP" in refusal(tmp_path, documented_block())


def test_limit_of_the_proxy_is_named_as_such(tmp_path: Path) -> None:
    without = re.sub(r"\n *client_max_body_size.*", "", documented_block())
    assert re.match(
        r"nginx\S* before the server refuses the upload for its 2,097,\d{3} bytes \(413\): it is "
        "the proxy's limit",
        refusal(tmp_path, without),
    )
