"""What every page has: its language, its headers, a page for each failure; static files."""

from __future__ import annotations

import pytest
from tests.web.conftest import OpenPages

from polynya_web.http.security_headers import CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/health", "/no-such-page", "/static/"])
async def test_every_answer_has_security_headers(pages: OpenPages, path: str) -> None:
    async with pages() as client:
        headers = (await client.get(path)).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")


async def test_a_page_that_does_not_exist_says_so(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/no-such-page")
    assert answer.status_code == 404
    assert "<h1>Nothing is here</h1>" in answer.text


async def test_an_address_of_the_api_that_does_not_exist_says_so_in_json(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/api/v1/nothing")
    assert (answer.status_code, list(answer.json())) == (404, ["error", "error_cause"])


async def test_a_chosen_language_is_remembered(pages: OpenPages) -> None:
    async with pages() as client:
        first = await client.get("/?lang=de")
        second = await client.get("/")
    assert '<html lang="de"' in first.text
    assert '<html lang="de"' in second.text
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=lax" in first.headers["set-cookie"]


async def test_a_language_that_there_is_not_changes_nothing(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/?lang=tlh", headers={"accept-language": "de"})
    assert '<html lang="de"' in answer.text
    assert "set-cookie" not in answer.headers


async def test_a_parameter_is_text_in_the_links_of_its_page(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/", params={"page": '"><script>alert(1)</script>'})
    assert "<script>alert" not in answer.text


async def test_a_static_file_that_has_not_changed_is_not_sent_again(pages: OpenPages) -> None:
    async with pages() as client:
        first = await client.get("/static/style.css")
        again = await client.get(
            "/static/style.css", headers={"if-none-match": first.headers["etag"]}
        )
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.mark.parametrize("path", ["/static/../settings.py", "/static/%2e%2e/settings.py"])
async def test_nothing_but_static_files_is_given_away(pages: OpenPages, path: str) -> None:
    async with pages() as client:
        answer = await client.get(path)
    assert answer.status_code == 404


async def test_health_without_a_game_server_is_that_the_pages_answer(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_chosen_colours_are_remembered(pages: OpenPages) -> None:
    async with pages() as client:
        plain = await client.get("/")
        first = await client.get("/?theme=dark")
        second = await client.get("/")
        other = await client.get("/?theme=pink")
    shown = [
        answer.text.partition('data-theme="')[2].partition('"')[0]
        for answer in (plain, first, second, other)
    ]
    assert shown == ["auto", "dark", "dark", "dark"]
    assert "theme=dark" in first.headers["set-cookie"]
    assert "set-cookie" not in other.headers
