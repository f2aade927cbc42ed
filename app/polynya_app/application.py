"""The tree of commands, and how each of them ends: with which exit code and which words.

Exit codes: 0 done, 1 something that was asked for failed, 2 bad arguments or configuration,
130 interrupted by Ctrl-C, 141 the reader of the output has gone, as ``| head -1`` does. Command
modules are imported only when they are used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import (
    App,
    CycloptsError,
    MissingArgumentError,
    Parameter,
    UnknownOptionError,
    UnusedCliTokensError,
)

from polynya_app.console.output import complain
from polynya_app.version import version_line
from polynya_common.errors import ConfigurationError, TournamentError, unwrap_single_error
from polynya_common.extras import missing_package
from polynya_common.text import join_words
from polynya_contest.config.builtin_bots import builtin_names
from polynya_games import DEFAULT_GAME, GameError

DONE, FAILED, BAD_ARGUMENTS, INTERRUPTED, NO_READER = 0, 1, 2, 130, 141

_MODULES = "polynya_app.commands"

app = App(
    name="polynya",
    help="Hosts contests between bots over TCP: matches, tournaments, ratings.",
    help_format="plaintext",
    help_epilogue="""Examples:
  polynya match greedy random --games 4      two built-in bots, four matches
  polynya match greedy 'python3 my_bot.py'   your bot against a built-in one
  polynya tournament run FILE.toml           a tournament, a table at its end
  polynya serve --open-registration          a server that bots connect to

'polynya COMMAND --help' says more about each command. Exit codes: 0 done,
1 something that was asked for failed, 2 bad arguments or configuration,
130 interrupted.""",
    version=version_line,
    backend="trio",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(negative=""),
)


def _group(name: str, summary: str) -> App:
    more = f"'polynya {name} COMMAND --help' says more about each command."
    group = App(name=name, help=summary, help_epilogue=more)
    app.command(group)
    return group


def _add(group: App, name: str, function: str, examples: str) -> None:
    """Register ``module:function``; its docstring is the help, ``examples`` stand below it.

    In these ``GAME`` is a game that is installed, and ``BUILTIN`` the built-in bots.
    """
    examples = examples.replace("GAME", DEFAULT_GAME).replace(
        "BUILTIN", join_words(builtin_names())
    )
    epilogue = f"Examples:\n{examples.strip(chr(10))}"
    group.command(f"{_MODULES}.{function}", name=name, help_epilogue=epilogue)


_add(
    app,
    "match",
    "play.match:play_match",
    """
  polynya match greedy random --games 4
  polynya match greedy 'python3 my_bot.py' --games 20 --move-ms 100
  polynya match greedy random 'python3 my_bot.py' --game GAME
  polynya match greedy random --database mine.sqlite --seed 7
  polynya match './new' './old' --sprt elo0=0 elo1=10 --games 20000

Built in are BUILTIN:
a bot named after a game plays that game, the others play every game.""",
)
_add(
    app,
    "serve",
    "play.serve:serve",
    """
  polynya serve --open-registration
  polynya serve --open-registration --web-port 8080
  polynya serve ladder.toml --port 4243
  polynya serve --host 0.0.0.0 --port 4242 --database ladder.sqlite
  polynya serve --initial-ms 60000 --increment-ms 500
  polynya serve --game GAME --players 3 --option KEY=VALUE""",
)

_add(
    app,
    "web",
    "play.web:web",
    """
  polynya web --database demo/polynya.sqlite
  polynya web --database ladder.sqlite --host 0.0.0.0 --port 8080""",
)

_add(
    app,
    "upload",
    "programs.upload:upload",
    """
  polynya upload my_bot --server https://contest.example
  polynya upload my_bot.zip --server http://127.0.0.1:8080 --name my_bot""",
)

