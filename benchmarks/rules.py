"""How fast the rules are: perft and random playouts of each game, next to python-chess's perft.

``python -m benchmarks.rules [--seconds 3]``. Perft is measured twice: *visited*, where each node is
played, and *counted*, where the last level is counted without being played, as python-chess's own
example does; a step that a referee applies is compared with a node that is visited. Each game is
searched from positions along one random match, so that no single phase decides the figure.

All is measured in turns, five times, and the best of them counts: a neighbour on the processor only
ever makes something slower, and not always the same thing.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any

import chess
from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure
from polynya_games import State, load
from polynya_games.perft import perft, playout

GAMES = ("packeis", "arktia", "icecult")
SEED = 20
TURNS = 5
CHESS_POSITIONS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
)


def chess_perft(board: chess.Board, depth: int, counted: int) -> int:
    """Nodes ``depth`` moves away; the last level is not played if ``counted`` is 1 (else 0)."""
    if depth == counted:
        return board.legal_moves.count() if counted else 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += chess_perft(board, depth - 1, counted)
        board.pop()
    return count


def visiting_perft(state: State, depth: int) -> int:
    """Nodes ``depth`` steps away, each of them played."""
    if depth == 0:
        return 1
    return sum(visiting_perft(state.apply_legal(step), depth - 1) for step in state.legal_steps())


def positions_of_a_match(game: str, players: int = 2, every: int = 5) -> list[State]:
    """Every fifth position of one random match, the last few left out."""
    generator = random.Random(SEED)
    state = load(game).setup(players, SEED)
    positions = []
    while state.to_move is not None:
        positions.append(state)
        state = state.apply_legal(generator.choice(state.legal_steps()))
    return positions[:-10:every]


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units per second: each call of ``work`` returns how many it did."""
    units, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds or not units:
        units += work()
    return units / elapsed


def _perfts(game: str, search: Callable[[State, int], int]) -> Callable[[], int]:
    positions = positions_of_a_match(game)
    return lambda: sum(search(position, 2) for position in positions)


def _playouts(game: str) -> Callable[[], int]:
    start, generator = load(game).setup(2, SEED), random.Random(SEED)

    def one() -> int:
        playout(start, generator)
        return 1

    return one


def _steps(game: str) -> Callable[[], int]:
    """Checked steps of one random match, applied again and again as a referee does."""
    generator = random.Random(SEED)
    start = state = load(game).setup(2, SEED)
    steps = []
    while state.to_move is not None:
        steps.append(list(generator.choice(state.legal_steps())))
        state = state.apply(steps[-1])

    def once() -> int:
        position = start
        for step in steps:
            position = position.apply(step)
        return len(steps)

    return once


def _chess(counted: int) -> Callable[[], int]:
    return lambda: sum(chess_perft(chess.Board(fen), 3, counted) for fen in CHESS_POSITIONS)


def measure(seconds: float) -> dict[str, dict[str, float]]:
    """The best rates per second: perft nodes of python-chess and each game, steps and playouts.

    Each is measured for ``seconds`` in all, in turns with the others.
    """
    works = {"python-chess": {"visited": _chess(0), "counted": _chess(1)}}
    for game in GAMES:
        works[game] = {
            "visited": _perfts(game, visiting_perft),
            "counted": _perfts(game, perft),
            "steps": _steps(game),
            "playouts": _playouts(game),
        }
    best = {name: dict.fromkeys(some, 0.0) for name, some in works.items()}
    for _ in range(TURNS):
        for name, some in works.items():
            for what, work in some.items():
                best[name][what] = max(best[name][what], rate(work, seconds / TURNS))
    return best


def figures(results: dict[str, Any]) -> list[Figure]:
    """The games' rates next to python-chess's, which are the goal."""
    base = results["python-chess"]
    return [
        Figure("rules", f"{game}: {what} / python-chess", rates[key] / base[other], 1, "higher")
        for game, rates in results.items()
        if game in GAMES
        for what, key, other in (
            ("perft nodes, visited", "visited", "visited"),
            ("perft nodes, counted", "counted", "counted"),
            ("steps", "steps", "visited"),
        )
    ]


def table(results: dict[str, Any]) -> Table:
    """The rates for people, with the ratio to python-chess."""
    base = results["python-chess"]
    base = {**base, "steps": base["visited"]}
    shown = Table(title="Rules, per second (and times python-chess)")
    for heading in ("", "perft, visited", "perft, counted", "steps applied", "playouts"):
        shown.add_column(heading, justify="right")
    for name, rates in results.items():
        cells = [
            f"{rates[key]:,.0f} ({rates[key] / base[key]:.2f})" if key in rates else ""
            for key in ("visited", "counted", "steps")
        ]
        shown.add_row(name, *cells, f"{rates['playouts']:,.0f}" if "playouts" in rates else "")
    return shown


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How fast the rules are, next to python-chess.")
    parser.add_argument("--seconds", type=float, default=3, help="how long each figure is measured")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    results = measure(arguments.seconds)
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        Console().print(table(results))


if __name__ == "__main__":
    main()
