"""Matches, ladders, tournaments and bots as pages, over a real socket."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest
import trio
from benchmarks.crowd import Crowd, fill
from tests.web.conftest import PATIENCE_S, OpenPages
from tests.web.records import fill as fill_records

from polynya_common.process_report import ProcessReport
from polynya_hosting.bot_logs import log_path
from polynya_server import hash_token
from polynya_store import LadderRow, MatchFilter, Pool, Store
from polynya_store.matches.match_repository import note_reports
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_web.content.ladder_orders import ladder_estimates
from polynya_web.http.parameters import named

PACKEIS = Pool("packeis", 2, "elo", "bullet")
TOKEN = "bot-0001-and-nobody-else"  # noqa: S105


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A long season on a small scale."""
    path = tmp_path_factory.mktemp("season") / "season.sqlite"
    fill(path, Crowd(bots=60, matches=2_000, tournaments=2))
    with Store.open(path, for_play=True) as store:
        store.bots.set_token("bot-0001", hash_token(TOKEN))
        yield store


def links(markup: str, path: str) -> list[str]:
    """What the links below a path lead to, in the order of the page, each once."""
    found = re.findall(rf'href="{path}([^"/#?]+)"', markup)
    return list(dict.fromkeys(unescape(name) for name in found))


async def page(client: httpx2.AsyncClient, path: str) -> str:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def linked(markup: str, rel: str) -> str:
    """Where the link to the next or to the previous page leads."""
    found = re.search(rf'rel="{rel}" href="([^"]+)"', markup)
    assert found is not None
    return unescape(found[1])


async def test_matches_are_paged_forward_and_back(pages: OpenPages, season: Store) -> None:
    rows = [row.match for row in season.matches.page(MatchFilter(), size=150).rows]
    async with pages(season) as client:
        first = await page(client, "/matches")
        second = await page(client, linked(first, "next"))
        again = await page(client, linked(second, "prev"))
    assert links(first, "/matches/") == rows[:50]
    assert links(second, "/matches/") == rows[50:100]
    assert links(again, "/matches/") == rows[:50]


async def test_matches_of_two_bots(pages: OpenPages, season: Store) -> None:
    wanted = MatchFilter(bot="bot-0002", opponent="bot-0003")
    expected = [row.match for row in season.matches.page(wanted).rows]
    async with pages(season) as client:
        markup = await page(client, "/matches?bot=bot-0002&opponent=bot-0003")
    assert expected
    assert links(markup, "/matches/") == expected


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/matches?older=nowhere", 404),
        ("/matches?tournament=pot", 404),
        ("/matches?bot=" + "x" * 300, 400),
        ("/ladder/packeis/2?after=nobody", 404),
        ("/ladder/packeis/2?state=tall", 400),
        ("/bots?state=tall", 400),
        ("/tournaments/cup-1/schedule?page=0", 400),
        ("/tournaments/cup-1/schedule?page=²", 400),
        ("/ladder/packeis/2?system=guess", 400),
        ("/ladder/packeis/2?clock_class=slow", 400),
        ("/ladder/packeis/9", 404),
        ("/tournaments/pot", 404),
        ("/tournaments/pot/schedule", 404),
        ("/tournaments/cup-1/crosstable?bot=nobody", 404),
        ("/bots/nobody", 404),
        ("/bots/bot-0001?game=packeis&players=7", 400),
    ],
)
async def test_missing_things_are_not_found(
    pages: OpenPages, season: Store, path: str, status: int
) -> None:
    async with pages(season) as client:
        assert (await client.get(path)).status_code == status


def in_order(season: Store) -> Sequence[LadderRow]:
    """The ladder's lines, as its page has them."""
    return season.ladder.page(PACKEIS, ladder_estimates(season, PACKEIS), size=60).rows


async def test_a_ladder_has_its_bots_in_their_order(pages: OpenPages, season: Store) -> None:
    rows = [
        row.bot
        for row in season.ladder.page(PACKEIS, ladder_estimates(season, PACKEIS), size=60).rows
    ]
    async with pages(season) as client:
        first = await page(client, "/ladder/packeis/2")
        second = await page(client, linked(first, "next"))
    assert links(first, "/bots/") == rows[:50]
    assert links(second, "/bots/") == rows[50:]


