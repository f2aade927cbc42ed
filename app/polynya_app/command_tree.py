"""The tree of commands: names, first sentences, examples. Their modules are imported when used."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from cyclopts import App, Group, Parameter

from polynya_app.version import version_line
from polynya_common.text import join_words
from polynya_contest.config.builtin_bots import builtin_names
from polynya_games import DEFAULT_GAME

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


_PLAY, _WRITE, _HOST, _DATA, _INSIDE = map(
    Group.create_ordered, ("Play", "Write bots", "Host", "Data", "Look inside")
)
for _flag in ("--help", "--version"):
    app[_flag].group = _INSIDE


def _group(part: Group, name: str, summary: str) -> App:
    more = f"'polynya {name} COMMAND --help' says more about each command."
    group = App(name=name, help=summary, help_epilogue=more, group=part)
    app.command(group)
    return group


def _add(
    group: App, name: str, function: str, summary: str, examples: str, part: Group | None = None
) -> None:
    """Register ``module:function`` without importing it.

    Args:
        group: the command that it belongs to.
        name: its own.
        function: its docstring is its help.
        summary: the first sentence of the docstring, for the list of commands.
        examples: stand below the help; ``GAME`` is a game that is installed, and ``BUILTIN`` the
            built-in bots.
        part: of the list of commands.
    """
    examples = examples.replace("GAME", DEFAULT_GAME).replace(
        "BUILTIN", join_words(builtin_names())
    )
    epilogue = f"Examples:\n{examples.strip(chr(10))}"
    group.command(
        f"{_MODULES}.{function}", name=name, help=summary, group=part, help_epilogue=epilogue
    )


_add(
    app,
    "match",
    "play.match:play_match",
    "Play matches between two or more bots, all in the same matches.",
    """
  polynya match greedy random --games 4
  polynya match greedy 'python3 my_bot.py' --games 20 --move-ms 100
  polynya match greedy random 'python3 my_bot.py' --game GAME
  polynya match greedy random --database mine.sqlite --seed 7
  polynya match './new' './old' --sprt elo0=0 elo1=10 --games 20000
  polynya match mcts random --game openspiel:connect_four

Built in are BUILTIN:
a bot named after a game plays that game, random plays every game, and greedy
those that come with Polynya.""",
    _PLAY,
)
_add(
    app,
    "serve",
    "play.serve:serve",
    "Run a standing server: bots connect, and the ladder pairs the free ones.",
    """
  polynya serve --open-registration
  polynya serve --open-registration --web-port 8080
  polynya serve ladder.toml --port 4243
  polynya serve --host 0.0.0.0 --port 4242 --database ladder.sqlite
  polynya serve --initial-ms 60000 --increment-ms 500
  polynya serve --game GAME --players 3 --option KEY=VALUE""",
    _HOST,
)

_add(
    app,
    "web",
    "play.web:web",
    "Show a database in the browser: matches, replays, ladders, tournaments, bots.",
    """
  polynya web --database demo/polynya.sqlite
  polynya web --database ladder.sqlite --host 0.0.0.0 --port 8080""",
    _HOST,
)

_add(
    app,
    "upload",
    "programs.upload:upload",
    "Upload a program: the server builds it, validates it, and then it plays.",
    """
  polynya upload my_bot --server https://contest.example
  polynya upload my_bot.zip --server http://127.0.0.1:8080 --name my_bot""",
    _WRITE,
)

_tournament = _group(_PLAY, "tournament", "Play tournaments and see how they stand.")
_add(
    _tournament,
    "run",
    "play.tournament:run",
    "Play or continue a tournament, and print its table.",
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
    "play.tournament:resume",
    "Continue a tournament that was stopped: another name for 'run'.",
    "\n  polynya tournament resume my-tournament.toml",
)
_add(
    _tournament,
    "beacon",
    "play.tournament:beacon",
    "Enter the public value that a description names as its beacon.",
    "\n  polynya tournament beacon autumn '4 8 15 16 23 42' --database results.sqlite",
)
_add(
    _tournament,
    "status",
    "play.tournament:status",
    "Show the table of a tournament as it is now; without a name, list all.",
    """
  polynya tournament status --database results.sqlite
  polynya tournament status autumn --database results.sqlite --json""",
)
_add(
    _tournament,
    "report",
    "records.report:report",
    "Report a tournament: ratings, crosstable, seats, forfeits, every match.",
    """
  polynya tournament report --database results.sqlite
  polynya tournament report autumn --html autumn.html --csv autumn
  polynya tournament report autumn --database results.sqlite --bundle autumn.zip""",
)
_add(
    _tournament,
    "verify",
    "records.verify:verify_bundle",
    "Check a tournament's bundle, or the page of its report with the bundle in it.",
    """
  polynya tournament verify autumn.zip
  polynya tournament verify autumn.html --public-key KEY""",
)
_add(
    _tournament,
    "keygen",
    "records.report:keygen",
    "Print the public half of the key that signs bundles; create it if missing.",
    """
  polynya tournament keygen --database results.sqlite
  polynya tournament keygen --key host.key --json""",
)

