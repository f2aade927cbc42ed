"""Takes the pictures of ``design/021-parts-of-pages.md``: each part in two widths and two colours.

Run it from anywhere: ``python docs/photograph_parts.py`` writes ``design/parts/*.png``; it takes
about a minute. It needs Chromium and the development dependencies. Without bots that think, and
with a seed, its matches are the same each time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from photograph_pages import PATIENCE_MS, polynya, serving, small
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Locator, ViewportSize, sync_playwright

PICTURES = Path(__file__).parent / "design" / "parts"
WIDTHS = (1440, 390)
COLOURS = ("light", "dark")
TALLEST = 520
"""A part that is higher than this many pixels is cut off below."""
MARGIN = 8

TOURNAMENT = """
name = "{name}"
seed = 7
game = "packeis"
clock = {{ move_ms = 1_000 }}
format = "{format}"
{settings}
share_cores = true
bots = [
{bots}
]
"""
NAMES = ("byrd", "snow-owl", "tern", "auk", "narwhal", "skua", "orca")
SETTINGS = {
    "swiss": "swiss = { rounds = 3 }",
    "knockout": "knockout = { third_place = true }",
    "round_robin": "cycles = 1",
}


@dataclass(frozen=True)
class Part:
    """A part of pages.

    Attributes:
        name: of its picture.
        path: of a page that has it.
        selector: of the element.
        narrow: of the element in a narrow window, where it is another one.
    """

    name: str
    path: str
    selector: str
    narrow: str = ""


PARTS = (
    Part("state", "/tournaments/swiss", "#head"),
    Part("standing", "/tournaments/swiss", "#body > .table"),
    Part("pairing", "/tournaments/swiss/rounds", ".rounds"),
    Part("bracket", "/tournaments/knockout/rounds", ".bracket-frame", ".rounds"),
    Part("crosstable", "/tournaments/round_robin/crosstable", "#body > .table"),
    Part("result", "/matches?tournament=knockout", "main .table"),
    Part("outstanding", "/tournaments/round_robin", ".outstanding"),
    Part("board", "/matches/swiss-1#turn=20", ".viewer-board"),
    Part("empty", "/live", "#live-none"),
)


def description(name: str) -> str:
    """A tournament of the format ``name`` between bots that do not think."""
    kinds = ("greedy", "random")
    bots = "\n".join(
        f'  {{ name = "{bot}", builtin = "{kinds[number % 2]}" }},'
        for number, bot in enumerate(NAMES)
    )
    return TOURNAMENT.format(name=name, format=name, settings=SETTINGS[name], bots=bots)


def look(browser: Browser, address: str, part: Part, width: int, colours: str, to: Path) -> None:
    """Take one picture of a part."""
    context = browser.new_context(
        base_url=address,
        viewport=ViewportSize(width=width, height=900),
        color_scheme="dark" if colours == "dark" else "light",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(part.path)
    shown = page.locator(part.narrow if part.narrow and width < WIDTHS[0] else part.selector).first
    shown.wait_for()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=to, full_page=True, clip=_clip(shown, width))
    context.close()


def _clip(shown: Locator, width: int) -> FloatRect:
    box = shown.bounding_box()
    if box is None:
        raise ValueError("the part is not in sight")
    left = max(0.0, box["x"] - MARGIN)
    return FloatRect(
        x=left,
        y=max(0.0, box["y"] - MARGIN),
        width=min(width - left, box["width"] + 2 * MARGIN),
        height=min(TALLEST, box["height"] + 2 * MARGIN),
    )


def joined(rows: Sequence[Sequence[Path]], picture: Path) -> None:
    """Pictures in rows: one row for each of the colours."""
    opened = [[Image.open(one).convert("RGB") for one in row] for row in rows]
    heights = [max(one.height for one in row) for row in opened]
    width = max(sum(one.width + MARGIN for one in row) - MARGIN for row in opened)
    sheet = Image.new("RGB", (width, sum(heights) + MARGIN * (len(rows) - 1)), "gray")
    top = 0
    for row, height in zip(opened, heights, strict=True):
        left = 0
        for one in row:
            sheet.paste(one, (left, top))
            left += one.width + MARGIN
        top += height + MARGIN
    sheet.save(picture)


def main() -> None:
    """All pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        database = str(folder / "parts.sqlite")
        for tournament in SETTINGS:
            file = folder / f"{tournament}.toml"
            file.write_text(description(tournament))
            polynya("tournament", "run", str(file), "--database", database)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with serving("web", "--database", database, "--port", "0") as address:
            for part in PARTS:
                rows = []
                for colours in COLOURS:
                    taken = [folder / f"{part.name}-{width}-{colours}.png" for width in WIDTHS]
                    for width, to in zip(WIDTHS, taken, strict=True):
                        look(browser, address, part, width, colours, to)
                    rows.append(taken)
                joined(rows, PICTURES / f"{part.name}.png")
                small(PICTURES / f"{part.name}.png", 1200)
        browser.close()


if __name__ == "__main__":
    main()
