"""Cards with boards, drawn from positions of played matches."""

from __future__ import annotations

import io
import json
import re

import msgspec
import pytest
from PIL import Image
from tests.web.records import played

from polynya_games import installed
from polynya_web.content.frames import frames_of
from polynya_web.content.match_types import Frame
from polynya_web.http.static_assets import source_files
from polynya_web.pictures.boards import GAMES
from polynya_web.pictures.canvas import as_png
from polynya_web.pictures.card import HEIGHT, WIDTH, Card, CardPainter, Position
from polynya_web.pictures.colours import SEA

PLAYERS = [(0, "first"), (1, "second")]


def positions(game: str) -> list[Position]:
    """All positions of a match that was played at random."""
    record = played(game, 2)
    frames = frames_of(record)
    for event in record.events:
        frames.follow(event)
    decoded = [msgspec.json.decode(frame, type=Frame) for frame in frames.frames]
    return [Position(game, frame.state, frame.step) for frame in decoded]


def picture(position: Position | None, players: object = PLAYERS) -> Image.Image:
    """The card of a position, as other sites see it."""
    card = Card(
        heading="Cup",
        title="A title that is too long for one line of the card, and for two as well, by far",
        players=players,  # type: ignore[arg-type]
        text="first won 49 : 40",
        foot="Polynya",
        position=position,
    )
    painter = CardPainter(card)
    for _ in painter.steps():
        pass
    return Image.open(io.BytesIO(as_png(painter.paper))).convert("RGB")


def colours_at_the_left(image: Image.Image) -> int:
    """How many colours the part for the board has."""
    return len(image.crop((0, 0, 480, HEIGHT)).getcolors(WIDTH * HEIGHT) or ())


def test_games_with_a_board_on_the_pages_have_one_in_pictures() -> None:
    own = re.search(r"OWN = new Set\(\[(.*?)\]\)", source_files()["boards/games.js"].decode())
    assert own is not None
    assert set(json.loads(f"[{own[1]}]")) == GAMES


@pytest.mark.parametrize("game", sorted(GAMES & set(installed())))
def test_every_position_of_a_match_is_drawn(game: str) -> None:
    found = positions(game)
    shown = [found[0], found[len(found) // 2], found[-1]]
    images = [picture(position) for position in shown]
    for position in found:
        for _ in CardPainter(
            Card(heading="", title="", players=[], text="", foot="", position=position)
        ).steps():
            pass
    assert [image.size for image in images] == [(WIDTH, HEIGHT)] * 3
    assert len({image.tobytes() for image in images}) == 3
    assert min(colours_at_the_left(image) for image in images) > 5


def test_a_game_without_a_drawing_has_a_card_of_words() -> None:
    assert picture(Position("nim", {"heaps": [3]}, None)).tobytes() == picture(None).tobytes()


@pytest.mark.parametrize("name", ["x" * 5_000, "\u202e\u0007\n", "企鹅"])
def test_strange_names_leave_the_edge_of_the_card_free(name: str) -> None:
    image = picture(None, [(0, name)])
    edge = image.crop((WIDTH - 20, 0, WIDTH, HEIGHT)).getcolors()
    sea = tuple(int(SEA[index : index + 2], 16) for index in (1, 3, 5))
    assert edge is not None
    assert [colour for _, colour in edge] == [sea]


def test_the_arcs_of_the_first_position_of_icecult_are_a_circle() -> None:
    square = picture(positions("icecult")[0]).crop((270, 254, 392, 376)).convert("L")
    upper, lower = square.crop((0, 0, 122, 61)), square.crop((0, 61, 122, 122))
    left, right = square.crop((0, 0, 61, 122)), square.crop((61, 0, 122, 122))
    dark = [sum(half.histogram()[:60]) for half in (upper, lower, left, right)]
    middle = sum(square.crop((51, 51, 59, 59)).histogram()[:60])  # without the edges of blocks
    assert max(dark) < 1.2 * min(dark)
    assert middle == 0