_replay = _group(_PLAY, "replay", "Show, export, import and verify recorded matches.")
_add(
    _replay,
    "show",
    "records.replay:show",
    "Print a recorded match: set-up, turns with their times, forfeits, result.",
    """
  polynya replay show demo-1 --database demo/polynya.sqlite
  polynya replay show demo-1.replay --json""",
)
_add(
    _replay,
    "open",
    "play.web:open_replay",
    "Show a recorded match in the browser, move by move.",
    """
  polynya replay open demo-1 --database demo/polynya.sqlite
  polynya replay open demo-1.replay --no-browser""",
)
_add(
    _replay,
    "export",
    "records.replay:export",
    "Write recorded matches to files MATCH.replay, one msgpack document each.",
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
    "Play recorded matches again through the rules, and compare.",
    """
  polynya replay verify demo-1.replay
  polynya replay verify --all --database demo/polynya.sqlite""",
)

_add(
    _replay,
    "import",
    "records.replay:import_replays",
    "Bring matches that were played elsewhere into a database.",
    """
  polynya replay import evening-12.match --database ladder.sqlite
  polynya replay import matches/*.replay --database ladder.sqlite --json""",
)

_results = _group(
    _DATA,
    "results",
    "Export results for other programs; import results of matches played elsewhere.",
)
_add(
    _results,
    "export",
    "records.results:export",
    "Write results as CSV or as a tournament report of FIDE (TRF).",
    """
  polynya results export --database demo/polynya.sqlite > results.csv
  polynya results export autumn --format trf26 --to autumn.trf""",
)
_add(
    _results,
    "import",
    "records.results:import_results",
    "Bring results of matches that were played elsewhere, and rate them.",
    "\n  polynya results import results.csv --database ladder.sqlite",
)

_ratings = _group(
    _DATA,
    "ratings",
    "Show ratings, as 'polynya ratings --database FILE' does, or compute them.",
)
_SHOW_RATINGS = """
  polynya ratings --database demo/polynya.sqlite
  polynya ratings show --game GAME --players 2 --json"""
_add(
    _ratings,
    "show",
    "records.ratings:show",
    "Show the present ratings, the highest first.",
    _SHOW_RATINGS,
)
_add(
    _ratings,
    "analyse",
    "records.analyse:analyse_ratings",
    "Estimate all strengths at once from recorded results, with 95 % intervals.",
    """
  polynya ratings analyse --game GAME --clock bullet --since 2026-11-01
  polynya ratings analyse --tournament autumn --tournament winter --csv both""",
)
_add(
    _ratings,
    "recompute",
    "records.ratings:recompute_ratings",
    "Compute all ratings again from the recorded results, and correct them.",
    """
  polynya ratings recompute --database demo/polynya.sqlite
  polynya ratings recompute --check --database demo/polynya.sqlite""",
)

_bots = _group(_HOST, "bots", "Manage the bots in a database, and their tokens.")
_add(
    _bots,
    "list",
    "records.bots:list_bots",
    "List the bots in a database.",
    "\n  polynya bots list --database ladder.sqlite",
)
_add(
    _bots,
    "add",
    "records.bots:add",
    "Register a bot and print its token, which cannot be shown again.",
    """
  polynya bots add my_bot --database ladder.sqlite
  polynya bots add --from names.txt --database ladder.sqlite > tokens.txt""",
)
_add(
    _bots,
    "rotate",
    "records.bots:rotate",
    "Give a bot a new token in place of the one it has, and print it.",
    "\n  polynya bots rotate my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "revoke",
    "records.bots:revoke",
    "Revoke a bot's token: no bot can play under its name any more.",
    "\n  polynya bots revoke my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "suspend",
    "records.bots:suspend",
    "Stop giving a bot ladder matches until 'polynya bots resume NAME'.",
    "\n  polynya bots suspend my_bot --why 'it floods its log'",
)
_add(
    _bots,
    "resume",
    "records.bots:resume",
    "Reinstate a suspended bot: it gets ladder matches again.",
    "\n  polynya bots resume my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "annul",
    "records.bots:annul",
    "Annul a bot's ladder matches since a time: they no longer count for ratings.",
    "\n  polynya bots annul my_bot --since 2026-11-25T18:00",
)
_add(
    _bots,
    "logs",
    "records.bots:logs",
    "Show how a bot's processes ended, and the time and memory that they used.",
    "\n  polynya bots logs my_bot --database ladder.sqlite",
)
_add(
    _bots,
    "history",
    "records.bots:history",
    "Show the interventions of hosts: annulments, recomputations, suspensions.",
    "\n  polynya bots history my_bot --database ladder.sqlite",
)

