"""Sentences about matches whose rules failed: what the rules were asked, and what waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polynya_common.text import join_words
from polynya_store.tournaments.held_matches import Held

_MOST_ASKED = 600
"""The number of characters of a question that a terminal shows; the log has more."""


def failure_words(moved: Sequence[str], question: str) -> str:
    """Clauses for a sentence: which bots acted before the rules failed, and what was asked."""
    who = f"; {join_words(moved)} acted before" if moved else ""
    short = question if len(question) <= _MOST_ASKED else f"{question[:_MOST_ASKED]} ..."
    return who + (f"; the rules were asked {short}" if question else "")


def held_sentences(held: Held) -> Iterator[str]:
    """A sentence for each match whose rules failed, as far as they are listed."""
    for one in held.failed:
        yield (
            f"match {one.number} of {join_words(one.players)} ({one.match}) waits: {one.why}"
            f"{failure_words(one.moved, one.question)}"
        )
