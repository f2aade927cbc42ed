"""The operator's pages: who gets in, and what is done there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import msgspec
import pytest
import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from tests.scripted.scripted_referee import record_of, setup_of
from trio.testing import MockClock

from polynya_common.reasons import Reason
from polynya_contest.config.tournament_checks import load_configuration
from polynya_contest.config.tournament_configuration import plan_of
from polynya_contest.ratings.model import RatingSettings
from polynya_server import hash_token
from polynya_server.records import RulesFailure
from polynya_store import Attempt, Store, open_journal
from polynya_store.tournaments.held_matches import FailedMatch
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.tournament.manager import (
    ManagerSettings,
    TournamentManager,
    open_tournament_manager,
)
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_web.http.operator_sessions import COOKIE, IDLE_S, LASTS_S, OperatorSessions
from polynya_web.http.wrong_tokens import ATTEMPTS, ATTEMPTS_PER_MINUTE, TokenAttempts
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

TOKEN = "the-operators-own-token"  # noqa: S105
PATIENCE_S = 60

CUP = """
name = "cup"
game = "packeis"
clock = { initial_ms = 600_000 }
start_ms = 60_000
cycles = 300
bots = [{ name = "ann", builtin = "random" }, { name = "bob", builtin = "random" }]
"""


class Operated:
    """Pages with an operator.

    Attributes:
        client: is connected to them, and keeps their cookies.
        ladder: the switch of the ladder.
        tournaments: the tournaments.
    """

    def __init__(self, client: httpx2.AsyncClient, control: OperatorControl) -> None:
        assert control.ladder is not None
        assert control.tournaments is not None
        self.client = client
        self.ladder: PauseSwitch = control.ladder
        self.tournaments: TournamentManager = control.tournaments

    async def log_in(self, token: str = TOKEN) -> httpx2.Response:
        return await self.client.post("/operator/login", data={"token": token})

    async def csrf(self) -> str:
        markup = (await self.client.get("/operator")).text
        found = re.search(r'name="csrf" value="([^"]+)"', markup)
        assert found is not None, markup
        return found[1]

    async def do(self, what: str, action: str, **fields: str) -> str:
        """What the page says after an action."""
        form = {"csrf": await self.csrf(), "action": action, **fields}
        answer = await self.client.post(f"/operator/{what}", data=form)
        assert answer.status_code == 303, answer.text
        return (await self.client.get(answer.headers["location"])).text


@asynccontextmanager
async def operated(
    store: Store, folder: Path | None = None, failures: Sequence[FailedMatch] = ()
) -> AsyncIterator[Operated]:
    settings = WebSettings(port=0)
    async with open_tournament_manager(ManagerSettings(folder), store) as tournaments:
        control = OperatorControl(
            hash_token(TOKEN), tournaments, PauseSwitch(), {"game": "packeis <b>"}, failures
        )
        async with (
            open_web(settings, PageSources(store, control=control)) as address,
            httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as client,
        ):
            yield Operated(client, control)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "some.sqlite", for_play=True) as opened:
        yield opened


async def test_without_control_there_are_no_such_pages(store: Store) -> None:
    async with (
        open_web(WebSettings(port=0), PageSources(store)) as address,
        httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as client,
    ):
        assert (await client.get("/operator")).status_code == 404
        assert (await client.post("/operator/login", data={"token": ""})).status_code == 404


async def test_the_token_opens_a_session_with_a_guarded_cookie(store: Store) -> None:
    async with operated(store) as operator:
        answer = await operator.log_in()
        page = await operator.client.get("/operator")
    assert (answer.status_code, answer.headers["location"]) == (303, "/operator")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/operator"))
    assert TOKEN not in cookie
    assert "Log out" in page.text
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("token", ["", "another", TOKEN + "x", TOKEN[:-1], "ü"])
async def test_no_other_token_does(store: Store, token: str) -> None:
    async with operated(store) as operator:
        answer = await operator.log_in(token)
        page = await operator.client.get("/operator")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert "Log out" not in page.text


async def test_guessing_is_slowed_down_but_the_right_token_always_opens(store: Store) -> None:
    async with operated(store) as operator:
        guesses = [(await operator.log_in(str(guess))).status_code for guess in range(ATTEMPTS + 2)]
        right = await operator.log_in()
    assert guesses == [403] * ATTEMPTS + [429] * 2
    assert right.status_code == 303


async def test_guessing_behind_a_proxy_is_slowed_down_by_client(store: Store) -> None:
    async with operated(store) as operator:

        async def guess(client: str) -> int:
            headers = {"x-forwarded-for": client}
            form = {"token": "wrong"}
            answer = await operator.client.post("/operator/login", data=form, headers=headers)
            return answer.status_code

        first = [await guess("192.0.2.1") for _ in range(ATTEMPTS + 1)]
        second = await guess("192.0.2.2")
    assert (first[-1], second) == (429, 403)


@pytest.mark.parametrize("path", ["/operator/bots", "/operator/ladder", "/operator/tournaments"])
async def test_nothing_is_done_without_a_session(store: Store, path: str) -> None:
    async with operated(store) as operator:
        answer = await operator.client.post(path, data={"action": "pause", "csrf": ""})
        assert answer.status_code == 401
        assert not operator.ladder.paused


@pytest.mark.parametrize("csrf", [None, "", "guessed", "ü"])
async def test_nothing_is_done_without_the_sessions_secret(store: Store, csrf: str | None) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        form = {"action": "pause"} | ({} if csrf is None else {"csrf": csrf})
        answer = await operator.client.post("/operator/ladder", data=form)
        assert answer.status_code == 403
        assert not operator.ladder.paused


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_a_form_of_another_site_does_nothing(store: Store, headers: dict[str, str]) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        form = {"action": "pause", "csrf": await operator.csrf()}
        answer = await operator.client.post("/operator/ladder", data=form, headers=headers)
        login = await operator.client.post(
            "/operator/login", data={"token": TOKEN}, headers=headers
        )
        assert (answer.status_code, login.status_code) == (403, 403)
        assert not operator.ladder.paused


async def test_logout_ends_the_session(store: Store) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        cookie = operator.client.cookies[COOKIE]
        csrf = await operator.csrf()
        await operator.client.post("/operator/logout", data={"csrf": csrf})
        page = await operator.client.get("/operator", headers={"cookie": f"{COOKIE}={cookie}"})
    assert "Log out" not in page.text


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/plain"}, b"token=x", 400),
        ({"content-type": "application/x-www-form-urlencoded"}, b"token=\xff", 400),
        ({"content-type": "application/x-www-form-urlencoded"}, b"a=1&" * 100, 400),
        ({"content-type": "application/x-www-form-urlencoded"}, b"a" * 20_000, 413),
    ],
)
async def test_forms_that_are_none_are_refused(
    store: Store, headers: dict[str, str], body: bytes, status: int
) -> None:
    async with operated(store) as operator:
        answer = await operator.client.post("/operator/login", content=body, headers=headers)
    assert answer.status_code == status


async def test_a_new_bots_token_is_shown_once(store: Store) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        markup = await operator.do("bots", "add", name="ann")
        again = (await operator.client.get("/operator/bots")).text
    found = re.search(r'<code class="token">([^<]+)</code>', markup)
    assert found is not None
    assert store.bots.token_hash("ann") == hash_token(found[1])
    assert found[1] not in again


async def test_a_bot_is_rotated_revoked_suspended_and_put_back(store: Store) -> None:
    store.bots.set_token("ann", b"1" * 32)
    async with operated(store) as operator:
        await operator.log_in()
        await operator.do("bots", "rotate", name="ann")
        rotated = store.bots.token_hash("ann")
        await operator.do("bots", "suspend", name="ann", why="it <i>floods</i> its log")
        suspended = store.bots.get("ann").suspension
        shown = (await operator.client.get("/operator/bots")).text
        await operator.do("bots", "resume", name="ann")
        resumed = store.bots.get("ann").suspension
        await operator.do("bots", "revoke", name="ann")
    assert rotated not in (None, b"1" * 32)
    assert (suspended, resumed) == ("it <i>floods</i> its log", None)
    assert "it &lt;i&gt;floods&lt;/i&gt; its log" in shown
    assert store.bots.get("ann").revoked


async def play_ladder_match(store: Store, name: str) -> None:
    """A rated match of the ladder, which ann wins against bob."""
    setup = setup_of(name, "ann", "bob")
    async with open_journal(store) as journal:
        await journal.begin(Attempt(setup, RatingSettings()))
        await journal.finish(record_of(setup, [1, 2]))


async def test_annulment_is_previewed_and_done_after_confirmation(store: Store) -> None:
    await play_ladder_match(store, "ladder-1")
    await play_ladder_match(store, "ladder-2")
    rated = store.ratings.find()
    async with operated(store) as operator:
        await operator.log_in()
        query = {"name": "ann", "since": "1970-01-01T00:00"}
        preview = (await operator.client.get("/operator/bots/annul", params=query)).text
        untouched = store.ratings.find()
        done = await operator.do("bots", "annul", why="two <b>accounts</b>", **query)
        again = (await operator.client.get("/operator/bots/annul", params=query)).text
        shown = (await operator.client.get("/bots/ann")).text
    assert "2 ladder matches that ended since 1970-01-01 00:00 (UTC) count." in preview
    assert ">Annul 2 matches</button>" in preview
    assert (untouched, store.ratings.find()) == (rated, [])
    assert "2 matches of ann are annulled; all ratings are computed again." in done
    assert "0 ladder matches" in again
    assert 'value="annul"' not in again
    assert "two &lt;b&gt;accounts&lt;/b&gt;" in shown
    (entry,) = store.interventions.all("ann")
    assert (entry.action, str(entry.who), entry.why, entry.matches, entry.since_ms) == (
        "annul",
        "the operator",
        "two <b>accounts</b>",
        2,
        0,
    )


async def test_matches_before_the_time_are_not_annulled(store: Store) -> None:
    await play_ladder_match(store, "ladder-1")
    async with operated(store) as operator:
        await operator.log_in()
        done = await operator.do("bots", "annul", name="ann", since="2026-11-25T18:00", why="")
    assert "0 matches of ann are annulled" in done
    assert store.interventions.all() == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"name": "ann", "since": "yesterday"}, "since: &#39;yesterday&#39; is no time"),
        ({"name": "ann"}, "since: &#39;&#39; is no time"),
        ({"name": "nobody", "since": "2026-11-25"}, "holds no bot nobody"),
        ({"since": "2026-11-25"}, "holds no bot"),
    ],
)
async def test_impossible_annulment_is_a_sentence(
    store: Store, query: dict[str, str], said: str
) -> None:
    store.bots.set_token("ann", b"1" * 32)
    async with operated(store) as operator:
        await operator.log_in()
        preview = await operator.client.get(
            "/operator/bots/annul", params=query, follow_redirects=True
        )
        assert said in preview.text
        assert said in await operator.do("bots", "annul", **query)


async def test_annulment_needs_a_session(store: Store) -> None:
    store.bots.set_token("ann", b"1" * 32)
    async with operated(store) as operator:
        answer = await operator.client.get(
            "/operator/bots/annul", params={"name": "ann", "since": "2026-11-25"}
        )
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("action", "name", "said"),
    [
        ("add", "two words", "a name is 1 to 32 of"),
        ("add", "known", "known has a token; rotate it"),
        ("rotate", "nobody", "holds no bot nobody"),
        ("rotate", "tokenless", "has no token yet"),
        ("rotate", "expelled", "the token of expelled was revoked; add it to let it in again"),
        ("revoke", "<script>", "holds no bot &lt;script&gt;"),
    ],
)
async def test_impossible_action_is_a_sentence(
    store: Store, action: str, name: str, said: str
) -> None:
    store.bots.set_token("known", b"1" * 32)
    store.bots.set_token("expelled", b"2" * 32)
    store.bots.revoke("expelled")
    with store.database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO bots (name, created_ms) VALUES ('tokenless', 1)")
    async with operated(store) as operator:
        await operator.log_in()
        assert said in await operator.do("bots", action, name=name)


async def test_the_ladder_is_paused_and_goes_on(store: Store) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        paused = await operator.do("ladder", "pause")
        was_paused = operator.ladder.paused
        await operator.do("ladder", "resume")
        assert was_paused
        assert not operator.ladder.paused
    assert "The ladder is paused." in paused


async def test_a_tournament_is_started_paused_and_stopped(store: Store, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    async with operated(store, tmp_path) as operator:
        await operator.log_in()
        assert "cup is started." in await operator.do("tournaments", "start", file="cup.toml")
        await operator.do("tournaments", "pause", name="cup")
        running = operator.tournaments.running["cup"]
        assert running.switch.paused
        await operator.do("tournaments", "resume", name="cup")
        assert not running.switch.paused
        await operator.do("tournaments", "stop", name="cup")
        with trio.fail_after(PATIENCE_S):
            await running.over.wait()
        ended = (await operator.client.get("/operator")).text
    assert "ended before all matches had a result" in ended


async def test_match_whose_rules_failed_is_shown_with_its_question_as_text(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    cup = load_configuration(tmp_path / "cup.toml")
    question = '{"ask": "apply", "step": ["<script>"]}'
    async with open_journal(store) as journal:
        number = await journal.plan(plan_of(cup))
        row, *_ = await journal.open_pairings(number)
        setup = await journal.begin(
            Attempt(setup_of("cup-1", *row.pairing.players), RatingSettings(), row.id)
        )
        failed = record_of(setup, None, reason="annulled", server_fault=True)
        why = Reason.of("rules_failed", turn=7, why="Nim: <b>it ended</b>")
        await journal.finish(
            msgspec.structs.replace(failed, detail=why, rules_failure=RulesFailure((1,), question))
        )
    async with operated(store, tmp_path) as operator:
        await operator.log_in()
        page = (await operator.client.get("/operator")).text
        public = (await operator.client.get("/tournaments/cup")).text
        schedule = (await operator.client.get("/tournaments/cup/schedule")).text
        told = (await operator.client.get("/api/v1/tournaments/cup")).text
        await operator.do("tournaments", "play_held", file="cup.toml")
        with trio.fail_after(PATIENCE_S):
            while store.tournaments.held("cup").matches:
                await trio.sleep(0.01)
    assert "&lt;script&gt;" in page
    assert f'<td class="named">{row.pairing.players[1]}</td>' in page
    assert "Play what waits, too" in page
    for text in (page, public, schedule):
        assert "<b>it ended" not in text
    assert "waits for the host" in schedule
    for text in (public, schedule, told):
        assert "script&" not in text
        assert "rules_failed" in told


async def test_ladder_match_whose_rules_failed_is_shown_with_its_question_as_text(
    store: Store,
) -> None:
    why = Reason.of("rules_failed", turn=7, why="it ended")
    match = FailedMatch("ladder-7", None, ("ann", "bob"), why, ("bob",), "<script>")
    async with operated(store, failures=[match]) as operator:
        await operator.log_in()
        page = (await operator.client.get("/operator")).text
    assert '<td class="named">bob</td>' in page
    assert '<td class="mono named">&lt;script&gt;</td>' in page


async def test_a_complete_tournament_is_not_offered(store: Store, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP.replace("cycles = 300", "cycles = 1"))
    async with operated(store, tmp_path) as operator:
        await operator.log_in()
        assert ">Start</button>" in (await operator.client.get("/operator")).text
        await operator.do("tournaments", "start", file="cup.toml")
        with trio.fail_after(PATIENCE_S):
            while (running := operator.tournaments.running.get("cup")) is not None:
                await running.over.wait()
        shown = (await operator.client.get("/operator")).text
        refused = await operator.do("tournaments", "start", file="cup.toml")
    assert '<span class="tag good">complete</span>' in shown
    assert 'value="start"' not in shown
    assert "<h3>Over</h3>" in shown
    assert "To be started" not in shown
    assert "cup is complete, all of its matches have been played: to play it once more" in refused


async def test_only_the_folders_files_are_started(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "descriptions"
    folder.mkdir()
    (tmp_path / "cup.toml").write_text(CUP)
    async with operated(store, folder) as operator:
        await operator.log_in()
        said = await operator.do("tournaments", "start", file="../cup.toml")
        assert "there is no description ../cup.toml in the folder" in said
        assert operator.tournaments.running == {}


async def test_settings_are_shown_as_text(store: Store) -> None:
    async with operated(store) as operator:
        await operator.log_in()
        assert "packeis &lt;b&gt;" in (await operator.client.get("/operator")).text


def request_of(cookie: str = "", scheme: str = "http", address: str = "192.0.2.1") -> Request:
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode())]
    scope = {"type": "http", "headers": headers, "scheme": scheme, "client": (address, 1)}
    return Request({**scope, "path": "/", "query_string": b"", "server": ("host", 80)})


def opened(sessions: OperatorSessions, scheme: str = "http") -> tuple[str, str]:
    """The value of a new session's cookie, and the whole header."""
    response = Response()
    sessions.open(request_of(scheme=scheme), response)
    header = response.headers["set-cookie"]
    return header.partition("=")[2].partition(";")[0], header


