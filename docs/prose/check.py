"""Finds words in our texts that a learner of English reads twice: ``python docs/prose/check.py``.

Texts are the Markdown pages, the English of the web pages, and of each program its docstrings, its
comments and the strings that have a space in them. A folder of ``most.toml`` may have as many
findings as stand there, and no more; every other text may have none.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
HISTORY = {"CHANGELOG.md"}
"""What was written stays."""
EXCEPT = (
    "CODE_OF_CONDUCT.md",
    "docs/prose/",
    "tests/",
    "clients/cpp/third_party/",
    "web/polynya_web/static/vendor/",
)
TEXTS = {"web/polynya_web/texts/en.json"}
MADE = {"__pycache__", "build", "demo", "dist", "node_modules", "target"}
"""Folders that tools fill."""
_CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$|``[^`]*``|`[^`]*`|<!--.*?-->", re.M | re.S)
_SENTENCE = re.compile(r"(?:^|(?<=[.!?:] )|(?<=[|*] )|(?<=- ))(?=[A-Z])")


class Finding(NamedTuple):
    """A word or phrase in a text.

    Attributes:
        path: of the file, from the root.
        line: from 1.
        words: as they stand there.
        instead: what to write.
    """

    path: str
    line: int
    words: str
    instead: str


class Phrase(NamedTuple):
    """What is looked for, and what to write."""

    pattern: re.Pattern[str]
    instead: str


def main(arguments: Sequence[str]) -> int:
    """Print the findings that are too many; with ``--all`` every one, with ``--count`` how many."""
    found = [finding for path in files() for finding in findings(path)]
    if "--count" in arguments:
        for folder, count in sorted(Counter(_folder(each.path) for each in found).items()):
            print(f"{count:5}  {folder}")
        print(f"{len(found):5}  together")
        return 0
    most = tomllib.loads((HERE / "most.toml").read_text("utf-8"))
    over = Counter(_folder(each.path) for each in found) - Counter(most)
    shown = found if "--all" in arguments else [x for x in found if _folder(x.path) in over]
    for path, line, words, instead in shown:
        print(f"{path}:{line}: {words!r}: {instead}")
    for folder, count in over.items():
        print(f"{folder}: {count} more than docs/prose/most.toml allows")
    return 1 if over else 0


def files() -> Sequence[str]:
    """The paths of the texts of the project; no other program is needed to find them."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in MADE and not each.startswith(".")]
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in names]
    kept = (path for path in found if path.endswith((".md", ".py")) or path in TEXTS)
    return sorted(p for p in kept if not p.startswith(EXCEPT) and Path(p).name not in HISTORY)


def findings(path: str) -> Iterator[Finding]:
    """All findings in a file."""
    for line, text in texts(path):
        yield from _in_text(path, line, text)


def texts(path: str) -> Iterator[tuple[int, str]]:
    """The texts of a file, each with the line where it begins."""
    content = (ROOT / path).read_text("utf-8")
    if path.endswith(".md"):
        yield 1, _CODE.sub(_blank, re.sub(r"^#.*$", "", content, flags=re.M))
    elif path.endswith(".json"):
        yield from ((1, text) for text in json.loads(content).values())
    else:
        yield from _texts_of_a_program(content)


def _texts_of_a_program(content: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"``[^`]*``|`[^`]*`", _blank, node.value)
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT and "noqa" not in token.string:
            yield token.start[0], token.string.lstrip("# ")


def _blank(code: re.Match[str]) -> str:
    """Code without its characters: lines keep their numbers, and words on both sides apart."""
    return re.sub(r"[^\n]", "_", code[0])


def _in_text(path: str, line: int, text: str) -> Iterator[Finding]:
    phrases, sentence, on_pages = _words()
    opening = sentence if path.endswith(".py") else on_pages
    for pattern, instead in phrases:
        for match in pattern.finditer(text):
            yield Finding(path, line + text.count("\n", 0, match.start()), match[0], instead)
    for start in (begin.end() for begin in _SENTENCE.finditer(text)):
        whole = re.split(r"(?<=[.!?:])\s|\n\n|\|", text[start:], maxsplit=1)[0]
        if opening.pattern.match(whole) and whole.rstrip("*_ ").endswith((".", ";", ":")):
            at = line + text.count("\n", 0, start)
            yield Finding(path, at, whole[:40].strip(), opening.instead)


@cache
def _words() -> tuple[Sequence[Phrase], Phrase, Phrase]:
    """The phrases, and the openings of sentences that are sought anywhere and on pages."""
    table = tomllib.loads((HERE / "words.toml").read_text("utf-8"))
    phrases = [
        Phrase(_compiled(each["pattern"], re.IGNORECASE), each["instead"])
        for each in table["phrase"]
    ]
    openings = table["sentence"]
    anywhere, on_pages = (
        Phrase(re.compile(openings[key]), openings["instead"]) for key in ("pattern", "on_pages")
    )
    return phrases, anywhere, on_pages


def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    """A pattern of whole words, which may stand on two lines."""
    return re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+"), flags)


def _folder(path: str) -> str:
    """Where findings are counted: the top folder, or the file there."""
    return path.partition("/")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