async def test_ladder_is_paged_there_and_back(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        first = await page(client, "/ladder/packeis/2")
        second = await page(client, linked(first, "next"))
        again = await page(client, linked(second, "prev"))
    assert links(again, "/bots/") == links(first, "/bots/")
    assert 'rel="prev"' not in again


async def test_bots_of_a_ladder_are_found_by_name_with_their_rank(
    pages: OpenPages, season: Store
) -> None:
    rows = {
        row.bot: row.rank
        for row in season.ladder.page(PACKEIS, ladder_estimates(season, PACKEIS), size=60).rows
    }
    found = season.ladder.search(PACKEIS, ladder_estimates(season, PACKEIS), name="BOT-001")
    wanted = [name for name in rows if "bot-001" in name]
    async with pages(season) as client:
        markup = await page(client, "/ladder/packeis/2?name=BOT-001")
        none = await page(client, "/ladder/packeis/2?name=%25")
    assert [(row.bot, row.rank) for row in found.rows] == [(name, rows[name]) for name in wanted]
    assert (links(markup, "/bots/"), found.bots) == (wanted, len(wanted))
    assert links(none, "/bots/") == []  # it is no pattern


async def test_bots_are_found_by_name_and_state_page_by_page(
    pages: OpenPages, season: Store
) -> None:
    names = [row.name for row in season.bots.all()]
    first = season.bots.page(size=2)
    second = season.bots.page(size=2, after=first.after)
    back = season.bots.page(size=2, before=second.before)
    async with pages(season) as client:
        listed = await page(client, "/bots?name=bot-000")
        none = await page(client, "/bots?state=suspended")
    assert ([row.name for row in first.rows], first.total) == (names[:2], len(names))
    assert [row.name for row in second.rows] == names[2:4]
    assert (back.rows, back.before, back.after) == (first.rows, None, first.after)
    assert links(listed, "/bots/") == [name for name in names if "bot-000" in name]
    assert links(none, "/bots/") == []


async def test_a_ladders_chart_is_there_as_data_and_as_a_table(
    pages: OpenPages, season: Store
) -> None:
    best = in_order(season)[0]
    last = season.profiles.rating_history(best.bot, PACKEIS)[-1]
    async with pages(season) as client:
        markup = await page(client, "/ladder/packeis/2")
    assert f'"name": "{best.bot}"' in markup
    assert f'<td class="number">{last.number}</td>' in markup


async def test_the_first_page_shows_where_everything_is(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        markup = await page(client, "/")
    assert links(markup, "/tournaments/") == ["cup-2", "cup-1"]
    assert links(markup, "/ladder/") == []
    assert 'href="/ladder/arktia/3?clock_class=bullet' in markup
    assert len(links(markup, "/matches/")) == 6


async def test_all_pages_of_a_tournament_answer(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        listed = await page(client, "/tournaments")
        table = await page(client, "/tournaments/cup-1")
        crosstable = await page(client, "/tournaments/cup-1/crosstable?bot=bot-0002")
        schedule = await page(client, "/tournaments/cup-1/schedule?page=2")
        progress = (await client.get("/tournaments/cup-1/progress")).json()
    rows = season.tournaments.standings("cup-1").rows
    assert links(listed, "/tournaments/") == ["cup-2", "cup-1"]
    assert list(dict.fromkeys(links(table, "/bots/")))[: len(rows)] == [row.name for row in rows]
    assert "bot-0002" in crosstable
    assert links(schedule, "/matches/") == [f"cup-1-{number}" for number in range(51, 101)]
    assert (progress["played"], progress["in_play"]) == (200, 0)


async def test_a_table_is_made_again_when_a_result_has_come(
    pages: OpenPages, tmp_path: Path
) -> None:
    fill(tmp_path / "small.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "small.sqlite", for_play=True) as store:
        async with pages(store) as client:
            before = await page(client, "/tournaments/cup-1")
            with store.database.writing() as connection:
                connection.exec_driver_sql("UPDATE matches SET reason = NULL WHERE id = 1")
                connection.exec_driver_sql("UPDATE pairings SET state = 'open' WHERE id = 1")
            after = await page(client, "/tournaments/cup-1/schedule")
            with trio.fail_after(PATIENCE_S):
                while '"9/12"' not in after:  # a kept table may be shown for a moment
                    after = await page(client, "/tournaments/cup-1/schedule")
    assert 'data-shown="10/12"' in before
    assert "in play" in after


LATER_MS, EARLIER_MS = 4_000_000_000_000, 1_000


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Store]:
    """A tournament of ten matches, and nothing else of these four bots."""
    fill(tmp_path / "small.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "small.sqlite", for_play=True) as store:
        yield store


async def test_results_are_hidden_until_their_time(pages: OpenPages, small: Store) -> None:
    small.tournaments.hide_results("cup-1", LATER_MS)
    async with pages(small) as client:
        table = await page(client, "/tournaments/cup-1")
        refused = [
            (await client.get(f"/tournaments/cup-1/{part}")).status_code
            for part in ("crosstable", "rounds")
        ]
        lists = [
            await page(client, path)
            for path in ("/tournaments/cup-1/schedule", "/matches?tournament=cup-1")
        ]
        replay = (await client.get("/matches/cup-1-1/replay")).status_code
        frames = (await client.get("/api/v1/matches/cup-1-1/frames")).status_code
        match = (await client.get("/api/v1/matches/cup-1-1")).text
    assert "The results are hidden until" in table
    assert "Crosstable" not in table
    assert refused == [403, 403]
    assert [markup.count('class="score"') for markup in lists] == [0, 0]
    assert [markup.count('class="rank"') for markup in lists] == [0, 0]
    assert [links(markup, "/matches/") for markup in lists] == [
        [f"cup-1-{number}" for number in order] for order in (range(1, 11), range(10, 0, -1))
    ]
    assert (replay, frames) == (403, 404)
    assert '"rank":1' not in match


async def test_terms_are_shown_while_results_are_hidden(pages: OpenPages, small: Store) -> None:
    small.tournaments.set_closes("cup-1", EARLIER_MS)
    small.tournaments.hide_results("cup-1", LATER_MS)
    async with pages(small) as client:
        told = (await client.get("/api/v1/tournaments/cup-1")).json()
        table = await page(client, "/tournaments/cup-1")
    assert (told["hidden"], told["rows"], told["rounds"]) == (True, [], [])
    assert (told["closes_ms"], told["results_from_ms"]) == (EARLIER_MS, LATER_MS)
    assert (told["format"], told["clock"]["initial_ms"]) == ("round_robin", 60_000)
    assert told["begun"]
    assert "Clock: 60 s for the match, + 0.5 s a turn" in table
    assert "Submissions close:" in table
    assert "Results are shown from:" in table


async def test_results_are_shown_from_their_time_on(pages: OpenPages, small: Store) -> None:
    small.tournaments.hide_results("cup-1", LATER_MS)
    async with pages(small) as client:
        await page(client, "/tournaments/cup-1")
        small.tournaments.hide_results("cup-1", EARLIER_MS)
        table = await page(client, "/tournaments/cup-1")
        with trio.fail_after(PATIENCE_S):
            while "hidden until" in table:  # a kept table may be shown for a moment
                table = await page(client, "/tournaments/cup-1")
        schedule = await page(client, "/tournaments/cup-1/schedule")
    assert "Crosstable" in table
    assert schedule.count('class="score"') == 20


def test_hidden_results_are_no_part_of_a_bots_figures(small: Store) -> None:
    def figures(bot: str) -> tuple[int, int]:
        matches = sum(one.matches for one in small.profiles.opponents(bot, PACKEIS))
        return matches, len(small.profiles.rating_history(bot, PACKEIS))

    before = figures("bot-0001")
    of_cup = len(small.matches.page(MatchFilter(bot="bot-0001", tournament="cup-1")).rows)
    small.tournaments.hide_results("cup-1", LATER_MS)
    assert of_cup > 0
    assert figures("bot-0001") == (before[0] - of_cup, before[1] - of_cup)


async def test_page_of_a_bot_shows_its_standing(pages: OpenPages, season: Store) -> None:
    estimates = ladder_estimates(season, PACKEIS)
    places = season.profiles.places("bot-0005", {PACKEIS: estimates})
    [place] = [one for one in places if one.pool == PACKEIS]
    async with pages(season) as client:
        markup = await page(client, "/bots/bot-0005?game=packeis")
    assert place.estimate == estimates["bot-0005"]
    assert f"<strong>{place.estimate.value:.0f}</strong>" in markup
    assert f'<td class="number">{place.rating:.0f}</td>' in markup
    opponents = [one.name for one in season.profiles.opponents("bot-0005", PACKEIS)]
    assert set(opponents) <= set(links(markup, "/bots/"))


async def test_bots_are_found_by_a_part_of_their_name(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        markup = await page(client, "/bots?name=T-003")
    assert links(markup, "/bots/") == [f"bot-003{digit}" for digit in range(10)]


def test_the_log_that_was_written_last_is_the_one_that_is_shown(tmp_path: Path) -> None:
    folders = [tmp_path / "beside", tmp_path / "set", tmp_path / "gone"]
    for written_s, folder in enumerate(folders[:2]):
        folder.mkdir()
        (folder / "ann.log").touch()
        os.utime(folder / "ann.log", (written_s, written_s))
    assert log_path(folders, "ann") == tmp_path / "set" / "ann.log"
    assert log_path(folders, "../set/ann") is None


def test_logs_of_bots_with_similar_names_are_kept_apart(tmp_path: Path) -> None:
    for name in ("Ann~1.log", "ann.log", "other.log"):
        (tmp_path / name).touch()
    assert log_path([tmp_path], "Ann") == tmp_path / "Ann~1.log"
    assert log_path([tmp_path], "ann") == tmp_path / "ann.log"
    assert log_path([tmp_path], "ANN") is None


@pytest.mark.parametrize("name", [".", "..", "-x", "--help", "a.", "CON", "ann", "Ann"])
async def test_link_leads_to_a_bot_of_any_name(name: str, pages: OpenPages, small: Store) -> None:
    small.bots.set_token(name, bytes(32))
    async with pages(small) as client:
        markup = await page(client, f"/bots?name={name}")
        paths = dict.fromkeys(re.findall(r'href="/bots/([^"/#?]+)"', markup))
        [part] = [part for part in paths if named(part) == name]
        where = urlsplit(urljoin("http://localhost/bots", f"/bots/{part}"))  # as a browser does
        assert f"<h1><bdi>{name}</bdi>" in await page(client, where.path)


async def test_only_its_token_opens_the_inside_of_a_bot(pages: OpenPages, season: Store) -> None:
    logs = Path(f"{str(season.address).removesuffix('.sqlite')}-logs")
    logs.mkdir(exist_ok=True)
    (logs / "bot-0001.log").write_bytes(b"old\n" * 40_000 + b"\x1b[31mred</pre><b>\xff\n")
    async with pages(season) as client:
        closed = await page(client, "/bots/bot-0001")
        wrong = await client.post("/bots/bot-0001", data={"token": "another"})
        other = await client.post("/bots/bot-0002", data={"token": TOKEN})
        # Its forfeits need replays, which this season has none of.
        with season.database.writing() as connection:
            connection.exec_driver_sql("UPDATE seats SET forfeit = NULL WHERE bot_id = 1")
        opened = await client.post("/bots/bot-0001", data={"token": TOKEN})
    assert "[31mred" not in closed
    assert (wrong.status_code, other.status_code, opened.status_code) == (403, 403, 200)
    assert "?[31mred&lt;/pre&gt;&lt;b&gt;" in opened.text
    assert opened.text.count("old\n") == 199
    assert opened.headers["cache-control"] == "no-store"


DIED = ProcessReport(
    cpu_ms=[(1, 20), (3, 40)],
    peak_bytes=64 * 2**20,
    ended="was ended by signal 9 in turn 3 of cup-1-1: 64 MiB of memory used up",
    code=-9,
    last_received="the move of turn 1, 2.0 s before its end",
    last_lines=["<b>thinking"],
)


async def test_how_its_process_ended_is_shown_to_owner_and_operator_alone(
    pages: OpenPages, season: Store
) -> None:
    match = season.matches.page(MatchFilter(bot="bot-0001"), size=1).rows[0]
    seat = [one.name for one in match.seats].index("bot-0001")
    with season.database.writing() as connection:
        note_reports(
            connection,
            [(match.match, {seat: DIED, (seat + 1) % len(match.seats): ProcessReport()})],
        )
        connection.exec_driver_sql("UPDATE seats SET forfeit = NULL WHERE bot_id = 1")
    path = f"/api/v1/matches/{match.match}/processes"
    control = OperatorControl(hash_token("the operator's"))
    async with pages(season, control=control) as client:

        async def asked(token: str | None) -> httpx2.Response:
            headers = {} if token is None else {"authorization": f"Bearer {token}"}
            return await client.get(path, headers=headers)

        closed = await page(client, "/bots/bot-0001")
        opened = await client.post("/bots/bot-0001", data={"token": TOKEN})
        refused = [await asked(None), await asked("another")]
        own, all_ = await asked(TOKEN), await asked("the operator's")
        public = await client.get(f"/api/v1/matches/{match.match}")
    words = "64 MiB of memory used up"
    assert words not in closed + public.text
    for shown in (words, "30 ms", "40 ms", "64 MiB", "2.0 s before its end", "&lt;b&gt;thinking"):
        assert shown in opened.text
    bots = " \N{EN DASH} ".join(f"<bdi>{one.name}</bdi>" for one in match.seats)
    assert f'<a href="/matches/{match.match}">{bots}</a>' in opened.text
    assert f'<span class="muted small">{match.match}</span>' in opened.text
    assert [answer.status_code for answer in refused] == [401, 403]
    [mine] = own.json()
    assert (mine["bot"], mine["seat"], mine["code"]) == ("bot-0001", seat, -9)
    assert mine["turns"] == [{"turn": 1, "cpu_ms": 20}, {"turn": 3, "cpu_ms": 40}]
    assert len(all_.json()) == 2


async def test_guessing_tokens_is_slowed_down(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        statuses = [
            (await client.post("/bots/bot-0001", data={"token": str(guess)})).status_code
            for guess in range(6)
        ]
        answer = await client.post("/bots/bot-0001", data={"token": "another"})
        with season.database.writing() as connection:  # its forfeits have no replays here
            connection.exec_driver_sql("UPDATE seats SET forfeit = NULL WHERE bot_id = 1")
        right = await client.post("/bots/bot-0001", data={"token": TOKEN})
    assert [*statuses, answer.status_code] == [403] * 5 + [429] * 2
    assert int(answer.headers["retry-after"]) > 0
    assert right.status_code == 200


PATHS = [
    "/",
    "/live",
    "/matches",
    "/ladder",
    "/ladder/packeis/2",
    "/ladder/icecult/4",
    "/tournaments",
    "/tournaments/cup-1",
    "/tournaments/cup-1/crosstable",
    "/tournaments/cup-1/schedule",
    "/bots",
    "/bots/bot-0001",
]


@pytest.mark.parametrize("language", ["en", "de"])
async def test_every_page_is_there_in_every_language(
    pages: OpenPages, season: Store, language: str
) -> None:
    async with pages(season) as client:
        for path in PATHS:
            markup = await page(client, f"{path}?lang={language}")
            assert f'<html lang="{language}"' in markup, path
            assert "style=" not in markup, path


@pytest.mark.parametrize("path", ["/", "/live"])
async def test_without_a_database_the_first_pages_answer(pages: OpenPages, path: str) -> None:
    async with pages() as client:
        assert (await client.get(path)).status_code == 200


async def test_schedule_calls_matches_by_their_bots(pages: OpenPages, season: Store) -> None:
    row = season.tournaments.schedule_page("cup-1", size=1)[0]
    async with pages(season) as client:
        schedule = await page(client, "/tournaments/cup-1/schedule")
    bots = " \N{EN DASH} ".join(f"<bdi>{seat.name}</bdi>" for seat in row.seats)
    assert f'<a href="/matches/{row.match}">{bots}</a>' in schedule
    assert f'<span class="muted small">{row.match}</span>' in schedule


async def test_list_of_matches_names_the_winner_and_the_unit_of_scores(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await fill_records(store)
        async with pages(store) as client:
            listed = await page(client, "/matches?game=packeis&lang=en")
    told = re.findall(r'<span class="(?:rank|score)">([^<]*)', listed)
    assert {word for word in told if word[0].isalpha()} == {"won", "rank 2", "rank 3"}
    assert [word.partition(" ")[2] for word in told if word[0].isdigit()] == ["fish"] * 3


async def test_columns_without_an_entry_are_left_out(pages: OpenPages, tmp_path: Path) -> None:
    fill(tmp_path / "small.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "small.sqlite", for_play=True) as store:
        async with pages(store) as client:
            with_forfeits = await page(client, "/ladder/packeis/2?lang=en")
            with store.database.writing() as connection:
                connection.exec_driver_sql("UPDATE seats SET forfeit = NULL")
                connection.exec_driver_sql("UPDATE ratings SET version = ''")
            without = await page(client, "/ladder/packeis/2?lang=en")
            bot = await page(client, "/bots/bot-0001?lang=en")
    assert (">Forfeits</th>" in with_forfeits, ">Forfeits</th>" in without) == (True, False)
    ratings = bot.partition('aria-label="Ratings"')[2].partition("</table>")[0]
    assert ">Matches</th>" in ratings
    assert ">Version</th>" not in ratings


async def test_missing_page_says_so_once(pages: OpenPages, season: Store) -> None:
    async with pages(season) as client:
        missing = (await client.get("/no-such-page?lang=en")).text
        unknown = (await client.get("/bots/nobody?lang=en")).text
    assert "Not Found" not in missing
    assert "nobody" in unknown.partition("<main")[2].partition("</main>")[0]
