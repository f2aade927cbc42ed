"""The page about data: its example of a match as text is one."""

from __future__ import annotations

import re

from tests.folders import DOCS

from polynya_conformance.replay.text_form import Tags, as_text
from polynya_conformance.replay.text_reader import read_text
from polynya_conformance.replay.verify import differences
from polynya_evidence.exchange.result_table import read_results

PAGE = (DOCS / "data.md").read_text(encoding="utf-8")


def test_the_match_of_the_page_is_read_and_written_alike() -> None:
    [example] = re.findall(r"```\n(\[Polynya 1\].*?)```", PAGE, re.DOTALL)
    record = read_text(example.encode(), "the example")
    assert (differences(record), as_text(record)) == ([], example)


def test_the_results_of_the_page_are_read() -> None:
    [example] = re.findall(r"```\n(match,finished.*?)```", PAGE, re.DOTALL)
    found = read_results(example, "the example")
    assert [(match.there, match.bots) for match in found] == [
        ("club-1", ("anna", "berta")),
        ("club-2", ("berta", "anna")),
    ]


def test_every_tag_is_explained() -> None:
    table = PAGE.partition("| tag | value |")[2]
    explained = {
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([A-Z]\w+)`", row.split("|")[1])
    }
    assert {name.capitalize() for name in Tags.__struct_fields__} == explained
