"""Takes the pictures of the boards in the README: played matches, on pages that are served.

Run it from anywhere: ``python docs/photograph_boards.py`` writes ``board-*.png`` beside it. It
needs Chromium and the development dependencies. The bots have their dice from the seed and all the
time they need, so the matches are always the same.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
POLYNYA = (sys.executable, "-c", "from polynya_app import main; main()")
ANNOUNCED = "web pages on "
SEED = "7"
COLOURS = 96
"""A palette keeps a picture of flat colours small."""

GAMES = {"packeis": "turn=30", "arktia": "turn=28", "icecult": "turn=8.5"}
"""The position of the first match that is taken, in the viewer's words."""


def play(game: str, database: Path) -> None:
    """A match of two bots that do not look at the clock, and its return."""
    words = ["match", "greedy", "random", "--game", game, "--games", "2", "--seed", SEED]
    words += ["--move-ms", "600000", "--database", str(database)]
    subprocess.run([*POLYNYA, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


@contextmanager
def pages(database: Path) -> Iterator[str]:
    """The address of the pages of a database."""
    command = [*POLYNYA, "web", "--database", str(database), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None  # noqa: S101 -- it is a pipe
        said = next(line for line in process.stderr if line.startswith(ANNOUNCED))
        try:
            yield said.removeprefix(ANNOUNCED).strip()
        finally:
            process.terminate()


def photograph(address: str, game: str, position: str, picture: Path) -> None:
    """The board of the first match of a game."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            base_url=address, viewport={"width": 1000, "height": 860}, device_scale_factor=1.25
        )
        page.goto(f"/matches?game={game}")
        first = page.locator("td.match a").last.get_attribute("href")
        page.goto(f"{first}#{position}")
        board = page.locator(".board-drawing")
        board.wait_for()
        page.evaluate("document.querySelectorAll('.viewer-bar, .top').forEach((e) => e.remove())")
        board.screenshot(path=picture)
        browser.close()


def shrink(picture: Path) -> None:
    """Give a picture a palette."""
    with Image.open(picture) as opened:
        small = opened.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def main() -> None:
    """All pictures."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "matches.sqlite"
        for game in GAMES:
            play(game, database)
        with pages(database) as address:
            for game, position in GAMES.items():
                picture = HERE / f"board-{game}.png"
                photograph(address, game, position, picture)
                shrink(picture)


if __name__ == "__main__":
    main()