async def test_unused_session_ends(mock_clock: MockClock) -> None:
    sessions = OperatorSessions()
    value, _ = opened(sessions)
    mock_clock.jump(IDLE_S - 1)
    assert sessions.of(request_of(value)) is not None
    mock_clock.jump(IDLE_S)
    assert sessions.of(request_of(value)) is None


async def test_a_session_ends_however_much_it_is_used(mock_clock: MockClock) -> None:
    sessions = OperatorSessions()
    value, _ = opened(sessions)
    for _ in range(LASTS_S // (IDLE_S // 2) - 1):
        mock_clock.jump(IDLE_S // 2)
        assert sessions.of(request_of(value)) is not None
    mock_clock.jump(IDLE_S // 2)
    assert sessions.of(request_of(value)) is None


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
async def test_over_tls_the_cookie_never_leaves_it(scheme: str, secure: bool) -> None:
    _, header = opened(OperatorSessions(), scheme)
    assert ("; Secure" in header) == secure


async def test_behind_a_proxy_that_speaks_tls_no_cookie_leaves_it(store: Store) -> None:
    proxied = {"x-forwarded-proto": "https"}
    async with operated(store) as operator:
        login = await operator.client.post(
            "/operator/login", data={"token": TOKEN}, headers=proxied
        )
        language = await operator.client.get("/?lang=de", headers=proxied)
    assert "; Secure" in login.headers["set-cookie"]
    assert "; Secure" in language.headers["set-cookie"]


async def test_an_address_may_try_again_after_a_while(mock_clock: MockClock) -> None:
    attempts = TokenAttempts()
    for _ in range(ATTEMPTS):
        attempts.failed(request_of())
    with pytest.raises(HTTPException) as refused:
        attempts.failed(request_of())
    assert refused.value.status_code == 429
    attempts.failed(request_of(address="192.0.2.2"))
    mock_clock.jump(60 / ATTEMPTS_PER_MINUTE)
    attempts.failed(request_of())
