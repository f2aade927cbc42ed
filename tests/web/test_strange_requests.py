"""Whatever path, query, header or body is sent, the pages answer without a failure."""

from __future__ import annotations

from pathlib import Path

import httpx2
from tests.web.play.persons import open_house
from tests.web.records import fill

BIG = "9" * 5_000
QUERIES = ("page={}", "size={}", "players={}", "bot={}", "game={}", "name={}", "after={}")
VALUES = (BIG, "-1", "1e99", "NaN", "%00", "%D9%A3", "x" * 5_000)
LISTS = ("/matches", "/bots", "/ladder", "/tournaments", "/play", "/api/v1/matches", "/api/v1/bots")
PATHS = (
    f"/ladder/packeis/{BIG}",
    f"/api/v1/ratings/packeis/{BIG}",
    "/matches/%00",
    "/bots/%00",
    "/tournaments/%ff",
    "/static/..%2f..%2fsettings.py",
    "/static/" + "a" * 5_000,
    "/play/%00",
    "/%ff",
)
HEADERS = (
    {"cookie": "a=b;" * 3_000},
    {"cookie": "=;" * 5_000},
    {"accept-language": "x," * 5_000},
    {"x-forwarded-for": "1," * 5_000},
    {"range": f"bytes={BIG}-"},
    {"if-modified-since": BIG},
)
BODIES = ("[" * 1_000, "\0", "token=%00", "a=1&" * 3_000, "%" * 1_000, f"players={BIG}&seat={BIG}")


async def test_nothing_that_is_asked_for_is_a_fault_of_the_server(tmp_path: Path) -> None:
    failures = []
    async with (
        open_house(tmp_path) as house,
        httpx2.AsyncClient(base_url=house.address, timeout=60) as client,
    ):
        await fill(house.store)
        requests = [client.build_request("GET", path) for path in PATHS]
        requests += [
            client.build_request("GET", f"{path}?{query.format(value)}")
            for path in LISTS
            for query in QUERIES
            for value in VALUES
        ]
        requests += [
            client.build_request("GET", path, headers=headers)
            for path in ("/", "/static/style.css", "/bots")
            for headers in HEADERS
        ]
        form = {"content-type": "application/x-www-form-urlencoded"}
        requests += [
            client.build_request("POST", path, content=body, headers=form)
            for path in ("/play", "/operator/login", "/bots/ann", "/play/none/move")
            for body in BODIES
        ]
        for request in requests:
            answer = await client.send(request)
            if answer.status_code >= 500:
                failures.append((answer.status_code, str(request.url)[:80]))
    assert failures == []
