"""The JSON API: what its document promises is what it answers, whatever it is asked."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
import schemathesis
import trio
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from tests.web.records import fill, played

from polynya_conformance.replay.text_form import as_text
from polynya_server import encode_replay
from polynya_store import Store
from polynya_store.matches.match_repository import remove_old
from polynya_web.api.handlers import MAX_REPLAY_BYTES
from polynya_web.api.openapi import document
from polynya_web.content.match_types import MatchView, Replay
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

SCHEMA = schemathesis.openapi.from_dict(document())


async def serve(store: Store, started: queue.Queue[tuple[str, trio.Event]]) -> None:
    await fill(store)
    over = trio.Event()
    async with open_web(WebSettings(port=0), PageSources(store)) as address:
        started.put((address, over))
        await over.wait()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an API with some matches, on a real socket."""
    started: queue.Queue[tuple[str, trio.Event]] = queue.Queue()
    with Store.open(tmp_path_factory.mktemp("api") / "api.sqlite", for_play=True) as store:
        tokens: queue.Queue[trio.lowlevel.TrioToken] = queue.Queue()

        async def run() -> None:
            tokens.put(trio.lowlevel.current_trio_token())
            await serve(store, started)

        thread = threading.Thread(target=trio.run, args=(run,))
        thread.start()
        token = tokens.get(timeout=60)
        address, over = started.get(timeout=60)
        yield f"{address}/api/v1"
        token.run_sync_soon(over.set)
        thread.join(60)


@SCHEMA.parametrize()
@settings(
    max_examples=10,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_as_the_document_says(api: str, case: schemathesis.Case[Any]) -> None:
    # Any bytes may be sent as a replay, but hardly any are one.
    excluded: list[Any] = [positive_data_acceptance] if case.method == "POST" else []
    case.call_and_validate(base_url=api, timeout=60, excluded_checks=excluded)


def without_changes(match: MatchView) -> MatchView:
    """The view without changes of ratings, which the database knows and no replay."""
    seats = [
        msgspec.structs.replace(seat, rating_before=None, rating_after=None) for seat in match.seats
    ]
    return msgspec.structs.replace(match, seats=seats)


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_a_match_is_given_with_all_its_frames(api: str, game: str) -> None:
    answer = httpx2.get(f"{api}/matches/{game}-7/frames", timeout=60)
    replay = msgspec.json.decode(answer.content, type=Replay, strict=True)
    of_match = httpx2.get(f"{api}/matches/{game}-7", timeout=60).content
    assert replay.match == without_changes(msgspec.json.decode(of_match, type=MatchView))
    assert [turn.turn for turn in replay.turns][:2] == [1, 2]
    assert (len(replay.forfeits), replay.clocks) == (1, None)
    assert replay.frames[-1].scores == [seat.score for seat in replay.match.seats]


async def test_match_whose_replay_was_removed_is_given_without_its_frames(tmp_path: Path) -> None:
    with Store.open(tmp_path / "old.sqlite", for_play=True) as store:
        await fill(store)
        remove_old(store.database, 2**60)
        async with (
            open_web(WebSettings(port=0), PageSources(store)) as address,
            httpx2.AsyncClient() as client,
        ):
            known = await client.get(f"{address}/api/v1/matches/packeis-7")
            frames = await client.get(f"{address}/api/v1/matches/packeis-7/frames")
    assert (known.status_code, known.json()["reason"]) == (200, "finished")
    assert (frames.status_code, "removed old replays" in frames.text) == (404, True)


def test_a_replay_file_is_shown_as_the_match_that_it_is_of(api: str) -> None:
    record = played("packeis", 3, timeouts=(3,))
    answer = httpx2.post(f"{api}/frames", content=encode_replay(record), timeout=60)
    shown, kept = answer.json(), httpx2.get(f"{api}/matches/packeis-7/frames", timeout=60).json()
    assert shown["frames"] == kept["frames"]
    assert shown["match"]["match"] == "packeis-7"


def test_the_text_form_of_a_match_is_shown_as_its_replay(api: str) -> None:
    text = as_text(played("packeis", 3, timeouts=(3,)))
    answer = httpx2.post(f"{api}/frames", content=text.encode(), timeout=60)
    shown, kept = answer.json(), httpx2.get(f"{api}/matches/packeis-7/frames", timeout=60).json()
    assert shown["frames"] == kept["frames"]


def test_the_first_wrong_line_of_a_text_is_named(api: str) -> None:
    text = as_text(played("packeis", 3, timeouts=(3,))).replace("\n2. 1", "\n2. 0", 1)
    answer = httpx2.post(f"{api}/frames", content=text.encode(), timeout=60)
    error = "the text, line 17: turn 2, seat 0: seat 1 is to move"
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert answer.json()["error_cause"]["code"] == "text_line"


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


NO_REPLAY = {
    "nothing": b"",
    "no msgpack": b"\xc1",
    "another document": b"\x80",
    "nested too deeply": nested(100_000),
}
IMPOSSIBLE = {
    "another game": encode_replay(msgspec.structs.replace(played(), state={"game": "chess"})),
    "a turn that is not legal": encode_replay(
        msgspec.structs.replace(
            played(), events=[msgspec.structs.replace(played().events[0], steps=[["fly"]])]
        )
    ),
    "options that JSON cannot say": encode_replay(
        msgspec.structs.replace(played(), options={"odd": msgspec.msgpack.Ext(1, b"")})
    ),
}


@pytest.mark.parametrize("name", NO_REPLAY)
def test_file_that_is_no_replay_is_refused_in_a_sentence(api: str, name: str) -> None:
    answer = httpx2.post(f"{api}/frames", content=NO_REPLAY[name], timeout=60)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].startswith("this file is ")


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_replay_that_does_not_fit_together_is_refused_in_a_sentence(api: str, name: str) -> None:
    answer = httpx2.post(f"{api}/frames", content=IMPOSSIBLE[name], timeout=60)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].startswith("this replay cannot be shown: ")