_tournament = _group("tournament", "Play tournaments and see how they stand.")
_add(
    _tournament,
    "run",
    "play.tournament:run",
    """
  polynya tournament run my-tournament.toml
  polynya tournament run my-tournament.toml --web-port 8080
  polynya tournament run my-tournament.toml --json > table.json

The same command continues a tournament that was stopped. 'tournaments/examples'
in the source has descriptions to begin with.""",
)
_add(
    _tournament,
    "resume",
    "play.tournament:run",
    """
  polynya tournament resume my-tournament.toml

This is 'polynya tournament run', which continues by itself.""",
)
_add(
    _tournament,
    "status",
    "play.tournament:status",
    """
  polynya tournament status --database results.sqlite
  polynya tournament status autumn --database results.sqlite --json""",
)
_add(
    _tournament,
    "report",
    "records.report:report",
    """
  polynya tournament report --database results.sqlite
  polynya tournament report autumn --html autumn.html --csv autumn
  polynya tournament report autumn --database results.sqlite --bundle autumn.zip""",
)
_add(
    _tournament,
    "verify",
    "records.verify:verify_bundle",
    """
  polynya tournament verify autumn.zip
  polynya tournament verify autumn.html --public-key KEY""",
)
_add(
    _tournament,
    "keygen",
    "records.report:keygen",
    """
  polynya tournament keygen --database results.sqlite
  polynya tournament keygen --key host.key --json""",
)

_replay = _group("replay", "Show, export, import and verify recorded matches.")
_add(
    _replay,
    "show",
    "records.replay:show",
    """
  polynya replay show demo-1 --database demo/polynya.sqlite
  polynya replay show demo-1.replay --json""",
)
_add(
    _replay,
    "open",
    "play.web:open_replay",
    """
  polynya replay open demo-1 --database demo/polynya.sqlite
  polynya replay open demo-1.replay --no-browser""",
)
_add(
    _replay,
    "export",
    "records.replay:export",
    """
  polynya replay export demo-1 --to replays --database demo/polynya.sqlite
  polynya replay export --all --to replays --database demo/polynya.sqlite --json
  polynya replay export demo-1 --html --database demo/polynya.sqlite
  polynya replay export demo-1.replay --html --language de""",
)
_add(
    _replay,
    "verify",
    "records.replay:verify_replays",
    """
  polynya replay verify demo-1.replay
  polynya replay verify --all --database demo/polynya.sqlite""",
)

_add(
    _replay,
    "import",
    "records.replay:import_replays",
    """
  polynya replay import evening-12.match --database ladder.sqlite
  polynya replay import matches/*.replay --database ladder.sqlite --json""",
)

_results = _group(
    "results", "Export results for other programs; import results of matches played elsewhere."
)
_add(
    _results,
    "export",
    "records.results:export",
    """
  polynya results export --database demo/polynya.sqlite > results.csv
  polynya results export autumn --format trf26 --to autumn.trf""",
)
_add(
    _results,
    "import",
    "records.results:import_results",
    "\n  polynya results import results.csv --database ladder.sqlite",
)

_ratings = _group(
    "ratings",
    "Show ratings, as 'polynya ratings --database FILE' does, or compute them.",
)
_SHOW_RATINGS = """
  polynya ratings --database demo/polynya.sqlite
  polynya ratings show --game GAME --players 2 --json"""
_add(_ratings, "show", "records.ratings:show", _SHOW_RATINGS)
_add(
    _ratings,
    "analyse",
    "records.analyse:analyse_ratings",
    """
  polynya ratings analyse --game GAME --clock bullet --since 2026-11-01
  polynya ratings analyse --tournament autumn --tournament winter --csv both""",
)
_add(
    _ratings,
    "recompute",
    "records.ratings:recompute_ratings",
    """
  polynya ratings recompute --database demo/polynya.sqlite
  polynya ratings recompute --check --database demo/polynya.sqlite""",
)

