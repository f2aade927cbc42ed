"""The page of one match as the server makes it: for readers without scripts, and its download."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from tests.scripted.scripted_referee import record_of, setup_of
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins
from tests.web.pages.test_tournament_verdict import played as played_cup
from tests.web.records import fill, played

from polynya_common.reasons import Reason
from polynya_conformance.replay.text_form import as_text
from polynya_contest.ratings.model import RatingSettings
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Attempt, Store, open_journal
from polynya_store.imports.imported_matches import (
    ForeignMatch,
    ForeignSeat,
    foreign_match_of,
    import_matches,
)
from polynya_web.content.replay_cache import ReplayCache
from polynya_web.content.texts import LANGUAGES, TEXTS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "polynya.sqlite", for_play=True) as opened:
        yield opened


async def test_match_is_readable_without_scripts(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        answer = await client.get("/matches/packeis-7?lang=en")
    assert answer.status_code == 200
    for words in ["bot0", "bot1", "bot2", "5 s for the match", "at most 0.1 s a turn", "too slow"]:
        assert words in answer.text
    assert '<script type="application/json" id="data">{"match": "packeis-7"' in answer.text


async def test_end_and_forfeit_are_said_without_scripts_and_by_the_api(
    pages: OpenPages, store: Store
) -> None:
    await fill(store)
    async with pages(store) as client:
        shown = (await client.get("/matches/packeis-7?lang=de")).text
        [forfeit] = (await client.get("/api/v1/matches/packeis-7")).json()["forfeits"]
    words = f"bot{forfeit['seat']} verlor in Zug 3 durch Zeitüberschreitung: 101 ms statt 100 ms."
    assert words in shown.partition("viewer-board")[0]
    assert (forfeit["turn"], forfeit["reason"], forfeit["detail"]) == (
        3,
        "timeout",
        "it took too long",
    )


async def test_ratings_before_and_after_a_match_are_shown(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        shown = (await client.get("/matches/packeis-7?lang=en")).text
        seats = (await client.get("/api/v1/matches/packeis-7")).json()["seats"]
    changes = store.ratings.changes("packeis-7")
    assert [changes[seat] for seat in range(3)] == [
        (seat["rating_before"], seat["rating_after"]) for seat in seats
    ]
    before, after = changes[0]
    assert before != after
    assert f"{before:.0f} → {after:.0f}" in shown


async def test_a_replay_is_downloaded_as_it_was_recorded(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        answer = await client.get("/matches/arktia-7/replay")
    assert decode_replay(answer.content).events == played("arktia", 3, timeouts=(3,)).events
    assert answer.headers["content-disposition"] == 'attachment; filename="arktia-7.replay"'


async def test_a_match_is_downloaded_as_text(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        answer = await client.get("/matches/arktia-7/text")
    turns = as_text(played("arktia", 3, timeouts=(3,))).partition("\n\n")[2]
    assert turns == answer.text.partition("\n\n")[2]
    assert answer.headers["content-disposition"] == 'attachment; filename="arktia-7.match"'


async def test_imported_matches_are_marked(pages: OpenPages, store: Store) -> None:
    seats = (ForeignSeat("anna", 1), ForeignSeat("berta", 2))
    result = ForeignMatch("c-1", "packeis", seats, 1_790_000_000_000, 1_790_000_000_000, "line 2")
    recorded = foreign_match_of(played("packeis", 3), "b.match")
    import_matches(store.database, [result, recorded], "<club>.csv", "host")
    async with pages(store) as client:
        listed = await client.get("/matches?lang=en")
        assert listed.text.count('title="&lt;club&gt;.csv, there ') == 2
        for row in store.matches.find():
            page = await client.get(f"/matches/{row.match}?lang=en")
            assert (page.status_code, "Played elsewhere" in page.text) == (200, True)
            about = page.text.partition('id="about"')[2]
            assert ("/replay" in about, "Length" in about) == (len(row.seats) == 3,) * 2
            told = await client.get(f"/api/v1/matches/{row.match}")
            assert told.json()["imported"] == row.imported
            frames = await client.get(f"/api/v1/matches/{row.match}/frames")
            assert frames.status_code == (200 if len(row.seats) == 3 else 404)


async def test_a_match_in_play_has_a_page_and_no_replay(pages: OpenPages, store: Store) -> None:
    async with open_journal(store) as journal:
        await journal.begin(Attempt(played("icecult").setup, RatingSettings()))
    async with pages(store) as client:
        page = await client.get("/matches/icecult-7")
        replay = await client.get("/matches/icecult-7/replay")
    assert (page.status_code, '"in_play": true' in page.text) == (200, True)
    assert replay.status_code == 404


@pytest.mark.parametrize("path", ["/matches/none", "/matches/none/replay"])
async def test_unknown_match_has_no_page(pages: OpenPages, store: Store, path: str) -> None:
    async with pages(store) as client:
        assert (await client.get(path)).status_code == 404
    async with pages() as client:
        assert (await client.get(path)).status_code == 404


async def test_a_replay_that_many_ask_for_at_once_is_made_once(
    pages: OpenPages, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    show, made = ReplayCache.show, []
    answers: list[int] = []

    async def shown(replay_cache: ReplayCache, record: MatchRecord, *others: Any) -> bytes:
        made.append(record.setup.match)
        return await show(replay_cache, record, *others)

    monkeypatch.setattr(ReplayCache, "show", shown)
    await fill(store)
    async with pages(store) as client, trio.open_nursery() as nursery:

        async def ask() -> None:
            answers.append((await client.get("/api/v1/matches/packeis-7/frames")).status_code)

        for _ in range(4):
            nursery.start_soon(ask)
    assert (answers, made) == ([200] * 4, ["packeis-7"])


async def test_an_annulled_match_and_its_bots_say_so_with_the_hosts_reason(
    pages: OpenPages, store: Store
) -> None:
    setup = setup_of("ladder-1", "ann", "bob")
    async with open_journal(store) as journal:
        await journal.begin(Attempt(setup, RatingSettings()))
        await journal.finish(record_of(setup, [1, 2]))
    async with pages(store) as client:
        counted = (await client.get("/matches/ladder-1?lang=en")).text
        store.interventions.annul("ann", 0, "two <b>accounts</b>")
        match = (await client.get("/matches/ladder-1?lang=en")).text
        bot = (await client.get("/bots/ann?lang=en")).text
    assert "annulled" not in counted.partition('id="about"')[2].partition("</dl>")[0]
    assert "two &lt;b&gt;accounts&lt;/b&gt;" in match
    assert "two &lt;b&gt;accounts&lt;/b&gt;" in bot


async def test_why_a_match_was_broken_off_is_said_in_the_readers_language(
    pages: OpenPages, store: Store
) -> None:
    detail = Reason.of("server_closed_before_end")
    record = played("packeis", 2)
    async with open_journal(store) as journal:
        setup = await journal.begin(Attempt(record.setup, RatingSettings()))
        await journal.finish(
            msgspec.structs.replace(
                record,
                setup=setup,
                events=[],
                ranking=None,
                scores=None,
                reason="aborted",
                termination=None,
                detail=detail,
            )
        )
    async with pages(store) as client:
        texts = {
            language: (await client.get(f"/matches/{setup.match}?lang={language}")).text
            for language in LANGUAGES
        }
        told = (await client.get(f"/api/v1/matches/{setup.match}")).json()
    for language, text in texts.items():
        said, its_language = TEXTS[language].said(detail)
        assert (its_language, said in text) == (language, True)
    assert told["detail"] == "the server was closed before the match had ended"
    assert told["detail_cause"] == {"code": "server_closed_before_end"}


async def test_match_page_says_how_to_read_its_board(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        for language, words in (("en", "How to read this board"), ("de", "So liest man")):
            page = (await client.get(f"/matches/packeis-7?lang={language}")).text
            assert words in page
            paragraphs = page.partition('class="card howto"')[2].partition("</details>")[0]
            assert paragraphs.count("<p>") == 5


async def test_match_page_leads_to_its_meeting_and_round(pages: OpenPages, store: Store) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    await played_cup(cup, store, first_name_wins)
    async with pages(store) as client:
        page = (await client.get("/matches/cup-1?lang=en")).text
    around = page.partition('id="around"')[2].partition("</nav>")[0]
    assert "match 1 of 2, 2 : 0" in around
    meeting = store.tournaments.meeting_of("cup-1")
    assert meeting is not None
    for match in (meeting.rows[1].match, meeting.after):
        assert f'rel="next" href="/matches/{match}"' in around


async def test_match_is_called_by_its_bots(pages: OpenPages, store: Store) -> None:
    await fill(store)
    async with pages(store) as client:
        names = " \N{EN DASH} ".join(f"<bdi>bot{seat}</bdi>" for seat in range(3))
        for path in ("/matches", "/matches/packeis-7", "/bots/bot0"):
            assert names in (await client.get(path)).text