_uploads = _group(_HOST, "uploads", "Manage uploaded programs, and choose the version that plays.")
_add(
    _uploads,
    "list",
    "programs.uploads:list_uploads",
    "List the versions that were uploaded, the latest first.",
    "\n  polynya uploads list --database ladder.sqlite",
)
_add(
    _uploads,
    "log",
    "programs.uploads:show_log",
    "Print a version's build log and, if it was refused, its last validation match.",
    "\n  polynya uploads log my_bot@1.2",
)
_add(
    _uploads,
    "use",
    "programs.uploads:use",
    "Choose the version that a bot plays, an older one too; matches in play finish.",
    "\n  polynya uploads use my_bot@1.1",
)
_add(
    _uploads,
    "disable",
    "programs.uploads:disable",
    "Disable a version; the version before it plays instead, if there is one.",
    "\n  polynya uploads disable my_bot@1.2 --why 'it fills the disk'",
)
_add(
    _uploads,
    "rebuild",
    "programs.uploads:rebuild",
    "Build and validate versions again, for example with a new compiler.",
    "\n  polynya uploads rebuild --database ladder.sqlite\n  polynya uploads rebuild my_bot@1.2",
)
_add(
    _uploads,
    "queue",
    "programs.uploads:queue",
    "List the uploads that are being built or validated, or wait for it.",
    "\n  polynya uploads queue",
)
_add(
    _uploads,
    "usage",
    "programs.uploads:usage",
    "Show the disk space of each bot's versions, and the total.",
    "\n  polynya uploads usage",
)
_add(
    _uploads,
    "cancel",
    "programs.uploads:cancel",
    "Stop building or validating a version.",
    "\n  polynya uploads cancel my_bot@1.2",
)
_add(
    _uploads,
    "remove",
    "programs.uploads:remove",
    "Delete a version; only its name stays reserved.",
    "\n  polynya uploads remove my_bot@1.0",
)
_add(
    _uploads,
    "prune",
    "programs.uploads:prune",
    "Remove old refused versions, idle programs, and files of no version.",
    "\n  polynya uploads prune uploads --database ladder.sqlite --yes",
)
_add(
    app,
    "languages",
    "programs.new_bot:languages",
    "Show the languages whose bots this machine can build and run.",
    "\n  polynya languages\n  polynya languages --json",
    _WRITE,
)

_db = _group(_DATA, "db", "Back up, restore, copy or upgrade a database; remove old replays.")
_add(
    _db,
    "backup",
    "records.db:backup",
    "Copy a database into one file, also while a server or tournament uses it.",
    "\n  polynya db backup ladder-2026-11-25.sqlite --database ladder.sqlite",
)
_add(
    _db,
    "restore",
    "records.db:restore_database",
    "Restore a lost database from a backup.",
    "\n  polynya db restore ladder-2026-11-25.sqlite --database ladder.sqlite",
)
_add(
    _db,
    "restored",
    "records.db:restored",
    "Begin new secrets after PostgreSQL's own tools restored a database.",
    "\n  polynya db restored --database postgresql://polynya@db.example/contest",
)
_add(
    _db,
    "secrets",
    "records.db:secrets",
    "Show the commitments of ladders, and the secrets of past months.",
    "\n  polynya db secrets --database ladder.sqlite",
)
_add(
    _db,
    "copy",
    "records.db:copy",
    "Copy a contest into an empty database: onto a server, or into a file.",
    "\n  polynya db copy ladder.sqlite postgresql://polynya@db.example/contest"
    "\n  polynya db copy postgresql://polynya@db.example/contest ladder.sqlite",
)
_add(
    _db,
    "prune",
    "records.db:prune",
    "Remove old replays of ladder matches; first print how many there are.",
    """
  polynya db prune --keep-replays-days 90 --database ladder.sqlite
  polynya db prune --keep-replays-days 90 --yes --database ladder.sqlite""",
)

