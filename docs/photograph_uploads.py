"""Takes the pictures of ``uploads-tutorial.md``: it does what the page says, with a real server.

Run it from anywhere: ``python docs/photograph_uploads.py`` writes ``uploads-*.png`` beside it. It
needs Chromium, the tools that the page names, and the development dependencies. Of each command it
compares what the page says that is printed; ``...`` stands for anything.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

HERE = Path(__file__).parent
PAGE = HERE / "uploads-tutorial.md"
PORT = "8080"
COLOURS = 128
"""A palette keeps a picture of flat colours small."""
PATIENCE_S = 600
NARROW, WIDE = ViewportSize(width=390, height=1_130), ViewportSize(width=1440, height=900)

_STEP = re.compile(
    r"<!-- file: (?P<file>\S+) -->\n```\w+\n(?P<text>.*?)```"
    r"|```console\n(?P<console>.*?)```"
    r"|!\[[^\]]*\]\((?P<picture>[^)]+)\)",
    re.DOTALL,
)


class Command(NamedTuple):
    """A command of the page, and the lines that it says are printed."""

    line: str
    said: list[str]


def commands(console: str) -> Iterator[Command]:
    """The commands of a block."""
    for text in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        line, *said = text.splitlines()
        yield Command(line, said)


def missing(said: list[str], printed: str) -> str | None:
    """The first line of the page that was not printed after those before it; None if all were."""
    place = 0
    for line in said:
        form = re.escape(line).replace(r"\.\.\.", ".*")
        found = re.compile(form).search(printed, place)
        if found is None:
            return line
        place = found.end()
    return None


class Evening:
    """The page, done in a folder.

    Args:
        home: the folder, empty.
        pictures: where pictures are written.
    """

    def __init__(self, home: Path, pictures: Path) -> None:
        self._home = home
        self._pictures = pictures
        self._server: subprocess.Popen[str] | None = None
        self._address = f"http://127.0.0.1:{_free_port()}"
        search = [str(Path(sys.executable).parent), os.environ["PATH"]]
        self._environment = {**os.environ, "PATH": os.pathsep.join(search), "LC_ALL": "C.UTF-8"}

    def run(self, text: str) -> None:
        """Do all of a text, in order.

        Raises:
            AssertionError: a command does not print what the text says.
        """
        try:
            for step in _STEP.finditer(text):
                if step["file"]:
                    (self._home / step["file"]).write_text(step["text"])
                elif step["picture"]:
                    self._photograph(step["picture"])
                else:
                    for command in commands(step["console"]):
                        self._do(command)
        finally:
            if self._server is not None:
                self._server.terminate()
                self._server.wait(timeout=60)

    def _do(self, command: Command) -> None:
        line = command.line.replace(f"http://127.0.0.1:{PORT}", self._address)
        if line.startswith("polynya serve "):
            return self._serve(line.replace(PORT, self._address.rpartition(":")[2]))
        done = subprocess.run(  # noqa: S603 - the page's own command
            ["bash", "-c", line],  # noqa: S607
            cwd=self._home,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        wrong = missing(command.said, done.stdout)
        assert wrong is None, f"$ {line}\n{done.stdout}\nwithout: {wrong}"  # noqa: S101
        fails = any(": " in said and said.startswith("polynya: ") for said in command.said)
        assert (done.returncode != 0) == fails, f"$ {line}\n{done.stdout}"  # noqa: S101
        return None

    def _serve(self, line: str) -> None:
        with (self._home / "server.log").open("w") as log:
            self._server = subprocess.Popen(  # noqa: S603 - the page's own command
                [*line.split(), "--port", "0"],
                cwd=self._home,
                env=self._environment,
                stdout=log,
                stderr=log,
                text=True,
            )
        while "listening on " not in (self._home / "server.log").read_text():
            assert self._server.poll() is None, "the server has ended"  # noqa: S101
            time.sleep(0.1)

    def _photograph(self, name: str) -> None:
        picture = self._pictures / name
        view, act = PICTURES[name]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(
                base_url=self._address, viewport=view, device_scale_factor=1.25, locale="en-GB"
            )
            page.set_default_timeout(PATIENCE_S * 1_000)
            act(page, self._home)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= view["width"], f"{name}: the page is {width} pixels wide"  # noqa: S101
            page.screenshot(path=picture)
            browser.close()
        with Image.open(picture) as opened:
            small = opened.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        small.save(picture, optimize=True)


def owner(page: Page, home: Path) -> None:
    """The bot's page as the author of a refused version sees it, with its token."""
    page.goto("/bots/cod")
    form = page.locator("form", has=page.get_by_role("button", name="Show"))
    form.locator("input").first.fill((home / "cod.token").read_text().strip())
    form.get_by_role("button").click()
    page.locator("details summary").first.click()
    log = page.locator("details pre.log").first
    log.evaluate("log => { log.scrollTop = log.scrollHeight }")


def upload(page: Page, home: Path) -> None:
    """Hand the archive in on the bot's page, and wait for the result."""
    page.goto("/bots/eel")
    page.locator("#upload-new summary").click()
    form = page.locator("form[data-upload]")
    form.locator("input[name=token]").fill((home / "eel.token").read_text().strip())
    form.locator("input[name=archive]").set_input_files(home / "eel.tar.gz")
    form.locator("button").click()
    form.locator("output", has_text="512 MiB").wait_for()


def ladder(page: Page, _: Path) -> None:
    """The ladder, when all three have played."""
    page.goto("/")
    while not all(_played(page, name) for name in ("cod", "eel", "ray")):
        page.wait_for_timeout(1_000)
        page.reload()


def _played(page: Page, name: str) -> bool:
    return page.locator("main table tr", has_text=name).count() > 0


PICTURES: dict[str, tuple[ViewportSize, Callable[[Page, Path], None]]] = {
    "uploads-compile-error.png": (WIDE, owner),
    "uploads-memory.png": (NARROW, upload),
    "uploads-ladder.png": (WIDE, ladder),
}
"""How each is taken: how large the window is, and what is done before."""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def main() -> None:
    """All pictures."""
    with tempfile.TemporaryDirectory() as folder:
        Evening(Path(folder), HERE).run(PAGE.read_text("utf-8"))


if __name__ == "__main__":
    main()
