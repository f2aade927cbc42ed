"""Uploaded bots play a tournament with duplicate deals, and cannot remember one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import trio
from tests.clients.toolchains import require_sandboxes
from tests.games.example_games import example_games
from tests.tournaments.uploads.test_tournament_bots import described, received, unpacked

from polynya_app.application import run
from polynya_contest.config.tournament_checks import check_for_play, load_configuration
from polynya_hosting.kits.templates import write_kit
from polynya_server.records import decode_replay
from polynya_store import Store
from polynya_tournaments.tournament.runner import run_tournament
from polynya_tournaments.uploads.tournament_bots import with_uploads

__all__ = ["example_games"]

CUP = """
name = "cup"
game = "kuhn"
cycles = 2
duplicate = true
fresh_processes = true
uploads = "uploads"
database = "contest.sqlite"
logs = "logs"
clock = { move_ms = 60000 }
start_ms = 120000

[[bots]]
name = "handed-in"
upload = "fish@0.1"

[[bots]]
name = "random"
builtin = "random"
"""
REMEMBERS = """
from pathlib import Path
for folder in (Path("/tmp"), Path("/dev/shm"), Path.cwd()):
    try:
        memory = folder / "memory"
        print("it remembers" if memory.exists() else "nothing", flush=True)
        memory.write_text("a deal")
    except OSError as error:
        print(error, flush=True)
"""


def test_uploaded_bots_play_each_deal_in_both_seats_and_remember_none(
    tmp_path: Path,
) -> None:
    require_sandboxes()
    write_kit("python", "kuhn", tmp_path / "fish")
    [bot] = (tmp_path / "fish").glob("*bot.py")
    future, rest = "from __future__ import annotations\n", bot.read_text()
    bot.write_text(rest.replace(future, future + REMEMBERS) if future in rest else REMEMBERS + rest)
    with Store.open(tmp_path / "contest.sqlite", for_play=True) as store, ExitStack() as held:
        upload = received(store, tmp_path)
        unpacked(tmp_path, "built")
        store.uploads.accept(upload.number, "built")
        configuration = load_configuration(described(tmp_path, CUP))
        check_for_play(configuration)
        configuration = with_uploads(configuration, store, held)
        standings = trio.run(run_tournament, configuration, store)
        records = [decode_replay(document) for _, document in store.matches.replays("cup")]
        blocks = {row.match: row.block for row in store.matches.find()}
    assert (standings.complete, [row.forfeits for row in standings.rows]) == (True, [0, 0])
    dealt = {(blocks[record.setup.match], record.setup.deal) for record in records}
    assert (len(records), len(dealt), len({deal for _, deal in dealt})) == (4, 2, 2)
    assert all(record.setup.rated for record in records)
    said = "".join(path.read_text() for path in (tmp_path / "logs").glob("handed-in*.log"))
    assert said.count("nothing") >= 4
    assert "it remembers" not in said
    assert run(["replay", "verify", "--all", "--database", str(tmp_path / "contest.sqlite")]) == 0
