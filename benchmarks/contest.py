"""A contest of some thousand matches: ten bots, three games, two to four players, nine tournaments.

The bots are greedy in 0 to 90 % of their turns. Each tournament
is played from its description, reported, and verified from its bundle alone. All of it follows from
the seed: a second run gives the same results.

``python -m benchmarks.contest --folder contest`` takes about a quarter of an hour on two cores, and
leaves descriptions, database, pages and bundles in the folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

BOT = Path(__file__).with_name("wavering_bot.py")
EXAMPLES = Path(__file__).parents[1] / "clients" / "python" / "examples"
CYCLES = {
    "packeis": {2: 6, 3: 6, 4: 8},
    "arktia": {2: 6, 3: 6, 4: 8},
    "icecult": {2: 2, 3: 2, 4: 2},
}
"""By game and number of players: 540, 510 and 480 matches, but 180, 150 and 120 of Ice Cult, where
greedy bots look at hundreds of turns.
"""
SHARES = range(0, 100, 10)


def description(game: str, players: int, seed: int, share: float) -> str:
    """The tournament's TOML; a ``share`` below 1 takes fewer cycles."""
    bots = [
        f'[[bots]]\nname = "greedy-{percent:02}"\n'
        f"command = {json.dumps([sys.executable, str(BOT), str(percent / 100)])}\n"
        f'environment = {{ PYTHONPATH = "{EXAMPLES}" }}\n'
        for percent in SHARES
    ]
    return (
        f'name = "{game}-{players}"\ngame = "{game}"\nplayers = {players}\nseed = {seed}\n'
        f"cycles = {max(1, round(CYCLES[game][players] * share))}\nconcurrency = 4\n"
        "clock = { initial_ms = 60_000, increment_ms = 1_000 }\nstart_ms = 120_000\n"
        'database = "contest.sqlite"\n\n' + "\n".join(bots)
    )


def polynya(*words: object) -> str:
    """The standard output of a command; a failure ends the contest."""
    command = [sys.executable, "-c", "from polynya_app import main; main()"]
    result = subprocess.run(
        [*command, *map(str, words)], stdout=subprocess.PIPE, check=True, text=True
    )
    return result.stdout


def tournament(folder: Path, name: str) -> tuple[int, float, int, float]:
    """Play one: its matches, the seconds, the bundle's bytes, and the seconds of its verification.

    What was played before, in a run that was stopped, is not played again.
    """
    began = time.monotonic()
    table = json.loads(polynya("tournament", "run", folder / f"{name}.toml", "--json"))
    seconds = time.monotonic() - began
    page, bundle = folder / f"{name}.html", folder / f"{name}.zip"
    database = folder / "contest.sqlite"
    polynya(
        "tournament", "report", name, "--database", database, "--html", page, "--bundle", bundle
    )
    began = time.monotonic()
    polynya("tournament", "verify", bundle)
    return table["played"], seconds, bundle.stat().st_size, time.monotonic() - began


def main() -> None:
    """Play all nine, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("contest"))
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--share", type=float, default=1.0, help="of the cycles: 0.2 for a look")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    print("| tournament | matches | played in | bundle | verified in |\n|---|---|---|---|---|")
    for game, cycles in CYCLES.items():
        for players in cycles:
            name = f"{game}-{players}"
            text = description(game, players, arguments.seed, arguments.share)
            (folder / f"{name}.toml").write_text(text, encoding="utf-8")
            matches, seconds, size, verified = tournament(folder, name)
            cells = (name, matches, f"{seconds:.0f} s", f"{size / 1e6:.2f} MB", f"{verified:.0f} s")
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
