"""``polynya rerun``: would a bot play a recorded match in the same way again?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from polynya_tournaments.cli.application import DONE, FAILED
from polynya_tournaments.cli.commands.replay import record_of
from polynya_tournaments.cli.console.output import write_json, write_line, write_table
from polynya_tournaments.cli.flags.parameters import DEFAULT_DATABASE, Json, Number
from polynya_tournaments.config.builtin_bots import BotCommand, builtin_command, builtin_names
from polynya_tournaments.errors import ConfigurationError
from polynya_tournaments.replay.rerun import Answer, rerun


async def rerun_seat(
    match: str,
    /,
    *command: str,
    seat: Number,
    database: Path = DEFAULT_DATABASE,
    as_json: Json = False,
) -> int:
    """Send a bot what the bot of one seat was sent in a recorded match.

    The bot is started here. The match goes on as it was recorded, whatever the
    bot answers now: one that keeps the position itself, instead of asking for
    the state, is out of step after the first difference. It may take as long as
    it wants, to be looked at in a debugger. Exit code 1 if an answer differs.

    Args:
        match: A .replay file, or the id of a match in the database.
        command: After "--": the bot's command line, or the name of a built-in bot.
        seat: Whose messages are sent.
        database: The database file.
        as_json: Write JSON instead of a table.
    """
    answers = await rerun(record_of(match, database), seat, _command(command))
    if as_json:
        write_json([_as_document(answer) for answer in answers])
    else:
        _write(answers)
    return DONE if all(answer.is_same for answer in answers) else FAILED


def _command(words: Sequence[str]) -> BotCommand:
    if len(words) == 1 and words[0] in builtin_names():
        return builtin_command(words[0])
    if not words or shutil.which(words[0]) is None:
        raise ConfigurationError(
            "name the bot's command after --, like: -- python3 my_bot.py"
            + (f"; {words[0]!r} cannot be started" if words else "")
        )
    return BotCommand(tuple(words), {})


def _as_document(answer: Answer) -> dict[str, object]:
    return {
        "turn": answer.turn,
        "same": answer.is_same,
        "recorded": answer.recorded,
        "now": answer.now,
        "recorded_ms": answer.recorded_ms,
        "now_ms": answer.now_ms,
    }


def _write(answers: Sequence[Answer]) -> None:
    write_table(
        [">turn", "recorded", "now", "", ">recorded ms", ">now ms"],
        [
            [
                answer.turn,
                "" if answer.recorded is None else json.dumps(answer.recorded),
                json.dumps(answer.now),
                "" if answer.is_same else "differs",
                answer.recorded_ms,
                answer.now_ms,
            ]
            for answer in answers
        ],
        without_rows="this seat was not asked for a turn",
    )
    differing = sum(not answer.is_same for answer in answers)
    write_line(f"{differing} of {len(answers)} answers differ")
