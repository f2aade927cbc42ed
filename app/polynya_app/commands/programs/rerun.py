"""``polynya rerun``: would a bot play, or lose, a recorded match in the same way again?"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Sequence

from polynya_app.application import DONE, FAILED
from polynya_app.commands.records.replay import record_of
from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_common.errors import ConfigurationError
from polynya_common.text import refused_words
from polynya_conformance.replay.rerun import Answer, forfeit_of, rerun
from polynya_contest.config.builtin_bots import BotCommand, builtin_command, builtin_names
from polynya_protocol.errors import printable
from polynya_server.records import ForfeitRecord


async def rerun_seat(
    match: str,
    /,
    *command: str,
    seat: Number,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> int:
    """Send a bot the messages that one seat got in a recorded match.

    The command starts the bot. The match continues as recorded, even if the bot
    answers differently: from then on, a bot that keeps the position itself and does
    not ask for the state has a wrong position. The bot may take any time, for
    example in a debugger.

    The command checks whether each new answer is legal and in time. If the seat
    forfeited, exit code 0 means that the bot would not lose in that way now; times
    count only if it lost on time. Otherwise exit code 0 means that all answers are
    the recorded ones. If the bot disconnects or ends, the command shows the last
    message to it and its last lines of output.

    Args:
        match: A .replay file, or the id of a match in the database.
        command: After "--": the bot's command line, or the name of a built-in bot.
        seat: The seat whose messages are sent.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    record = record_of(match, database)
    answers = await rerun(record, seat, _command(command))
    forfeit = forfeit_of(record, seat)
    if as_json:
        write_json([_as_document(answer) for answer in answers])
    else:
        write_line(f"seat {seat} is {printable(record.setup.players[seat])}")
        _write(answers, forfeit)
    if forfeit is None:
        return DONE if all(answer.is_same for answer in answers) else FAILED
    return FAILED if any(answer.loses(forfeit.reason) for answer in answers) else DONE


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
    crash = {} if answer.crash is None else {"crash": dataclasses.asdict(answer.crash)}
    return {
        "turn": answer.turn,
        "same": answer.is_same,
        "recorded": answer.recorded,
        "recorded_left_out": answer.left_out,
        "refused": answer.refused or None,
        "now": answer.now,
        "recorded_ms": answer.recorded_ms,
        "now_ms": answer.now_ms,
        "limit_ms": answer.limit_ms,
        "late_ms": answer.late_ms,
        "illegal": answer.illegal or None,
        **crash,
    }


def _write(answers: Sequence[Answer], forfeit: ForfeitRecord | None) -> None:
    write_table(
        [">turn", "recorded", "now", "", ">recorded ms", ">now ms", ">limit ms"],
        [
            [
                answer.turn,
                _recorded_words(answer),
                "" if answer.crash else json.dumps(answer.now),
                _words(answer),
                answer.recorded_ms,
                None if answer.crash else answer.now_ms,
                answer.limit_ms,
            ]
            for answer in answers
        ],
        without_rows="this seat was not asked for a turn",
    )
    for answer in answers:
        if answer.illegal:
            write_line(f"turn {answer.turn}: now it is illegal: {answer.illegal}")
        _write_crash(answer)
    if forfeit is not None:
        _write_forfeit(answers, forfeit)
    differing = sum(not answer.is_same for answer in answers)
    write_line(f"{differing} of {len(answers)} answers differ")


def _recorded_words(answer: Answer) -> str:
    """The recorded steps, and whether they were refused."""
    words = refused_words(answer.recorded, answer.left_out)
    return " ".join(filter(None, [words, "(refused)" if answer.refused else ""]))


def _words(answer: Answer) -> str:
    """How today's answer stands to the recorded one, to the rules, and to the clock."""
    if answer.crash is not None:
        return "it went away"
    words = [
        "" if answer.is_same or answer.recorded is None else "differs",
        "illegal" if answer.illegal else "",
        "" if answer.is_same or answer.illegal else "legal",
        f"{answer.late_ms} ms over the limit" if answer.late_ms else "",
    ]
    return ", ".join(filter(None, words))


def _write_crash(answer: Answer) -> None:
    if answer.crash is None:
        return
    write_line(f"the bot: {answer.crash.sentence}")
    write_line(f"it was sent last: {answer.crash.last_message}")
    for line in answer.crash.output:
        write_line(f"  {line}")


def _write_forfeit(answers: Sequence[Answer], forfeit: ForfeitRecord) -> None:
    """How the seat lost then, and whether the bot would lose now."""
    over = max((forfeit.charged_ms or 0) - (forfeit.limit_ms or 0), 0)
    late = f" ({over} ms over the limit of {forfeit.limit_ms} ms)" if over else ""
    write_line(f"then: {forfeit.reason} in turn {forfeit.turn}: {forfeit.detail}{late}")
    losing = [answer.turn for answer in answers if answer.loses(forfeit.reason)]
    if losing:
        write_line(f"now: it would lose in turn {losing[0]}")
    else:
        write_line("now: it would not lose so")