_bots = _group("bots", "The bots in a database, and their tokens.")
_add(_bots, "list", "records.bots:list_bots", "\n  polynya bots list --database ladder.sqlite")
_add(_bots, "add", "records.bots:add", "\n  polynya bots add my_bot --database ladder.sqlite")
_add(
    _bots,
    "rotate",
    "records.bots:rotate",
    "\n  polynya bots rotate my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "revoke",
    "records.bots:revoke",
    "\n  polynya bots revoke my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "suspend",
    "records.bots:suspend",
    "\n  polynya bots suspend my_bot --why 'it floods its log'",
)
_add(
    _bots,
    "resume",
    "records.bots:resume",
    "\n  polynya bots resume my_bot --database ladder.sqlite",
)
_add(_bots, "annul", "records.bots:annul", "\n  polynya bots annul my_bot --since 2026-11-25T18:00")
_add(_bots, "logs", "records.bots:logs", "\n  polynya bots logs my_bot --database ladder.sqlite")
_add(
    _bots,
    "history",
    "records.bots:history",
    "\n  polynya bots history my_bot --database ladder.sqlite",
)

_uploads = _group("uploads", "Uploaded programs, and which version plays.")
_add(
    _uploads,
    "list",
    "programs.uploads:list_uploads",
    "\n  polynya uploads list --database ladder.sqlite",
)
_add(_uploads, "log", "programs.uploads:show_log", "\n  polynya uploads log my_bot@1.2")
_add(_uploads, "use", "programs.uploads:use", "\n  polynya uploads use my_bot@1.1")
_add(
    _uploads,
    "disable",
    "programs.uploads:disable",
    "\n  polynya uploads disable my_bot@1.2 --why 'it fills the disk'",
)
_add(
    _uploads,
    "rebuild",
    "programs.uploads:rebuild",
    "\n  polynya uploads rebuild --database ladder.sqlite\n  polynya uploads rebuild my_bot@1.2",
)
_add(_uploads, "queue", "programs.uploads:queue", "\n  polynya uploads queue")
_add(_uploads, "usage", "programs.uploads:usage", "\n  polynya uploads usage")
_add(_uploads, "cancel", "programs.uploads:cancel", "\n  polynya uploads cancel my_bot@1.2")
_add(_uploads, "remove", "programs.uploads:remove", "\n  polynya uploads remove my_bot@1.0")
_add(
    _uploads,
    "prune",
    "programs.uploads:prune",
    "\n  polynya uploads prune uploads --database ladder.sqlite --yes",
)
_add(
    app,
    "languages",
    "programs.new_bot:languages",
    "\n  polynya languages\n  polynya languages --json",
)

_db = _group("db", "Back up, restore, copy or upgrade a database; remove old replays.")
_add(
    _db,
    "backup",
    "records.db:backup",
    "\n  polynya db backup ladder-2026-11-25.sqlite --database ladder.sqlite",
)
_add(
    _db,
    "restore",
    "records.db:restore_database",
    "\n  polynya db restore ladder-2026-11-25.sqlite --database ladder.sqlite",
)
_add(
    _db,
    "copy",
    "records.db:copy",
    "\n  polynya db copy ladder.sqlite postgresql://polynya@db.example/contest"
    "\n  polynya db copy postgresql://polynya@db.example/contest ladder.sqlite",
)
_add(
    _db,
    "prune",
    "records.db:prune",
    """
  polynya db prune --keep-replays-days 90 --database ladder.sqlite
  polynya db prune --keep-replays-days 90 --yes --database ladder.sqlite""",
)

_add(
    _db,
    "upgrade",
    "records.db:upgrade",
    "\n  polynya db upgrade --database ladder.sqlite",
)

_games = _group("games", "The games that are installed.")
_add(
    _games,
    "list",
    "inspection.games:list_games",
    "\n  polynya games list\n  polynya games list --json",
)
_add(_games, "check", "inspection.games:check", "\n  polynya games check GAME")

