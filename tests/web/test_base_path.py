"""The pages stand under a path behind a proxy, whether the proxy takes it away or not."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx2
import pytest
import trio
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect
from tests.clients.toolchains import program, require
from tests.web.browsing import in_a_thread, tab
from tests.web.play.persons import Browser, House, open_house
from tests.web.records import fill

from polynya_web.http.static_assets import read_assets
from polynya_web.settings import WebSettings

BASE = "/contest"
PATIENCE_S = 60
LINK = re.compile(r'(?:href|src|action)="(/[^"#]*)')
SCRIPT = re.compile(r'(?:from|import)\s*"([./][^"\s]*\.m?js)"')

NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    location {BASE}/ {{
      proxy_pass {target}{path};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
    }}
  }}
}}
"""
CADDY = """
{{
    admin off
    storage file_system {folder}
}}
http://127.0.0.1:{port} {{
    {handle} {BASE}/* {{
        reverse_proxy {target}
    }}
}}
"""


@asynccontextmanager
async def house_under_a_path(folder: Path) -> AsyncIterator[House]:
    async with open_house(folder, base=BASE) as house:
        await fill(house.store)
        yield house


@asynccontextmanager
async def proxy(name: str, folder: Path, target: str, *, keeps_path: bool) -> AsyncIterator[str]:
    """The address of a real nginx or Caddy before the pages, which leaves the path or not."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = folder / f"{name}.conf"
    form, more = {
        "nginx": (NGINX, ["-p", str(folder), "-c", str(file)]),
        "caddy": (CADDY, ["run", "--config", str(file), "--adapter", "caddyfile"]),
    }[name]
    words = {
        "folder": folder,
        "port": port,
        "target": target,
        "path": "" if keeps_path else "/",
        "handle": "handle" if keeps_path else "handle_path",
        "BASE": BASE,
    }
    file.write_text(form.format(**words))
    with subprocess.Popen([program(name), *more], stderr=subprocess.DEVNULL) as process:
        try:
            await until_open(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def until_open(port: int) -> None:
    with trio.fail_after(PATIENCE_S):
        while True:
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", port)
            except OSError:
                await trio.lowlevel.checkpoint()
            else:
                await stream.aclose()
                return


async def everything_linked(client: httpx2.AsyncClient, start: str) -> dict[str, int]:
    """The status of everything that is linked from a page of our own, by its path."""
    found: dict[str, int] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop().replace("&amp;", "&")
        if path in found:
            continue
        answer = await client.get(path, follow_redirects=True)
        found[path] = answer.status_code
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/html") and "lang=" not in path and "theme=" not in path:
            waiting += LINK.findall(answer.text)
        elif "javascript" in kind:
            waiting += [str(answer.url.join(name).path) for name in SCRIPT.findall(answer.text)]
    return found


def check_links(found: dict[str, int]) -> None:
    assert {path: status for path, status in found.items() if status != 200} == {}
    assert [path for path in found if not path.startswith(f"{BASE}/")] == []
    style = f"{BASE}/static/{read_assets().digest}/style.css"
    assert {f"{BASE}/matches", style, f"{BASE}/play"} <= set(found)


async def test_everything_that_is_linked_is_there_under_the_path(tmp_path: Path) -> None:
    async with (
        house_under_a_path(tmp_path) as house,
        httpx2.AsyncClient(base_url=house.address, timeout=PATIENCE_S) as client,
    ):
        check_links(await everything_linked(client, f"{BASE}/"))


async def test_proxy_may_take_the_path_away(tmp_path: Path) -> None:
    async with (
        house_under_a_path(tmp_path) as house,
        httpx2.AsyncClient(base_url=house.address, timeout=PATIENCE_S) as client,
    ):
        kept, taken = [(await client.get(f"{base}/matches")).text for base in (BASE, "")]
        missing = await client.get("/api/v1/matches/none")
        document = (await client.get("/api/v1/openapi.json")).json()
    assert kept == taken
    assert (missing.status_code, list(missing.json())) == (404, ["error", "error_cause"])
    assert document["servers"] == [{"url": f"{BASE}/api/v1"}]


async def test_path_without_its_slash_leads_to_the_first_page(tmp_path: Path) -> None:
    async with (
        house_under_a_path(tmp_path) as house,
        httpx2.AsyncClient(base_url=house.address, timeout=PATIENCE_S) as client,
    ):
        answer = await client.get(BASE)
    assert (answer.status_code, answer.headers["location"]) == (307, f"{BASE}/")


def test_tables_and_replays_work_in_the_browser_under_the_path(
    browser: Chromium, tmp_path: Path
) -> None:
    with (
        in_a_thread(partial(house_under_a_path, tmp_path)) as house,
        tab(browser, house.address) as page,
    ):
        page.goto(f"{BASE}/play?game=packeis&players=2")
        page.locator("select[name=seat]").select_option("0")
        page.locator("select[name=opponent1]").select_option("builtin:random")
        page.locator(".play-order button.primary").click()
        page.locator("#board .pickable").first.click()
        expect(page.locator("#log li")).to_have_count(2)
        page.goto(f"{BASE}/matches")
        page.locator(f'a[href^="{BASE}/matches/"]').last.click()
        expect(page.locator(".board")).to_be_visible()


@pytest.mark.parametrize("keeps_path", [True, False], ids=["path kept", "path taken away"])
@pytest.mark.parametrize("name", ["nginx", "caddy"])
async def test_person_plays_under_a_path_behind_a_proxy(
    tmp_path: Path, name: str, keeps_path: bool
) -> None:
    require(name)
    async with (
        house_under_a_path(tmp_path) as house,
        proxy(name, tmp_path, house.address, keeps_path=keeps_path) as address,
        httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as client,
    ):
        check_links(await everything_linked(client, f"{BASE}/"))
        form = {"game": "packeis", "players": "2", "seat": "0", "opponent1": "builtin:random"}
        begun = await client.post(f"{BASE}/play", data=form)
        person = Browser(client)
        person.path = begun.headers["location"]
        table = await person.play_on()
        bots = await client.get(f"{BASE}/api/v1/bots")
    assert f"path={BASE}/play" in begun.headers["set-cookie"].lower()
    assert person.path.startswith(f"{BASE}/play/")
    assert table["phase"] == "over"
    assert bots.status_code == 200


@pytest.mark.parametrize(
    "base", ["contest", "/contest/", "/", "//x", "/a b", "/..", "/a/../b", "/ü"]
)
def test_settings_refuse_what_is_no_path(base: str) -> None:
    with pytest.raises(ValueError, match="is not a path; write it with a slash before it"):
        WebSettings(base=base)
