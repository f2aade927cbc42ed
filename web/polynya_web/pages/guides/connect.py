"""How to connect a bot: the server's address, how to get a name, a first bot in each language."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_games import DEFAULT_GAME, Game
from polynya_hosting.kits.templates import KITS, Kit, first_program, kit_of, write_kit
from polynya_protocol.names import why_not_new
from polynya_server import Server
from polynya_web.http.parameters import parameter
from polynya_web.http.requests import Refused
from polynya_web.pages.rendering import page
from polynya_web.play.match_request import games
from polynya_web.site import site_of

USUAL_NAME = "my_bot"
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 -- compared, not listened on
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class GameAddress:
    """The address that bots connect to.

    Attributes:
        host, port: of the game server, as a bot on the reader's machine names it.
        encrypted: whether it wants TLS.
        local: whether only programs on the server's own machine reach it.
        registers: whether a new name is registered by connecting.
    """

    host: str
    port: int
    encrypted: bool
    local: bool
    registers: bool

    @property
    def variables(self) -> str:
        """The same as variables of the environment, for the front of a command line."""
        words = [f"POLYNYA_HOST={self.host}", f"POLYNYA_PORT={self.port}"]
        return " ".join([*words, *(["POLYNYA_TLS=1"] if self.encrypted else [])])


@dataclass(frozen=True, slots=True)
class FirstBot:
    """A starter kit as the page shows it.

    Attributes:
        language: its key, ``bridge`` for any language.
        kit: what it needs, and its command lines.
        program: the source of a bot that plays any legal step.
    """

    language: str
    kit: Kit
    program: str


async def connect(request: Request) -> Response:
    """The page, for a game and a name that may be chosen."""
    site, game, name = site_of(request), _game(request), _name(request)
    return page(
        request,
        "guides/connect.html",
        section="connect",
        server=None if site.server is None else game_address(site.server, request.url.hostname),
        uploads=site.reception is not None,
        games=games(),
        game=game,
        name=name,
        bots=await site.ask(first_bots, game.name, name),
    )


async def download(request: Request) -> Response:
    """A starter kit as a ZIP file."""
    site, game, name = site_of(request), _game(request), _name(request)
    language = request.path_params["language"]
    if language not in KITS:
        raise Refused(404, Reason.of("no_such_kit"))
    content = await site.ask(packed_kit, language, game.name, name)
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


def game_address(server: Server, asked: str | None) -> GameAddress:
    """The address that bots connect to, seen from the reader's host name ``asked``."""
    everywhere = server.host in _EVERYWHERE
    return GameAddress(
        host=asked if everywhere and asked else server.host,
        port=server.port,
        encrypted=server.settings.tls_cert is not None,
        local=server.host in _LOOPBACK,
        registers=server.settings.open_registration,
    )


def first_bots(game: str, name: str) -> Sequence[FirstBot]:
    """The first bot in each language."""
    return [FirstBot(key, kit_of(key, name), first_program(key, name, game)) for key in KITS]


def packed_kit(language: str, game: str, name: str) -> bytes:
    """A starter kit as a ZIP file, in a folder of the bot's name."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as parent, zipfile.ZipFile(packed, "w") as archive:
        folder = Path(parent, name)
        write_kit(language, game, folder)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(parent), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _game(request: Request) -> Game:
    """The requested game; by default the server's."""
    wanted = parameter(request, "game") or site_of(request).game or DEFAULT_GAME
    found = next((game for game in games() if game.name == wanted), None)
    if found is None:
        raise Refused(404, Reason.of("no_such_game"))
    return found


def _name(request: Request) -> str:
    """The requested name of the bot."""
    name = parameter(request, "name") or USUAL_NAME
    wrong = why_not_new(name)
    if wrong is not None:
        raise Refused(400, wrong)
    return name


ROUTES = [
    Route("/connect", connect),
    Route("/connect/{language}.zip", download),
]
