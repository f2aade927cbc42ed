"""Takes the pictures of ``hosting/web-pages.md`` and of the match page, with real matches and bots.

Run it from anywhere: ``python docs/photograph_pages.py`` writes ``match-page.png`` beside it and
``hosting/pictures/*.png``; it takes about two minutes. It needs Chromium and the development
dependencies. The strong bots think for as long as they may, so their matches differ each time.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

HERE = Path(__file__).parent
PICTURES = HERE / "hosting" / "pictures"
CUP = HERE.parent / "tournaments" / "examples" / "double-elimination.toml"
POLYNYA = (sys.executable, "-c", "from polynya_app import main; main()")
ANNOUNCED = "web pages on "
COLOURS = 128
"""A palette keeps a picture of flat colours small."""
WIDE, TELEPHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
BOARDS_ON_THE_WALL = 6
PATIENCE_MS = 120_000

LIVE = """
name = "league"
seed = 7
game = "packeis"
clock = { initial_ms = 600_000, move_ms = 1_500 }
format = "round_robin"
cycles = 10
concurrency = 6
share_cores = true
bots = [
  { name = "packeis", builtin = "packeis" },
  { name = "emperor", builtin = "packeis" },
  { name = "gentoo", builtin = "packeis" },
  { name = "greedy", builtin = "greedy" },
]
"""


def polynya(*words: str, program: Sequence[str] = POLYNYA) -> None:
    """Run a command to its end."""
    subprocess.run([*program, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


@contextmanager
def serving(*words: str, program: Sequence[str] = POLYNYA) -> Iterator[str]:
    """A command that serves pages; gives their address."""
    with subprocess.Popen([*program, *words], stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None  # noqa: S101 -- it is a pipe
        said = next(line for line in process.stderr if ANNOUNCED in line)
        try:
            yield said.partition(ANNOUNCED)[2].strip()
        finally:
            process.kill()


def small(picture: Path, width: int) -> None:
    """Make a picture no wider than this many pixels, and give it a palette."""
    with Image.open(picture) as opened:
        height = round(opened.height * width / opened.width)
        shown = opened.convert("RGB")
        if width < opened.width:
            shown = shown.resize((width, height), Image.Resampling.LANCZOS)
        flat = shown.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    flat.save(picture, optimize=True)


def beside(wide: Path, narrow: Path, picture: Path) -> None:
    """Two pictures beside each other, equally high."""
    with Image.open(wide) as left, Image.open(narrow) as right:
        scaled = right.resize((round(right.width * left.height / right.height), left.height))
        both = Image.new("RGB", (left.width + 24 + scaled.width, left.height), "white")
        both.paste(left.convert("RGB"))
        both.paste(scaled.convert("RGB"), (left.width + 24, 0))
    both.save(picture)


class Camera:
    """A browser that looks at the pages of one address."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address

    def look(self, path: str, size: ViewportSize, **context: object) -> Page:
        """A page, when all that it asks for is there."""
        opened = self._browser.new_context(
            base_url=self._address,
            viewport=size,
            device_scale_factor=1.25,
            **context,  # type: ignore[arg-type]
        )
        opened.set_default_timeout(PATIENCE_MS)
        page = opened.new_page()
        page.goto(path)
        return page


def of_boards(camera: Camera, folder: Path) -> None:
    """The match page, in a wide window and on a telephone."""
    first = camera.look("/matches?game=packeis", WIDE).locator("td.match a").first
    match = first.get_attribute("href") or ""
    wide, narrow = folder / "wide.png", folder / "narrow.png"
    for size, picture, path in ((WIDE, wide, match), (TELEPHONE, narrow, match)):
        page = camera.look(f"{path}#turn=26", size)
        page.locator(".board-drawing").wait_for()
        page.screenshot(path=picture)
    beside(wide, narrow, HERE / "match-page.png")
    small(HERE / "match-page.png", 1200)


def of_tournament(camera: Camera) -> None:
    """The bracket in a wide window."""
    page = camera.look("/tournaments/double-cup/rounds", WIDE)
    page.locator(".bracket-drawing").screenshot(path=PICTURES / "bracket.png")
    small(PICTURES / "bracket.png", 900)


def of_live(browser: Browser, folder: Path) -> None:
    """Matches in play: the television and the wall."""
    (folder / "league.toml").write_text(LIVE)
    database = str(folder / "league.sqlite")
    words = ("tournament", "run", str(folder / "league.toml"), "--database", database)
    with serving(*words, "--web-port", "0") as address:
        camera = Camera(browser, address)
        wall, television = camera.look("/wall", WIDE), camera.look("/tv", WIDE)
        wall.locator(".board-drawing").nth(BOARDS_ON_THE_WALL - 1).wait_for()
        television.locator(".viewer-board .board-drawing").wait_for()
        television.wait_for_timeout(15_000)  # until some turns were played
        television.screenshot(path=PICTURES / "tv.png")
        wall.screenshot(path=PICTURES / "wall.png")
        for picture in ("tv.png", "wall.png"):
            small(PICTURES / picture, 900)


def main() -> None:
    """All pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        database = folder / "matches.sqlite"
        for game in ("icecult", "packeis"):
            words = ("match", game, "greedy", "--game", game, "--games", "2", "--seed", "7")
            polynya(*words, "--move-ms", "400", "--database", str(database))
        polynya("tournament", "run", str(CUP), "--database", str(database))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with serving("web", "--database", str(database), "--port", "0") as address:
            camera = Camera(browser, address)
            of_boards(camera, folder)
            of_tournament(camera)
        of_live(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
