"""The template of a program that reads lines and prints one a turn: a TOML file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from polynya_client.events import Step
from polynya_common.errors import ConfigurationError
from polynya_contest.config.toml_files import converted, read_toml, refuse_unknown
from polynya_foreign.adapters.answer_patterns import Pattern
from polynya_foreign.adapters.program import quoted
from polynya_foreign.adapters.template_text import Scope, TemplateError, Text

_MOST_PATTERNS: Final = 64
_MOST_STEPS: Final = 256


class _Answer(msgspec.Struct, frozen=True):
    """One ``[[answer]]`` of the file."""

    line: str
    step: str | list[str | int]


class _File(msgspec.Struct, frozen=True):
    """The content of the file.

    Attributes:
        turn: what is printed for each turn.
        answer: the forms of an answer.
        start: what is printed before the first turn.
        separator: what stands between the steps of a turn; empty if a turn is one step.
        none: what is printed for a value that is absent.
    """

    turn: str
    answer: list[_Answer]
    start: str = ""
    separator: str = ""
    none: str = "-1"


class LineTemplate:
    """The texts for a program, and the forms of its answers.

    Args:
        path: the TOML file.

    Raises:
        ConfigurationError: it cannot be read; the message names the file and the place.
    """

    def __init__(self, path: Path) -> None:
        document = read_toml(path)
        try:
            refuse_unknown(document, _File.__struct_fields__, "")
            answers = document.get("answer")
            for number, answer in enumerate(answers if isinstance(answers, list) else ()):
                refuse_unknown(answer, _Answer.__struct_fields__, f"answer[{number}].")
            self._file = converted(document, _File)
            self._start, self._turn = Text(self._file.start), Text(self._file.turn)
            self._patterns = [Pattern(each.line, each.step) for each in self._file.answer]
        except (ConfigurationError, TemplateError) as error:
            raise ConfigurationError(f"{path}: {error}") from error
        if not 1 <= len(self._patterns) <= _MOST_PATTERNS:
            raise ConfigurationError(f"{path}: answer has 1 to {_MOST_PATTERNS} forms")

    def start(self, scope: Scope) -> str:
        """The text before the first turn.

        Raises:
            TemplateError: it does not fit the match.
        """
        return self._start.render(scope, self._file.none)

    def turn(self, scope: Scope) -> str:
        """The text of a turn.

        Raises:
            TemplateError: it does not fit the match.
        """
        return self._turn.render(scope, self._file.none)

    def steps(self, line: str, scope: Scope) -> Iterator[Step]:
        """The steps that an answer means, one after the other.

        Raises:
            TemplateError: a part of it has no form of the template.
        """
        separator = self._file.separator
        parts = line.split(separator, _MOST_STEPS) if separator else [line]
        if len(parts) > _MOST_STEPS:
            raise TemplateError(f"it has more than {_MOST_STEPS} steps")
        for part in parts:
            yield self._step(part.strip(), scope)

    def _step(self, part: str, scope: Scope) -> Step:
        found = [step for each in self._patterns if (step := each.step(part, scope)) is not None]
        if not found:
            forms = ", ".join(quoted(each.line) for each in self._patterns[:4])
            raise TemplateError(f"{quoted(part)} has none of the forms {forms}")
        return found[0]
