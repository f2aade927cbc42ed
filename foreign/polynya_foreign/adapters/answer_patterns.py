"""The patterns of a template: how a line that a program printed becomes a step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from polynya_client.events import Step
from polynya_foreign.adapters.template_text import PATH, Scope, TemplateError, value_at

_KINDS: Final = {"int": r"[+-]?[0-9]{1,15}", "word": r"\S{1,256}", "text": r".{1,1024}"}
_FIELD: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*):(\w+)\}")
_USE: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Pattern:
    """A form of answer, and the step that it means.

    Args:
        line: the form: words, with fields such as ``{cell:int}``.
        step: the words of the step, in which ``{cell}`` is what the field matched; or a path to a
            legal step, such as ``legal[n]``.

    Raises:
        TemplateError: one of them cannot be read.
    """

    def __init__(self, line: str, step: str | Sequence[str | int]) -> None:
        self.line = line
        self._kinds: dict[str, str] = {}
        self._form = re.compile(" +".join(self._word(word) for word in line.split()))
        if "text" in list(self._kinds.values())[:-1]:
            raise TemplateError(f"a text takes the rest of a line, so it comes last: {line!r}")
        self._step = step
        if isinstance(step, str):
            if PATH.fullmatch(step) is None:
                raise TemplateError(f"{step!r} is no list of words and no path such as legal[n]")
        else:
            self._check(step)

    def _word(self, word: str) -> str:
        """A word of the form as a regular expression."""
        found, begin = "", 0
        for field in _FIELD.finditer(word):
            name, kind = field[1], field[2]
            if kind not in _KINDS or name in self._kinds:
                raise TemplateError(
                    f"{field[0]!r} is no new field of the kinds {', '.join(_KINDS)}"
                )
            self._kinds[name] = kind
            if begin and begin == field.start():
                raise TemplateError(f"two fields need something between them: {word!r}")
            found += f"{re.escape(word[begin : field.start()])}(?P<{name}>{_KINDS[kind]})"
            begin = field.end()
        rest = word[begin:]
        if "{" in rest or "}" in rest:
            raise TemplateError(f"a field is {{NAME:KIND}}, not {word!r}")
        return found + re.escape(rest)

    def _check(self, step: Sequence[str | int]) -> None:
        used = [name for word in step if isinstance(word, str) for name in _USE.findall(word)]
        unknown = [name for name in used if name not in self._kinds]
        if not step or unknown:
            raise TemplateError(f"the step {list(step)!r} has no words, or fields without a match")

    def step(self, line: str, scope: Scope) -> Step | None:
        """The step that a line means; None if the line has another form.

        Args:
            line: without blanks around it.
            scope: what names stand for, for a path to a legal step.

        Raises:
            TemplateError: the path names no step.
        """
        match = self._form.fullmatch(line)
        if match is None:
            return None
        fields = {name: self._value(name, text) for name, text in match.groupdict().items()}
        if isinstance(self._step, str):
            found = value_at(self._step, {**scope, **fields})
            if not isinstance(found, list):
                raise TemplateError(f"'{self._step}' is no step")
            return found
        return [_filled(word, fields) for word in self._step]

    def _value(self, name: str, text: str) -> int | str:
        return int(text) if self._kinds[name] == "int" else text


def _filled(word: str | int, fields: dict[str, Any]) -> int | str:
    """A word of a step: a field alone keeps its kind."""
    if isinstance(word, int):
        return word
    whole = _USE.fullmatch(word)
    if whole is not None:
        value: int | str = fields[whole[1]]
        return value
    return _USE.sub(lambda use: str(fields[use[1]]), word)
