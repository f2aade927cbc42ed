"""Takes the pictures of ``design/022-pages-before-and-after.md``: kinds of pages in two versions.

Run it from anywhere: ``python docs/photograph_kinds.py --before POLYNYA`` writes
``design/kinds/*.webp``; POLYNYA is the program of the version before, in a virtual environment of
a worktree. Without it the left pictures stay gray. It needs Chromium and the development
dependencies, and takes half an hour.

``--only KIND`` takes the pictures of one kind, ``--work FOLDER`` keeps tournaments and single
pictures, so that another run goes on where this one ended. ``--paint`` measures first pictures
instead.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from photograph_pages import LIVE, PATIENCE_MS, POLYNYA, polynya, serving
from photograph_parts import COLOURS, MARGIN, SETTINGS, description
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

PICTURES = Path(__file__).parent / "design" / "kinds"
WIDTHS = (390, 1440, 1920)
HEIGHTS = {390: 844, 1440: 900, 1920: 1080}
SHOWN_HEIGHT = 300
"""How high a page is on its sheet."""
QUALITY = 55
REST_MS = 3_000
LIVE_REST_MS = 500
"""How long a page may take to be at rest; pages with matches in play are in motion."""
VISITS = 7
SIDES = ("before", "after")
OTHER_FORMATS = {
    "double_elimination": "",
    "gauntlet": 'gauntlet = { challengers = ["byrd"] }',
}
OTHER_GAMES = ("arktia", "icecult")


@dataclass(frozen=True)
class Kind:
    """A kind of page.

    Attributes:
        name: of its picture.
        title: what it is called in the docs.
        path: its address.
        shows: the selector of an element to wait for, in both versions.
        live: whether it is looked at while matches are played.
    """

    name: str
    title: str
    path: str
    shows: str = "main"
    live: bool = False


BOARD = ".viewer-board .board-drawing"
IN_PLAY = "MATCH"
"""Stands in a path for a match in play."""

KINDS = (
    Kind("home", "The first page without a match in play", "/"),
    Kind("home-live", "The first page with matches in play", "/", ".board-drawing", live=True),
    Kind("live", "Matches in play", "/live", ".board-drawing", live=True),
    Kind("tv", "Television", "/tv", BOARD, live=True),
    Kind("wall", "Wall of boards", "/wall", ".board-drawing", live=True),
    Kind("match-live", "A match in play or just over", f"/matches/{IN_PLAY}", BOARD, live=True),
    Kind("matches", "Matches", "/matches"),
    Kind("head-to-head", "Two bots' matches", "/matches?bot=byrd&opponent=tern"),
    Kind("match", "A match of Packeis", "/matches/swiss-1#turn=20", BOARD),
    Kind("match-arktia", "A match of Arktia", "/matches/arktia-1#turn=10", BOARD),
    Kind("match-icecult", "A match of Ice Cult", "/matches/icecult-1#turn=10", BOARD),
    Kind("projector", "A match on a projector", "/matches/swiss-1?projector#turn=20", BOARD),
    Kind("ladders", "Ladders", "/ladder"),
    Kind("ladder", "A ladder", "/ladder/packeis/2"),
    Kind("analysis", "A ladder's analysis", "/ladder/packeis/2/analysis"),
    Kind("tournaments", "Tournaments", "/tournaments"),
    Kind("swiss", "A Swiss", "/tournaments/swiss"),
    Kind("swiss-rounds", "A Swiss, by rounds", "/tournaments/swiss/rounds"),
    Kind("knockout", "A knockout", "/tournaments/knockout"),
    Kind("bracket", "A knockout, by rounds", "/tournaments/knockout/rounds"),
    Kind("double", "A double elimination, by rounds", "/tournaments/double_elimination/rounds"),
    Kind("gauntlet", "A gauntlet", "/tournaments/gauntlet"),
    Kind("crosstable", "A crosstable", "/tournaments/round_robin/crosstable"),
    Kind("schedule", "A schedule", "/tournaments/round_robin/schedule"),
    Kind("bots", "Bots", "/bots"),
    Kind("bot", "A bot", "/bots/byrd"),
    Kind("connect", "How to connect a bot", "/connect"),
    Kind("rules", "Rules", "/rules"),
    Kind("replay", "A replay from a file", "/replay"),
    Kind("missing", "A page that is not there", "/no-such-page"),
)
PAINTED = {
    "home": "/",
    "tournament": "/tournaments/swiss",
    "match": "/matches/swiss-1",
    "bot": "/bots/byrd",
}


def recorded(folder: Path, program: Sequence[str]) -> Path:
    """The database of tournaments in five formats and three games; made once in a folder."""
    database = folder / "recorded.sqlite"
    for name, text in _descriptions().items():
        done, file = folder / f"{name}.done", folder / f"{name}.toml"
        if not done.exists():
            file.write_text(text)
            polynya("tournament", "run", str(file), "--database", str(database), program=program)
            done.touch()
    return database


def _descriptions() -> dict[str, str]:
    found = {name: description(name) for name in SETTINGS}
    for name, settings in OTHER_FORMATS.items():
        found[name] = _other(name, f'format = "{name}"\n{settings}')
    for game in OTHER_GAMES:
        text = _other(game, 'format = "round_robin"').replace('"packeis"', f'"{game}"')
        found[game] = text.replace('"greedy"', '"random"')
    return found


def _other(name: str, form: str) -> str:
    """The description of a round robin with another name and format."""
    text = description("round_robin").replace('name = "round_robin"', f'name = "{name}"')
    return text.replace('format = "round_robin"', form).replace(SETTINGS["round_robin"], "")


@contextmanager
def served(folder: Path, program: Sequence[str], *, live: bool) -> Iterator[str]:
    """The pages of the recorded tournaments, or of a league in play."""
    if not live:
        database = recorded(folder, program)
        with serving("web", "--database", str(database), "--port", "0", program=program) as address:
            yield address
        return
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "league.toml"
        file.write_text(LIVE)
        words = ("tournament", "run", str(file), "--database", str(Path(name) / "league.sqlite"))
        with serving(*words, "--web-port", "0", program=program) as address:
            yield address


def photograph(
    browser: Browser, address: str, kinds: Sequence[Kind], folder: Path, colours: str, width: int
) -> None:
    """Take the pictures of these kinds that are not there yet, in one width and colour."""
    context = browser.new_context(
        base_url=address,
        viewport=ViewportSize(width=width, height=HEIGHTS[width]),
        color_scheme="dark" if colours == "dark" else "light",
        locale="en",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    for kind in kinds:
        to = picture_of(folder, kind, colours, width)
        if not to.exists():
            look(page, kind)
            page.screenshot(path=to)
    context.close()


def look(page: Page, kind: Kind) -> None:
    """Open a page and wait until it is drawn."""
    path = kind.path
    if IN_PLAY in path:
        page.goto("/live")
        newest = page.locator("main .live-card:not(.over) a[href^='/matches/']").last
        link = newest.get_attribute("href") or ""
        path = path.replace(f"/matches/{IN_PLAY}", link)
    page.goto("about:blank")  # another turn of the same match is a new page as well
    page.goto(path)
    page.locator(kind.shows).first.wait_for()
    try:
        page.wait_for_load_state("networkidle", timeout=LIVE_REST_MS if kind.live else REST_MS)
    except PlaywrightTimeoutError:
        page.wait_for_load_state()


def picture_of(folder: Path, kind: Kind, colours: str, width: int) -> Path:
    """The file of a single picture."""
    return folder / f"{kind.name}-{width}-{colours}.png"


def sheet(folder: Path, kind: Kind) -> None:
    """All pictures of a kind: before at the left, after at the right, light above dark."""
    rows = [
        [
            _shown(picture_of(folder / side, kind, colours, width), width)
            for width in widths
            for side in SIDES
        ]
        for colours in COLOURS
        for widths in (WIDTHS[:2], WIDTHS[2:])
    ]
    wide = max(sum(one.width + MARGIN for one in row) - MARGIN for row in rows)
    whole = Image.new("RGB", (wide, len(rows) * (SHOWN_HEIGHT + MARGIN) - MARGIN), "gray")
    for number, row in enumerate(rows):
        left = 0
        for one in row:
            whole.paste(one, (left, number * (SHOWN_HEIGHT + MARGIN)))
            left += one.width + MARGIN
    whole.save(PICTURES / f"{kind.name}.webp", quality=QUALITY, method=6)


def _shown(file: Path, width: int) -> Image.Image:
    """A single picture as high as its row; gray if it was not taken."""
    size = (round(width * SHOWN_HEIGHT / HEIGHTS[width]), SHOWN_HEIGHT)
    if not file.exists():
        return Image.new("RGB", size, "gray")
    with Image.open(file) as opened:
        return opened.convert("RGB").resize(size, Image.Resampling.LANCZOS)


def first_pictures(browser: Browser, address: str) -> None:
    """Print when pages that are visited for the first time show something, ms."""
    for name, path in PAINTED.items():
        times = []
        for _ in range(VISITS):
            context = browser.new_context(base_url=address)
            page = context.new_page()
            page.goto(path)
            times.append(page.evaluate(PAINT))
            context.close()
        print(f"{name}: {min(times):.0f} ms, median {statistics.median(times):.0f} ms")


PAINT = """new Promise(resolve => new PerformanceObserver(list => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (paint) resolve(paint.startTime);
}).observe({ type: "paint", buffered: true }))"""


def main() -> None:
    """The pictures that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", help="the program of the version before")
    parser.add_argument("--only", choices=[kind.name for kind in KINDS])
    parser.add_argument("--work", type=Path, help="a folder to keep what is made on the way")
    parser.add_argument("--paint", action="store_true", help="measure first pictures instead")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        take(browser, asked, asked.work or Path(name))
        browser.close()


