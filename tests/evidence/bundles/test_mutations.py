"""Every field of every record of a bundle: another value is named, or listed here with a reason.

The mutated documents are signed again, as a host can who holds the key.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pytest
from tests.evidence.bundles.mutations import changed_at, each_field
from tests.evidence.bundles.published import bundle_of, members, signed_again
from tests.fixtures.make import FILES
from tests.selection import IS_LONG

from polynya_app.application import run
from polynya_common.errors import TournamentError
from polynya_evidence.bundles.bundle_reader import Bundle
from polynya_evidence.bundles.manifest import canonical
from polynya_evidence.bundles.verification import verify

DEFAULT = "A field that is left out has its default; nothing else is said by it."
TIMES = "Another time that fits all others: only the server has seen which it was."
SEEN = "Only the server has seen it; nothing follows from it."

NO_MATTER: Mapping[str, Mapping[str, str]] = {
    "manifest.json": {
        r"(files|public_key).*|: without (files|public_key)": "A signature writes them anew.",
    },
    "tournament.json": {
        r"entrants\.\[\]: without .*": DEFAULT,
        r"entrants\.\[\]\.missed: 0.0 -> 0.5": "It was there from the first round: it missed none.",
        r"matches\.\[\]: without .*": DEFAULT,
        r"secrets\.\[\]: without .*": DEFAULT,
        r"(entrants|secrets)\.\[\]\.\w+_ms: .*": TIMES,
    },
    "replay": {
        r"(setup(\.clock)?|events\.\[\])?: without .*": DEFAULT,
        r"options: without .*": "The game may not have had the option when the match was played.",
        r"started_ms: .*|finished_ms: .*": TIMES,
        r"events\.\[\]\.(queued|flushed|first_byte|last_byte|loop_delay)_us: .*": TIMES,
        r"events\.\[\]\.charged_ms: .*": "The lag that is not charged is known to the server only.",
        r"events\.\[\]\.kernel: .*": SEEN,
        r"events\.\[\]\.info(\.\w+)?: .*": "The bot's own remarks, of any form.",
        r"machine\.(busy|stolen|runnable|cores): .*|machine: .*|worker: .*": SEEN,
        r"setup\.sandboxes: .*|setup\.sandboxes\.\[\]: .*": SEEN,
        r"events\.\[\]\.refused_steps.*": "What a bot sent; that it is illegal, and why, follows.",
    },
}
"""By document, the mutations without a difference, each with the reason why it cannot matter."""

NEVER_BEGUN = "All bots had ratings before: none begins with this one."
NOT_ELO = "The bots are rated by OpenSkill."

OF_FORMATS: Mapping[str, Mapping[str, str]] = {
    "swiss": {},
    "cup": {r"description\.start_rating: .*": NEVER_BEGUN},
    "test": {r"description\.start_rating: .*": NEVER_BEGUN},
    "pods": {r"description\.(k_factor|k_first|provisional_games|start_rating): .*": NOT_ELO},
}
"""By tournament, more such mutations of ``tournament.json``."""

LOST = f"""
name = "lost"
game = "icecult"
seed = 7
clock = {{ initial_ms = 30_000, increment_ms = 10, move_ms = 300 }}
start_ms = 60_000
[[bots]]
name = "illegal"
command = ['{sys.executable}', '-c', '''
from polynya_client import run
run(lambda turn: [["fly"]])
''']
[[bots]]
name = "late"
command = ['{sys.executable}', '-c', '''
import time
from polynya_client import run
run(lambda turn: time.sleep(1))
''']
"""


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A bundle of an illegal turn and of one that came too late."""
    folder = tmp_path_factory.mktemp("lost")
    file, database = folder / "lost.toml", folder / "lost.sqlite"
    file.write_text(LOST, encoding="utf-8")
    assert run(["tournament", "run", str(file), "--database", str(database)]) == 0
    return bundle_of(database)


def documents(bundle: bytes) -> Iterator[tuple[str, str, Any, Callable[[Any], bytes]]]:
    """Each document of a bundle: its name, its kind, its values, and how they are written."""
    for name, content in members(bundle).items():
        if name.endswith(".json"):
            yield name, name, msgspec.json.decode(content), canonical
        elif name.endswith(".replay"):
            yield name, "replay", msgspec.msgpack.decode(content), msgspec.msgpack.encode


def is_noticed(bundle: bytes, name: str, content: bytes) -> bool:
    """Whether a bundle with another file is refused, differs, or is said to be unchecked."""
    try:
        found = verify(Bundle(signed_again({**members(bundle), name: content})))
    except TournamentError:
        return True
    return bool(found.differences or found.unchecked)


def unnoticed(bundle: bytes, of_format: Mapping[str, str] | None = None) -> Iterator[str]:
    """The mutations of a bundle that are neither noticed nor listed."""
    for name, kind, document, write in documents(bundle):
        listed = {**NO_MATTER.get(kind, {}), **(of_format or {})}
        for path in each_field(document):
            for shown, mutated in changed_at(document, path):
                if any(re.fullmatch(one, shown) for one in listed):
                    continue
                if not is_noticed(bundle, name, write(mutated)):
                    yield f"{name}: {shown}"


def test_each_field_of_a_small_tournament_is_looked_at(published: bytes) -> None:
    assert list(unnoticed(published)) == []


def test_each_field_of_lost_matches_is_looked_at(lost: bytes) -> None:
    assert list(unnoticed(lost)) == []


@pytest.mark.skipif(not IS_LONG, reason="it takes minutes")
@pytest.mark.parametrize("name", OF_FORMATS)
def test_each_field_of_other_formats_is_looked_at(name: str) -> None:
    bundle = (FILES / f"{name}.zip").read_bytes()
    assert list(unnoticed(bundle, OF_FORMATS[name])) == []
