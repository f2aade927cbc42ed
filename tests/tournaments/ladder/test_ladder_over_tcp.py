"""The ladder with real bots over TCP: for two, three and four players, and with a new version."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from polynya_app.application import run
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store

BOT = """
import random, sys
import polynya_client

polynya_client.run(
    lambda turn: [random.choice(turn.legal)],
    wants=["legal"],
    name=sys.argv[1],
    software={"name": "one of many", "version": sys.argv[2]},
)
"""
ENOUGH = 14
BOTS = ("ann", "bob", "cid", "dot")
DEADLINE_S = 120
TOKEN = "the token of {}, which is as long as tokens are"  # noqa: S105 -- only of this test


@contextmanager
def bot(folder: Path, port: str, name: str, version: str) -> Iterator[None]:
    """A bot that plays at random, and says that it is this version."""
    log = (folder / f"{name}.txt").open("ab")
    environment = os.environ | {"POLYNYA_PORT": port, "POLYNYA_TOKEN": TOKEN.format(name)}
    with (
        log,
        subprocess.Popen(
            [sys.executable, "-c", BOT, name, version],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            yield
        finally:
            process.kill()


@contextmanager
def ladder(
    polynya: list[str], folder: Path, settings: str
) -> Iterator[tuple[str, Iterator[Mapping[str, Any]]]]:
    """A server that plays a ladder: its port, and what it logs, event by event."""
    file = folder / "ladder.toml"
    file.write_text(settings + "clock = { move_ms = 60000 }\n", encoding="utf-8")
    command = [*polynya, "serve", str(file), "--port", "0"]
    with ExitStack() as stack:
        server = stack.enter_context(
            subprocess.Popen(
                [*command, "--database", str(folder / "ladder.sqlite")],
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONFAULTHANDLER": "1"},
            )
        )
        stack.callback(server.kill)
        # Aborted, it prints where each of its threads is.
        too_late = threading.Timer(DEADLINE_S, server.send_signal, [signal.SIGABRT])
        too_late.start()
        stack.callback(too_late.cancel)
        assert server.stderr is not None
        yield server.stderr.readline().rpartition(":")[2].strip(), logged(server, folder)
        server.send_signal(signal.SIGTERM)
        server.stderr.read()
        assert server.wait(60) == 0


def logged(server: subprocess.Popen[str], folder: Path) -> Iterator[Mapping[str, Any]]:
    """Event by event; if there are no more, all that is known of why."""
    assert server.stderr is not None
    events: list[Mapping[str, Any]] = []
    for line in server.stderr:
        try:
            events.append(json.loads(line))
        except json.JSONDecodeError:
            rest = line + server.stderr.read()
            break
        yield events[-1]
    else:
        rest = "nothing more"
    bots = "\n".join(f"{log.name}: {log.read_text('utf-8')}" for log in folder.glob("*.txt"))
    last = "\n".join(str(event) for event in events[-20:])
    pytest.fail(f"the server ended with {server.wait(60)}: {rest}\n{last}\n{bots}")


def play(polynya: list[str], folder: Path, settings: str, versions: dict[str, str]) -> list[str]:
    """Some ladder matches between bots of these versions; the reasons that were logged."""
    with Store.open(folder / "ladder.sqlite", for_play=True) as store:
        for name in versions:
            store.bots.set_token(name, hash_token(TOKEN.format(name)))
    reasons, over = [], 0
    with ladder(polynya, folder, settings) as (port, events), ExitStack() as stack:
        for name, version in versions.items():
            stack.enter_context(bot(folder, port, name, version))
        while over < ENOUGH:
            event = next(events)
            over += event["event"] == "a match is over"
            if event["event"] == "a match begins":
                reasons.append(event["why"])
    return reasons


@pytest.mark.parametrize(
    ("players", "rating"), [(2, "elo"), (3, "openskill"), (4, "elo"), (4, "openskill")]
)
def test_a_ladder_of_each_size_is_rated_and_computed_again(
    players: int, rating: str, polynya: list[str], tmp_path: Path
) -> None:
    settings = f'players = {players}\nrating.system = "{rating}"\nseat_games = 1\npace_ms = 1\n'
    reasons = play(polynya, tmp_path, settings, dict.fromkeys(BOTS, "1"))
    database = tmp_path / "ladder.sqlite"
    with Store.open(database) as store:
        rows = store.ratings.find(game="packeis", players=players, system=rating)
        matches = store.matches.find()
    assert [str(row.why) for row in matches][:ENOUGH] == reasons[:ENOUGH]
    rated = [match for match in matches if match.seats[0].rank is not None]
    assert sum(row.games for row in rows) == players * len(rated)
    assert {(row.version, row.anchor) for row in rows} == {("1", False)}
    assert run(["ratings", "recompute", "--check", "--database", str(database)]) == 0


def test_a_new_version_keeps_the_name_and_begins_with_its_rating(
    polynya: list[str], tmp_path: Path
) -> None:
    settings = "seat_games = 0\nconcurrency = 1\npace_ms = 0\n"
    play(polynya, tmp_path, settings, {"ann": "1.2", "bob": "7"})
    play(polynya, tmp_path, settings, {"ann": "1.3", "bob": "7"})
    with Store.open(tmp_path / "ladder.sqlite") as store:
        old, new = [row for row in store.ratings.versions() if row.bot == "ann"]
        [present] = [row for row in store.ratings.find() if row.bot == "ann"]
        with store.database.reading() as connection:
            first = connection.exec_driver_sql(
                "SELECT rating_changes.before FROM rating_changes JOIN bots "
                "ON bots.id = bot_id WHERE bots.name = 'ann' AND version = '1.3' "
                "ORDER BY rating_changes.id LIMIT 1"
            ).scalar()
    assert (old.version, new.version, new.present) == ("1.2", "1.3", True)
    assert first == old.rating
    assert (present.rating, present.games) == (new.rating, old.games + new.games)
