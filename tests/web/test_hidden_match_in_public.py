"""While a match with hidden cards runs, no public way shows the cards, the deal or a remark.

A real process with a website plays Kuhn poker. It is killed in the middle of a first attempt and
started again; in the second attempt a crawler asks for all that strangers may ask for, also of the
pages of another process over the same database.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import pytest
import sqlalchemy as sa
from tests.games.example_games import example_games, example_games_of_processes
from tests.scripted import RawClient, connected, token
from tests.scripted.game_host import together
from tests.served import Serving, free_ports
from tests.web.crawler import Website
from tests.web.test_commands import started

from polynya_contest.secret import Secret
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store, schema

__all__ = ["example_games", "example_games_of_processes"]

pytestmark = pytest.mark.usefixtures("example_games_of_processes")

NAMES = ("ann", "bob")
REMARK = "a remark that is not for others"
CARDS = re.compile(r'"cards\\?":\s*\[\s*(?:null,\s*)?[123]|\[[JQK]\]')
PORT, WEB, METRICS = "PORT", "WEB", "METRICS"
LADDER = (
    *("serve", "--game", "kuhn", "--option", "hands=4", "--move", "600000", "--pace-ms", "0"),
    *(
        "--heartbeat-ms",
        "600000",
        "--port",
        PORT,
        "--web-port",
        WEB,
        "--metrics-port",
        METRICS,
        "--database",
    ),
)
WAYS = (
    *("/matches/{}", "/matches/{}/replay", "/matches/{}/text", "/matches/{}/html"),
    *("/embed/matches/{}", "/pictures/en/matches/{}.png", "/pictures/de/matches/{}.png"),
    *("/play/{}", "/search?q={}"),
)
"""The addresses of a match, linked or not."""

LOGS = [f"/api/v1/bots/{name}/versions?log=true" for name in NAMES]
"""The addresses of the logs of uploaded programs."""

PAGES = "web pages on "
CUP = """
name = "cup"
game = "kuhn"
reveal = "tournament"
clock = {move_ms = 600000}
server = {heartbeat_ms = 600000}
options = {hands = 4}
[[bots]]
name = "ann"
external = true
[[bots]]
name = "bob"
external = true
"""


class Ports:
    """The ports of a server: for bots, for its pages, for its metrics."""

    def __init__(self) -> None:
        self.bots, self.web, self.metrics = free_ports(3)

    def put_into(self, words: Sequence[str]) -> list[str]:
        ports = {PORT: self.bots, WEB: self.web, METRICS: self.metrics}
        return [str(ports.get(word, word)) for word in words]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "polynya.sqlite"
    with Store.open(path, for_play=True) as store:
        for name in NAMES:
            store.bots.set_token(name, hash_token(token(name)))
    return path


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[Serving]:
    """A server that listens, and whose pages do."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            server = Serving(process)
            if not any(line.startswith(PAGES) for line in server.before):
                server.before += server.read_until(PAGES)
            yield server
        finally:
            process.kill()


async def connect(stack: AsyncExitStack, port: int) -> list[RawClient]:
    clients = []
    for name in NAMES:
        client = await stack.enter_async_context(connected("127.0.0.1", port))
        await client.hello(name=name, token=token(name), wants=["legal", "state"])
        clients.append(client)
    return clients


async def first_to_move(clients: Sequence[RawClient]) -> list[RawClient]:
    """The bots of a match that begins, by seat."""
    for client in clients:
        await client.answer(await client.expect("match_start"))
    starts = [client.of_type("match_start")[-1] for client in clients]
    order = sorted(range(len(clients)), key=lambda index: int(starts[index]["seat"]))
    return [clients[index] for index in order]


async def play(client: RawClient, verb: str) -> None:
    """Make the next bet of a bot, with a remark."""
    turn = await client.expect("turn")
    await client.move(turn, [[verb]], info={"note": REMARK})


class Shown:
    """All that was shown to strangers while a hand was played.

    Attributes:
        texts: by the way on which it was shown.
        match: the match that was being played.
    """

    def __init__(self, match: str) -> None:
        self.match = match
        self.texts: dict[str, str] = {}

    def add(self, way: str, data: str | bytes | bytearray) -> None:
        text = data if isinstance(data, str) else data.decode("utf-8", "backslashreplace")
        self.texts[way] = text

    def show_the_hand(self) -> bool:
        """Whether the match was shown live, as spectators may know it."""
        address = f"/api/v1/live/{self.match}"
        ways = (address, f"{address}, beside", "/api/v1/live", "/api/v1/live, followed")
        return all('"cards":[null,null]' in self.texts[way] for way in (*ways, "/api/v1/tv"))

    def leaks(self, secrets: Sequence[str]) -> dict[str, str]:
        """The ways that show a secret, the cards, or a remark; each with what it shows."""
        return {
            way: found for way, text in self.texts.items() if (found := _secret_in(text, secrets))
        }


def _secret_in(text: str, secrets: Sequence[str]) -> str:
    lowered = text.lower()
    for secret in (*secrets, REMARK, '"drawn"'):
        if secret.lower() in lowered:
            return secret
    cards = CARDS.search(text)
    return cards[0] if cards else ""