def test_a_file_that_is_too_large_is_refused(api: str) -> None:
    answer = httpx2.post(f"{api}/frames", content=bytes(MAX_REPLAY_BYTES + 1), timeout=60)
    assert (answer.status_code, list(answer.json())) == (413, ["error", "error_cause"])


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("size=300", ["size", "'300'", "200"]),
        ("state=lost - at sea", ["state", "'lost - at sea'"]),
        ("colour=red", ["'colour'", "game", "size"]),
    ],
)
def test_wrong_parameter_is_named_with_its_value(api: str, query: str, named: list[str]) -> None:
    error = httpx2.get(f"{api}/matches?{query}", timeout=60).json()["error"]
    assert [word for word in named if word not in error] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/matches/nothing", 404),
        ("/matches/nothing/frames", 404),
        ("/matches?size=0", 400),
        ("/matches?size=5&size=6", 400),
        ("/matches?colour=red", 400),
        ("/matches?older=somewhere", 404),
        ("/bots/nobody", 404),
        ("/ratings/packeis/5", 404),
        ("/ratings/packeis/2?clock_class=slow", 400),
        ("/tournaments/none", 404),
        ("/live", 404),
    ],
)
def test_unanswerable_request_is_one_sentence(api: str, path: str, status: int) -> None:
    answer = httpx2.get(api + path, timeout=60)
    assert (answer.status_code, list(answer.json())) == (status, ["error", "error_cause"])


def test_a_ladder_says_its_whole_key_and_is_asked_by_it(api: str) -> None:
    largest = httpx2.get(f"{api}/ratings/packeis/2", timeout=60).json()
    key = {name: largest[name] for name in ("system", "clock_class", "variant")}
    assert largest == httpx2.get(f"{api}/ratings/packeis/2", params=key, timeout=60).json()
    key["clock_class"] = "rapid" if key["clock_class"] != "rapid" else "blitz"
    other = httpx2.get(f"{api}/ratings/packeis/2", params=key, timeout=60).json()
    assert (other["clock_class"], other["bots"]) == (key["clock_class"], 0)


def test_a_list_has_pages(api: str) -> None:
    first = httpx2.get(f"{api}/matches?size=2", timeout=60).json()
    second = httpx2.get(f"{api}/matches?size=2&older={first['older']}", timeout=60).json()
    names = [match["match"] for page in (first, second) for match in page["matches"]]
    assert names == ["icecult-7", "arktia-7", "packeis-7"]
    assert (first["newer"], second["older"]) == (None, None)