_add(
    app,
    "check",
    "programs.check:check",
    """
  polynya check --bot 'python3 my_bot.py'
  polynya check --bot ./my_bot --game GAME --json
  polynya check tcp://127.0.0.1:4242
  polynya check tcp://contest.example:4242 --name my_bot --token TOKEN""",
)
_add(
    app,
    "new-bot",
    "programs.new_bot:new_bot",
    """
  polynya new-bot my_bot
  polynya new-bot --lang rust --game GAME my_bot
  polynya new-bot --lang bridge my_bot""",
)
_add(
    app,
    "rerun",
    "programs.rerun:rerun_seat",
    """
  polynya rerun demo-1.replay --seat 0 -- python3 my_bot.py
  polynya rerun demo-1 --seat 1 --database demo/polynya.sqlite --json -- greedy""",
)
_add(
    app,
    "trace",
    "inspection.trace:trace",
    """
  polynya trace GAME --players 2
  echo '{"forfeit": 0}' | polynya trace GAME --players 3 --seed 7
  polynya trace GAME --players 3 --option KEY=VALUE
  polynya trace GAME --players 4 --state position.json""",
)

_add(
    app,
    "doctor",
    "inspection.doctor:doctor",
    """
  polynya doctor
  polynya doctor --folder /var/lib/polynya --json""",
)

_add(
    app,
    "docs",
    "inspection.docs:docs",
    """
  polynya docs
  polynya docs --port 8000 --no-browser""",
)

_protocol = _group("protocol", "The protocol between server and bots.")
_add(_protocol, "schema", "inspection.docs:schema", "\n  polynya protocol schema > schema.json")


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Standard error has a sentence on each failure."""
    try:
        with unwrap_single_error():
            words = with_defaults(list(arguments))
            _import_listed(words)
            code = app(words, exit_on_error=False, print_error=False)
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt, SystemExit) as raised:
        return _explain(raised)
    return code if isinstance(code, int) else DONE


def _import_listed(arguments: Sequence[str]) -> None:
    """Import the commands of the group that is asked for: its page shows their first sentences."""
    group = app
    if arguments[:1] == ["--version"]:
        return
    for word in arguments:
        if group.default_command is not None or word.startswith("-") or word not in group:
            break
        group = group[word]
    if group.default_command is None:
        for name in group:
            group[name]


def with_defaults(arguments: list[str]) -> list[str]:
    """``polynya ratings --game x`` is ``polynya ratings show --game x``."""
    shows_ratings = arguments[:1] == ["ratings"] and not any(
        word in ("show", "analyse", "recompute", "--help", "-h") for word in arguments[1:2]
    )
    return ["ratings", "show", *arguments[1:]] if shows_ratings else arguments


def _explain(raised: BaseException) -> int:
    """Say what went wrong, and the exit code for it; a bug is raised again, with its traceback."""
    match raised:
        case KeyboardInterrupt():
            complain("interrupted")
            return INTERRUPTED
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return NO_READER
        case SystemExit() if isinstance(raised.__context__, BrokenPipeError):
            return NO_READER  # what rich makes of it
        case CycloptsError():
            complain(_usage(raised))
            return BAD_ARGUMENTS
        case ConfigurationError() | GameError():
            complain(str(raised))
            return BAD_ARGUMENTS
        case ModuleNotFoundError() if sentence := missing_package(raised):
            complain(sentence)
            return FAILED
        case TournamentError():
            complain(str(raised))
            return FAILED
        case OSError():
            complain(raised.strerror or str(raised))
            return FAILED
        case _:
            raise raised


def _word(error: UnknownOptionError) -> str:
    return error.token.keyword or error.token.value


def _missing(name: str, given: Sequence[str]) -> str:
    """The sentence for an argument, or for the value of an option that was given."""
    if name not in given:
        return f"{name} is missing"
    return f"{name} has no value; write a value that begins with a dash as {name}=-VALUE"


def _usage(error: CycloptsError) -> str:
    chain = " ".join(["polynya", *(error.command_chain or ())])
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        said = f"unexpected argument {error.unused_tokens[0]!r}"
    elif isinstance(error, MissingArgumentError) and error.argument is not None:
        said = _missing(error.argument.name, error.root_input_tokens or ())
    elif isinstance(error, UnknownOptionError) and not _word(error).startswith("--"):
        said = (
            f"unknown option {_word(error)}; "
            "write an argument that begins with a dash last, after --"
        )
    else:
        said = str(error).strip().removesuffix(".")
    return f"{said}; '{chain} --help' lists its arguments"
