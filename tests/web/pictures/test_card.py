"""Cards of words for links."""

from __future__ import annotations

import pytest
from PIL import Image

from polynya_web.pictures.card import HEIGHT, WIDTH, Card, CardPainter

SEA = (0x12, 0x34, 0x4D)
ORANGE, BLUE = (0xE8, 0x95, 0x1F), (0x2F, 0x74, 0xC8)


def picture(*players: tuple[int | None, str], title: str = "Packeis am Pol") -> Image.Image:
    """A card."""
    card = Card(
        heading="Cup", title=title, players=players, text="first won 49 : 40", foot="Polynya"
    )
    painter = CardPainter(card)
    for _ in painter.steps():
        pass
    return painter.paper


def colours(image: Image.Image) -> set[object]:
    """The colours of a part of a picture."""
    return {colour for _, colour in image.getcolors(WIDTH * HEIGHT) or ()}


def test_card_has_the_size_that_its_pages_name() -> None:
    assert picture().size == (1200, 630)


def test_players_are_marked_in_the_colours_of_their_seats() -> None:
    found = colours(picture((0, "first"), (1, "second")))
    assert found >= {ORANGE, BLUE}
    assert not colours(picture((None, "first"), (None, "second"))) & {ORANGE, BLUE}


@pytest.mark.parametrize("words", ["x" * 5_000, "\u202e\u0007\n", "企鹅", "a word " * 100])
def test_strange_words_leave_the_edge_of_the_card_free(words: str) -> None:
    image = picture((0, words), title=words)
    assert colours(image.crop((WIDTH - 20, 0, WIDTH, HEIGHT))) == {SEA}
