"""Rules that a game from outside brings: chosen by language, and shown as harmless text."""

from __future__ import annotations

from polynya_games.packeis import Packeis
from polynya_web.pages.guides.documents import rules_from


class Outside(Packeis):
    name = "outside"
    title = "Outside"
    rules = {  # noqa: RUF012 -- as authors write it
        "en": "# The game\n\n## Set-up\n\n<script>bad()</script> ![a](http://example.org/a.png)\n",
        "de": "# Das Spiel\n",
    }


class Untitled(Packeis):
    name = "untitled"
    title = "Untitled"
    rules = {"fr": "Les cartes."}  # noqa: RUF012 -- as above


class Silent(Packeis):
    name = "silent"


def test_rules_are_in_the_readers_language_or_else_in_english() -> None:
    games = [rules_from(Outside(), language) for language in ("de", "en", "fr")]
    assert [(one.title, one.language) for one in games if one is not None] == [
        ("Das Spiel", "de"),
        ("The game", "en"),
        ("The game", "en"),
    ]


def test_a_game_without_a_heading_is_titled_by_its_name() -> None:
    rules = rules_from(Untitled(), "en")
    assert rules is not None
    assert (rules.title, rules.language, "Les cartes." in rules.markup) == ("Untitled", "fr", True)


def test_a_game_without_rules_has_no_page() -> None:
    assert rules_from(Silent(), "en") is None


def test_html_and_pictures_of_a_game_do_not_reach_the_page() -> None:
    rules = rules_from(Outside(), "en")
    assert rules is not None
    assert rules.sections == [("set-up", "Set-up")]
    assert "<script>" not in rules.markup
    assert "&lt;script&gt;" in rules.markup
    assert "<img" not in rules.markup