def take(browser: Browser, asked: argparse.Namespace, work: Path) -> None:
    """Take the pictures, or measure."""
    programs: dict[str, Sequence[str]] = {"after": POLYNYA}
    if asked.before:
        programs["before"] = (asked.before,)
    for side, program in programs.items():
        folder = work / side
        folder.mkdir(parents=True, exist_ok=True)
        if asked.paint:
            print(side)
            with served(folder, program, live=False) as address:
                first_pictures(browser, address)
            continue
        for live in (False, True):
            kinds = [
                kind for kind in KINDS if kind.live == live and asked.only in (None, kind.name)
            ]
            photograph_all(browser, kinds, folder, program, live=live)
    if not asked.paint:
        PICTURES.mkdir(exist_ok=True)
        for kind in KINDS:
            if asked.only in (None, kind.name):
                sheet(work, kind)


def photograph_all(
    browser: Browser, kinds: Sequence[Kind], folder: Path, program: Sequence[str], *, live: bool
) -> None:
    """Take the missing pictures of one side in all widths and colours."""
    wanted = [
        (colours, width)
        for colours in COLOURS
        for width in WIDTHS
        if not all(picture_of(folder, kind, colours, width).exists() for kind in kinds)
    ]
    if wanted:
        with served(folder, program, live=live) as address:
            for colours, width in wanted:
                photograph(browser, address, kinds, folder, colours, width)


if __name__ == "__main__":
    main()
