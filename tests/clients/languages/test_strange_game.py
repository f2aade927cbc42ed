"""A game that no code of ours knows, written from the tutorials: a sealed-bid auction of three.

Bots in three languages play it on a ladder, then in a tournament that its bundle verifies.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.clients import toolchains
from tests.docs.test_game_tutorials import pip_into
from tests.recorded_matches import launcher
from tests.served import serving

from polynya_hosting.kits.templates import kit_of, write_kit
from polynya_store import Store

AUCTION = Path(__file__).with_name("auction")
LANGUAGES = ("python", "go", "typescript")
PATIENCE_S = 300
LADDER = (
    *("--game", "auction", "--players", "3", "--option", "lots=5", "--move", "60000"),
    *("--web-port", "0", "--open-registration", "--pace-ms", "1500"),
)
LADDER_MATCHES = {f"ladder-{number}" for number in range(1, 5)}
CUP = """
name = "cup"
game = "auction"
players = 3
database = "auction.sqlite"
clock = { move_ms = 60000 }
"""


def built(language: str, folder: Path) -> list[str]:
    """The command of the bot in a language, in a kit of ``polynya new-bot``."""
    kit = kit_of(language, language)
    toolchains.require(*kit.needs)
    source = AUCTION / "bots" / f"{language}.{Path(kit.program).suffix.removeprefix('.')}"
    if language == "python":
        return [sys.executable, str(source)]
    write_kit(language, "auction", folder / language)
    shutil.copyfile(source, folder / language / kit.program)
    for line in kit.build:
        toolchains.run(*shlex.split(line), cwd=folder / language)
    program, *words = shlex.split(kit.run)
    found = shutil.which(program) or str(folder / language / program)
    return [found, *(str(folder / language / word) for word in words)]


class Contest:
    """A ladder of the auction, and a tournament of the same bots.

    Attributes:
        database: where both are.
        pages: pages of the server by path, fetched while it ran.
        frames: the frames of the ladder's first match, as the server's pages show them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.database = folder / "auction.sqlite"
        self.pages: dict[str, str] = {}
        self.frames: list[dict[str, Any]] = []

    def run(self, *words: str) -> str:
        """The output of a ``polynya`` command that succeeds."""
        return toolchains.run(*launcher(), *words, cwd=self._folder)

    def hold_ladder(self, bots: Mapping[str, Sequence[str]]) -> None:
        """A standing server that these bots join from outside, until some matches are over."""
        with ExitStack() as stack:
            server = stack.enter_context(serving(launcher(), self.database, *LADDER))
            address = server.before[-1].split()[-1]
            for name, command in bots.items():
                told = {"POLYNYA_PORT": str(server.port), "POLYNYA_NAME": name}
                process = subprocess.Popen(command, env={**os.environ, **told})
                stack.callback(process.wait, PATIENCE_S)
                stack.callback(process.terminate)
            server.read_until('"match": "ladder-4", "reason"')
            with httpx2.Client(base_url=address, timeout=PATIENCE_S) as browser:
                for path in ("/rules/auction", "/ladder/auction/3", "/matches/ladder-1"):
                    answer = browser.get(path)
                    assert answer.status_code == 200, path
                    self.pages[path] = answer.text
                frames = browser.get("/api/v1/matches/ladder-1/frames").json()
                self.frames = frames["frames"]
            assert server.stop()[0] == 0

    def hold_tournament(self, bots: Mapping[str, Sequence[str]]) -> None:
        """A tournament that starts the same bots."""
        entries = [
            f"[[bots]]\nname = {json.dumps(name)}\ncommand = {json.dumps(shlex.join(command))}\n"
            for name, command in bots.items()
        ]
        (self._folder / "cup.toml").write_text(CUP + "".join(entries), encoding="utf-8")
        self.run("tournament", "run", "cup.toml")


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contest]:
    folder, packages = (tmp_path_factory.mktemp(name) for name in ("contest", "packages"))
    bots = {language: built(language, folder) for language in LANGUAGES}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in pip_into(packages).items():
            patch.setenv(name, value)
        toolchains.run(sys.executable, "-m", "pip", "install", "-q", AUCTION, cwd=folder)
        held = Contest(folder)
        held.hold_ladder(bots)
        held.hold_tournament(bots)
        yield held


def test_the_game_passes_the_check(contest: Contest) -> None:
    findings = json.loads(contest.run("games", "check", "auction", "--json"))
    assert [finding for finding in findings if not finding["ok"]] == []


def test_bots_in_three_languages_play_it_on_a_ladder_without_a_fault(contest: Contest) -> None:
    with Store.open(contest.database) as store:
        reasons = {store.matches.get(match).reason for match in LADDER_MATCHES}
    assert reasons == {"finished"}


def test_the_ladder_is_rated(contest: Contest) -> None:
    words = ("--game", "auction", "--players", "3", "--database", "auction.sqlite", "--json")
    rows = json.loads(contest.run("ratings", "show", *words))
    assert {row["bot"] for row in rows} == set(LANGUAGES)


def test_its_rules_stand_on_the_pages(contest: Contest) -> None:
    assert '<h1 lang="en">Sealed bids</h1>' in contest.pages["/rules/auction"]


def test_the_ladder_has_a_page_with_all_bots(contest: Contest) -> None:
    assert [name in contest.pages["/ladder/auction/3"] for name in LANGUAGES] == [True] * 3


def test_a_match_is_shown_row_by_row(contest: Contest) -> None:
    rows = contest.frames[1]["rows"]
    assert rows[0] == "1 of 5 lots sold"
    assert sum("bought for" in row for row in rows) == 1


def test_replays_of_ladder_and_tournament_are_verified(contest: Contest) -> None:
    found = json.loads(
        contest.run("replay", "verify", "--all", "--json", "--database", "auction.sqlite")
    )
    assert (found["differing"], found["unreadable"]) == ({}, {})


def test_the_tournament_is_verified_from_its_bundle(contest: Contest) -> None:
    database = ("--database", "auction.sqlite")
    contest.run("tournament", "report", "cup", *database, "--bundle", "cup.zip")
    said = contest.run("tournament", "verify", "cup.zip")
    assert re.search(r"^cup: \d+ replays played again, nothing differs$", said, re.MULTILINE)
