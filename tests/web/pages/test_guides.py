"""Rules, documents for authors, and the page that says how to connect a bot."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest
from tests.web.conftest import OpenPages

from polynya_games import installed, load
from polynya_hosting.kits.templates import KITS, write_kit
from polynya_server import MemoryJournal, ServerSettings, open_server
from polynya_web.pages.guides.documents import DOCUMENTS, document, pictures

LINK = re.compile(r'(?:href|src)="([^"]*)"')


async def links(client: httpx2.AsyncClient, address: str) -> set[str]:
    """Where the article of a page leads on the site, with anchors, from the root."""
    text = (await client.get(address)).text
    article = text[text.index("<main") : text.index("</main>")]
    found = {urljoin(address, unescape(link)) for link in LINK.findall(article)}
    return {link for link in found if not urlsplit(link).scheme}


@pytest.mark.parametrize("address", DOCUMENTS.values())
async def test_every_link_of_a_document_leads_to_a_place_that_is_there(
    pages: OpenPages, address: str
) -> None:
    async with pages() as client:
        for link in await links(client, address):
            path, _, anchor = link.partition("#")
            answer = await client.get(path)
            assert (200, link) == (answer.status_code, link)
            assert not anchor or f'id="{anchor}"' in answer.text, link


async def test_the_rules_of_every_game_are_on_the_site(pages: OpenPages) -> None:
    async with pages() as client:
        listed = (await client.get("/rules")).text
        for name in installed():
            assert f"/rules/{name}" in listed
            assert load(name).title in (await client.get(f"/rules/{name}")).text


async def test_pages_under_a_path_lead_to_that_path(pages: OpenPages) -> None:
    async with pages(base="/contest") as client:
        found = await links(client, "/contest/rules/packeis")
    assert {"/contest"} == {f"/{link.split('/')[1]}" for link in found}


def test_all_pictures_of_the_rules_are_there() -> None:
    wanted = {
        link.rsplit("/", 1)[1]
        for path in DOCUMENTS
        for link in LINK.findall(document(path).markup)
        if link.endswith(".svg")
    }
    assert wanted
    assert wanted <= set(pictures())


@pytest.mark.parametrize("path", ["/rules/nothing", "/documents/hosting", "/documents/../x"])
async def test_other_files_are_no_documents(pages: OpenPages, path: str) -> None:
    async with pages() as client:
        assert (await client.get(path)).status_code == 404


async def test_the_page_names_the_server_and_how_to_get_a_name(pages: OpenPages) -> None:
    settings = ServerSettings(open_registration=True)
    async with open_server(settings, MemoryJournal()) as server, pages(server=server) as client:
        text = (await client.get("/connect?game=arktia&name=my_first")).text
    assert f"POLYNYA_HOST={server.host} POLYNYA_PORT={server.port} " in text
    assert "POLYNYA_TOKEN" not in text[: text.index("Further reading")]
    assert "my_first" in text
    assert "arktia" in text


async def test_a_first_bot_over_lines_says_its_name(pages: OpenPages) -> None:
    async with pages() as client:
        text = (await client.get("/connect?name=my_first")).text
    assert "polynya-bridge --name my_first -- perl bot.pl" in text


async def test_where_registration_is_closed_the_command_has_a_token(pages: OpenPages) -> None:
    settings = ServerSettings()
    async with open_server(settings, MemoryJournal()) as server, pages(server=server) as client:
        assert "POLYNYA_TOKEN=…" in (await client.get("/connect")).text


async def test_without_a_game_server_the_page_says_whom_to_ask(pages: OpenPages) -> None:
    async with pages() as client:
        assert "ask the host for the address" in (await client.get("/connect")).text


async def test_every_section_of_the_page_without_a_game_server_says_something(
    pages: OpenPages,
) -> None:
    async with pages() as client:
        page = (await client.get("/connect")).text
    assert re.findall(r"<h2>([^<]*)</h2>\s*<h2>", page) == []


async def test_versions_that_a_first_bot_needs_are_in_the_language_of_the_page(
    pages: OpenPages,
) -> None:
    async with pages() as client:
        page = (await client.get("/connect?lang=de")).text
    assert "Python 3.11 oder neuer" in page


@pytest.mark.parametrize("language", KITS)
async def test_a_project_that_is_downloaded_is_the_starter_kit(
    pages: OpenPages, language: str, tmp_path: Path
) -> None:
    write_kit(language, "icecult", tmp_path / "hal")
    async with pages() as client:
        answer = await client.get(f"/connect/{language}.zip?game=icecult&name=hal")
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    written = {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert written == {name: packed.read(name) for name in packed.namelist()}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/connect?name=../x", 400),
        ("/connect?name=%3Cb%3E", 400),
        ("/connect?game=chess", 404),
        ("/connect/python.zip?name=.x", 400),
        ("/connect/cobol.zip", 404),
    ],
)
async def test_what_cannot_be_filled_in_is_refused(
    pages: OpenPages, path: str, status: int
) -> None:
    async with pages() as client:
        answer = await client.get(path)
    assert status == answer.status_code
    assert "<b>" not in answer.text


async def test_an_empty_site_says_what_to_do_first(pages: OpenPages) -> None:
    async with pages() as client:
        text = (await client.get("/")).text
    assert "Nothing has been played here yet" in text
    assert 'href="/connect"' in text