def secrets_of(database: Path, numbers: Sequence[int]) -> list[str]:
    """The secrets of a contest and the deals of matches with these numbers, as text."""
    with Store.open(database) as store, store.database.reading() as connection:
        found = connection.scalars(sa.select(schema.secrets.c.secret)).all()
    assert found
    deals = [
        Secret.from_hex(secret).deal(number, attempt)
        for secret in found
        for number in numbers
        for attempt in range(4)
    ]
    values = [*found, *deals]
    return [*values, *(base64.b64encode(bytes.fromhex(each)).decode() for each in values)]


@asynccontextmanager
async def second_attempt(
    command: Sequence[str], ports: Ports, folder: Path
) -> AsyncIterator[tuple[Shown, Website, list[RawClient]]]:
    """A match in its second hand; the server was killed in the first hand of an earlier attempt."""
    words = ports.put_into(command)
    async with AsyncExitStack() as stack:
        with running(words, folder):
            clients = await first_to_move(await connect(stack, ports.bots))
            await play(clients[0], "check")
            await clients[1].expect("turn")
            [earlier] = clients[0].of_type("match_start")
        server = stack.enter_context(running(words, folder))
        address = f"http://127.0.0.1:{ports.web}"
        http = await stack.enter_async_context(
            httpx2.AsyncClient(base_url=address, timeout=60, follow_redirects=True)
        )
        website = Website(http)
        spectator = await stack.enter_async_context(connected("127.0.0.1", ports.bots))
        await spectator.hello(role="spectator")
        await spectator.send(type="watch", all=True)
        streams = await stack.enter_async_context(website.followed("/api/v1/live", "/api/v1/tv"))
        clients = await first_to_move(await connect(stack, ports.bots))
        [start] = clients[0].of_type("match_start")
        shown = Shown(start["match"])
        for seat, verb in ((0, "bet"), (1, "fold"), (1, "check")):
            await play(clients[seat], verb)
        turn = await clients[0].expect("turn")
        matches = [earlier["match"], start["match"]]
        beside = stack.enter_context(started("web", "--database", words[-1], "--port", "0"))
        elsewhere = Website(
            await stack.enter_async_context(
                httpx2.AsyncClient(base_url=beside, timeout=60, follow_redirects=True)
            )
        )
        for site in (website, elsewhere):
            await site.crawl(
                [way.format(match) for match in matches for way in WAYS] + LOGS,
                {"match": matches, "bot": NAMES, "tournament": ["cup"], "game": ["kuhn"]}
                | {"players": ["2"]},
            )
        await spectator.send(type="ping", nonce="all")
        await spectator.expect("pong")
        for way, text in website.answers.items():
            shown.add(way, text)
        for way, text in elsewhere.answers.items():
            shown.add(f"{way}, beside", text)
        for way, taken in streams.items():
            shown.add(f"{way}, followed", taken)
        shown.add("spectator", json.dumps(spectator.received))
        if METRICS in command:
            async with httpx2.AsyncClient() as other:
                metrics = await other.get(f"http://127.0.0.1:{ports.metrics}/metrics")
            assert metrics.status_code == 200
            shown.add("/metrics", metrics.text)
        await clients[0].answer(turn)
        yield shown, website, clients
        server.process.kill()
        shown.add("log", "".join(server.before) + server.log.read())


async def test_ladder_shows_strangers_nothing_of_a_hand_that_is_played(
    polynya: list[str], database: Path, tmp_path: Path
) -> None:
    command = [*polynya, *LADDER, str(database)]
    async with second_attempt(command, Ports(), tmp_path) as (shown, website, clients):
        secrets = secrets_of(database, [2])
        await together(*clients, until="match_over")
        await website.crawl([f"/matches/{shown.match}/replay"], {"match": [shown.match]})
        deal = clients[0].of_type("match_over")[0]["deal"]
    assert shown.leaks(secrets) == {}
    assert shown.show_the_hand()
    assert deal in secrets
    assert [way for way, text in website.answers.items() if deal in text] != []
    assert '"scores": [1, -1]' in shown.texts["spectator"]


async def test_tournament_shows_strangers_nothing_of_an_earlier_attempt_either(
    polynya: list[str], database: Path, tmp_path: Path
) -> None:
    (tmp_path / "cup.toml").write_text(CUP, encoding="utf-8")
    words = ("tournament", "run", "cup.toml", "--port", PORT, "--web-port", WEB, "--database")
    command = [*polynya, *words, str(database)]
    async with second_attempt(command, Ports(), tmp_path) as (shown, website, _):
        secrets = secrets_of(database, [1, 2])
        statuses = [website.statuses[f"/matches/{match}"] for match in ("cup-1", "cup-1.2")]
    assert shown.leaks(secrets) == {}
    assert shown.show_the_hand()
    assert statuses == [200, 200]


@pytest.mark.parametrize(
    "text",
    [
        '{"state":{"cards":[1,null]}}',
        '{"cards": [null, 3], "hand": 2}',
        "seat 0  [K]",
        f'{{"info":{{"note":"{REMARK}"}}}}',
        "deal ABCDEF",
    ],
)
def test_the_search_finds_what_is_secret(text: str) -> None:
    shown = Shown("match")
    shown.add("way", text)
    assert list(shown.leaks(["abcdef"])) == ["way"]


def test_the_search_finds_nothing_in_the_view_of_a_spectator() -> None:
    shown = Shown("match")
    shown.add("way", '{"cards":[null,null],"chips":[1,-1]} seat 0  [?]')
    assert shown.leaks(["abcdef"]) == {}
