"""``polynya games``: which games are installed, and whether they keep the interface's promises."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import GameFlag, Json, Number, Options, read_options
from polynya_conformance.secrecy.frame_check import check_frames
from polynya_contest.pairing.formats.format_settings import in_range
from polynya_foreign.process_check import check_processes
from polynya_games import Game, installed, load
from polynya_games.checks import check_game

MOST_CHECKED = 1_000_000


def list_games(*, as_json: Json = False) -> int:
    """List the games that are installed, with their set-up options.

    A game is a Python package with an entry point of the group "polynya.games".
    Exit code 1 if one of them cannot be loaded. Not listed, but played as well are
    openspiel:NAME (docs/openspiel.md) and a folder as ./nim
    (docs/games-in-any-language.md).

    Args:
        as_json: Write JSON instead of a table.
    """
    games = [_described(name, point) for name, point in installed().items()]
    if as_json:
        write_json(games)
    else:
        write_table(
            ["game", "title", "players", "options", "package"],
            [[game["name"], *_cells(game), game["package"]] for game in games],
        )
    return int(any(game["error"] is not None for game in games))


def _described(name: str, point: EntryPoint) -> dict[str, Any]:
    package = point.dist.name if point.dist is not None else None
    try:
        game = load(name)
    except Exception as error:  # the imported code is not ours
        return {"name": name, "package": package, "error": f"{type(error).__name__}: {error}"}
    return {"name": name, "package": package, "error": None, **_properties(game)}


def _properties(game: Game) -> dict[str, Any]:
    return {
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "options": [
            {"name": each.name, "default": each.default, "description": each.description}
            for each in game.options
        ],
    }


def _cells(game: dict[str, Any]) -> tuple[str, str, str]:
    if game["error"] is not None:
        return f"cannot be loaded: {game['error']}", "", ""
    options = ", ".join(option["name"] for option in game["options"])
    return game["title"], f"{game['min_players']}-{game['max_players']}", options


def check(
    game: GameFlag,
    /,
    *,
    players: Annotated[tuple[Number, ...], Parameter(show_default=False)] = (),
    matches: Number = 2,
    option: Options = (),
    as_json: Json = False,
) -> int:
    """Check that a game fulfils the interface of games.

    The command plays random matches and checks in many positions that states
    survive JSON, legal steps are sorted and legal, other steps are refused,
    positions are immutable, a forfeit is possible at every turn, the same seed
    gives the same match, and the ranking fits. If the game has hidden parts or
    joint turns, a server plays some of its positions over sockets: no client
    may receive other bytes because of a hidden card, or because of the order of
    the answers. Exit code 1 if a check fails.

    Args:
        game: An installed game, the folder of a game as ./nim, or openspiel:NAME.
        players: A number of players to try, may be repeated; by default all that the game allows.
        matches: Random matches with each number of players, up to a million.
        option: A set-up option, key=value (JSON, or else text) or key=@FILE; may be repeated.
        as_json: Write JSON instead of a table.
    """
    checked = load(game)
    options = read_options(option)
    in_range("--matches", matches, 1, MOST_CHECKED)
    for count in players:
        checked.initial_state(count, 0, options)
    findings = check_game(checked, players, matches, (options,))
    findings += check_processes(checked, players, options)
    findings += check_frames(checked, players, options)
    if as_json:
        write_json(
            [{"check": each.name, "ok": each.ok, "found": each.sentence} for each in findings]
        )
    else:
        write_table(
            ["check", "", "found"],
            [[each.name, "ok" if each.ok else "FAILED", each.sentence] for each in findings],
        )
        failed = sum(not each.ok for each in findings)
        write_line(f"{failed} of {len(findings)} checks failed" if failed else "all checks hold")
    return int(not all(each.ok for each in findings))
