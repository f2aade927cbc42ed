"""The pages that people look things up in: messages are real, places exist, recipes are taken."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module

from tests.folders import DOCS, ROOMS, ROOT

from polynya_common.reasons import table

SOURCES = (*ROOMS, "clients/python/polynya_client")
ROW = re.compile(r"^\| `(.+?)` \|", re.MULTILINE)
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
PLACE = re.compile(r"\| `(polynya_[\w.]+)` \|$", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def text_of(node: ast.AST) -> str | None:
    """A text of a program, with ``…`` where a value stands in it; None for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (text_of(left) or "…") + (text_of(right) or "…")
    return None


@cache
def texts() -> str:
    """All texts of the programs, a line each."""
    found = (
        text_of(node)
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )
    sentences = (PLACEHOLDER.sub("…", texts["en"]) for texts in table().values())
    return "\n".join([*(text for text in found if text), *sentences])


def test_each_message_is_one_of_a_program() -> None:
    messages = ROW.findall(page("errors"))
    assert len(messages) > 30
    assert [message for message in messages if message not in texts()] == []


def exists(place: str) -> bool:
    """Whether there is a module, or a name in one."""
    try:
        import_module(place)
    except ModuleNotFoundError:
        module, _, name = place.rpartition(".")
        return bool(module) and hasattr(import_module(module), name)
    return True


def test_each_place_in_the_glossary_exists() -> None:
    places = PLACE.findall(page("glossary"))
    terms = re.findall(r"^\| ([^|]+) \| [^|]+ \| `polynya", page("glossary"), re.MULTILINE)
    assert len(terms) == len(places) > 40
    assert [place for place in places if not exists(place)] == []


def test_the_terms_stand_in_the_order_of_the_alphabet() -> None:
    terms = re.findall(r"^\| ([^|]+) \| [^|]+ \| `polynya", page("glossary"), re.MULTILINE)
    assert sorted(terms, key=str.lower) == terms


def test_there_are_ten_recipes_each_with_a_command() -> None:
    recipes = re.split(r"^## \d+\. ", page("recipes"), flags=re.MULTILINE)[1:]
    assert len(recipes) == 10
    assert [recipe for recipe in recipes if "\n    " not in recipe] == []
