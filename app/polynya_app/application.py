"""Runs a command, and says how it ended: with which exit code and which words.

Exit codes: 0 done, 1 something that was asked for failed, 2 bad arguments or configuration,
130 interrupted by Ctrl-C, 141 the reader of the output has gone, as ``| head -1`` does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import (
    CycloptsError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from polynya_app.command_tree import app, named_by
from polynya_app.console.output import complain
from polynya_common.errors import ConfigurationError, TournamentError, unwrap_single_error
from polynya_common.extras import missing_package
from polynya_games import GameError, RulesFailed

DONE, FAILED, BAD_ARGUMENTS, INTERRUPTED, NO_READER = 0, 1, 2, 130, 141


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Standard error has a sentence on each failure."""
    try:
        with unwrap_single_error():
            words = with_defaults(list(arguments))
            if not {"--help", "-h"}.isdisjoint(words):
                named_by(words)
            code = app(words, exit_on_error=False, print_error=False)
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt, SystemExit) as raised:
        return _explain(raised)
    return code if isinstance(code, int) else DONE


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
        case RulesFailed():
            complain("\n".join(filter(None, [str(raised), raised.output])))
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
