"""What the documents tell people to type is what the command line takes."""

import re
import shlex
from collections.abc import Iterator

from cyclopts import CycloptsError
from tests.folders import ROOT

from polynya_app.application import with_defaults
from polynya_app.command_tree import app
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)

PAGES = [
    "README.md",
    "Makefile",
    "docs/data.md",
    "docs/uploads.md",
    "docs/uploads-tutorial.md",
    "docs/game-with-cards.md",
    "docs/game-with-joint-turns.md",
    "docs/hosting/contest-in-one-evening.md",
    "docs/hosting/deployment.md",
    "docs/hosting/disputes.md",
    "docs/hosting/ladder.md",
    "docs/hosting/matches.md",
    "docs/hosting/operating.md",
    "docs/hosting/proof.md",
    "docs/hosting/sandboxes.md",
    "docs/hosting/tournaments.md",
    "docs/hosting/web-pages.md",
    "docs/recipes.md",
    "docs/scaling.md",
    "docs/write-a-bot.md",
]
GROUPS = (
    "match|serve|web|upload|uploads|languages|new-bot|new-game|adapt|tournament|replay|results|ratings|bots|"
    "games|trace|protocol|doctor"
)
COMMAND = re.compile(
    rf"^(?:    |\t|\$ |ExecStart=).*?(?<!\$\()polynya ((?:{GROUPS})\b.*)$", re.MULTILINE
)


def commands() -> Iterator[tuple[str, str]]:
    """Each command in a block of code, with the page it stands on."""
    for page in PAGES:
        text = (ROOT / page).read_text().replace("\\\n", " ")
        for match in COMMAND.finditer(text):
            command = match[1].partition(" > ")[0]
            yield page, command.removesuffix('"') if command.count('"') % 2 else command


def refusal(command: str) -> str | None:
    """The command line's reason to refuse a command; None if it takes it."""
    words = shlex.split(command, comments=True)
    try:
        app.parse_args(with_defaults(words), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        return str(error)
    return None


def test_every_command_in_a_document_is_one() -> None:
    found = {f"{page}: {command}": refusal(command) for page, command in commands()}
    assert {command: reason for command, reason in found.items() if reason} == {}


def test_each_page_has_commands() -> None:
    assert {page for page, _ in commands()} == set(PAGES)


def test_every_key_of_a_description_is_documented() -> None:
    keys = {*TournamentConfiguration.__struct_fields__, *BotConfiguration.__struct_fields__}
    page = (ROOT / "docs" / "hosting" / "tournaments.md").read_text()
    table = page.partition("A description in TOML:")[2].partition("All matches are drawn up")[0]
    documented = {key for key in keys if f"`{key}" in table or f"`[[{key}]]" in table}
    assert keys == documented