_add(
    _db,
    "upgrade",
    "records.db:upgrade",
    "Bring a database of an older version of Polynya up to date.",
    "\n  polynya db upgrade --database ladder.sqlite",
)

_games = _group(_INSIDE, "games", "List and check the installed games.")
_add(
    _games,
    "list",
    "inspection.games:list_games",
    "List the games that are installed, with their set-up options.",
    "\n  polynya games list\n  polynya games list --json",
)
_add(
    _games,
    "check",
    "inspection.games:check",
    "Check that a game fulfils the interface of games.",
    "\n  polynya games check GAME\n  polynya games check ./nim",
)

_add(
    app,
    "check",
    "programs.check:check",
    "Check a bot, or a server, against the documented protocol.",
    """
  polynya check --bot 'python3 my_bot.py'
  polynya check --bot ./my_bot --game GAME --json
  polynya check tcp://127.0.0.1:4242
  polynya check tcp://contest.example:4242 --name my_bot --token TOKEN""",
    _WRITE,
)
_add(
    app,
    "adapt",
    "programs.adapt:adapt",
    "Let a program that speaks a protocol of another system play as a bot.",
    """
  polynya adapt http -- python3 my_snake.py
  polynya adapt gtp -- gnugo --mode gtp --level 1
  polynya adapt uci --set 'Skill Level=3' -- stockfish
  polynya adapt lines --template my_bot.toml -- ./my_bot
  polynya adapt json -- perl my_bot.pl""",
    _WRITE,
)
_add(
    app,
    "new-bot",
    "programs.new_bot:new_bot",
    "Write a project around a bot that builds and plays at once.",
    """
  polynya new-bot my_bot
  polynya new-bot --lang rust --game GAME my_bot
  polynya new-bot --lang bridge my_bot""",
    _WRITE,
)
_add(
    app,
    "new-game",
    "programs.new_game:new_game",
    "Write a game folder whose rules are a program that works at once.",
    """
  polynya new-game my_game
  polynya new-game --lang rust my_game""",
    _WRITE,
)
_add(
    app,
    "rerun",
    "programs.rerun:rerun_seat",
    "Send a bot the messages that one seat got in a recorded match.",
    """
  polynya rerun demo-1.replay --seat 0 -- python3 my_bot.py
  polynya rerun demo-1 --seat 1 --database demo/polynya.sqlite --json -- greedy""",
    _WRITE,
)
_add(
    app,
    "trace",
    "inspection.trace:trace",
    "Walk through the rules of a game, to check your own rules engine against them.",
    """
  polynya trace GAME --players 2
  echo '{"forfeit": 0}' | polynya trace GAME --players 3 --seed 7
  polynya trace GAME --players 3 --option KEY=VALUE
  polynya trace GAME --players 4 --state position.json""",
    _WRITE,
)

_add(
    app,
    "doctor",
    "inspection.doctor:doctor",
    "Check whether this machine is fit for hosting contests.",
    """
  polynya doctor
  polynya doctor --folder /var/lib/polynya --json""",
    _HOST,
)

_add(
    app,
    "docs",
    "inspection.docs:docs",
    "Open the documentation of this version in the browser.",
    """
  polynya docs
  polynya docs --port 8000 --no-browser""",
    _INSIDE,
)

_protocol = _group(_INSIDE, "protocol", "Write the schema of the messages between server and bots.")
_add(
    _protocol,
    "schema",
    "inspection.docs:schema",
    "Write the JSON Schema of all messages to standard output.",
    "\n  polynya protocol schema > schema.json",
)


def named_by(words: Sequence[str]) -> App:
    """The command or group that words name; its module is imported."""
    found = app
    for word in words:
        if found.default_command is not None or word.startswith("-") or word not in found:
            break
        found = found[word]
    _show_docstring(found)
    return found


def every_command(group: App = app) -> Iterator[App]:
    """All commands, those of groups too; their modules are imported."""
    for name in group:
        if not name.startswith("-"):
            _show_docstring(group[name])
            yield from every_command(group[name])
            yield group[name]


def _show_docstring(command: App) -> None:
    """Let the page of a command have its whole docstring; lists have the summary."""
    if command.default_command is not None:
        command.help = inspect.getdoc(command.default_command)
