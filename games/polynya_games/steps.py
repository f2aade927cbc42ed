"""Steps and their forms: the verb, and the number and types of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polynya_games.errors import InvalidStep, describe
from polynya_games.refusals import COMMON, refusal

Step = tuple[str | int, ...]
"""The smallest decision: a verb and its arguments, ``("move", 12, 40)``."""

Form = Mapping[str, type[int] | type[str]]
"""A verb's arguments in their order: the name of each and its type."""

_WRONG_TYPE = {int: "no_integer", str: "no_string"}
"""By type: the refusal of an argument that has another one."""


class Forms:
    """The forms that the steps of a game have.

    Args:
        forms: each verb with its arguments, ``{"move": {"from": int, "to": int}}``.
    """

    def __init__(self, forms: Mapping[str, Form]) -> None:
        self._forms = dict(forms)
        self._types: dict[str, tuple[type, ...]] = {
            verb: (str, *form.values()) for verb, form in forms.items()
        }

    def __getitem__(self, verb: str) -> Form:
        """The form of the steps with a verb."""
        return self._forms[verb]

    def __iter__(self) -> Iterator[str]:
        """The verbs."""
        return iter(self._forms)

    def read(self, step: object) -> Step:
        """A step of one of the forms; the position may still not allow it.

        Args:
            step: any value, as a peer sent it.

        Raises:
            InvalidStep: it has another form; the sentence says which part and what belongs there.
        """
        if not isinstance(step, (list, tuple)) or not step:
            raise refusal(InvalidStep, COMMON, "no_step", value=describe(step))
        verb = step[0]
        types = self._types.get(verb) if type(verb) is str else None
        if types is None or len(types) != len(step):
            raise self._refusal(step)
        for position, kind in enumerate(types):
            if type(step[position]) is not kind:
                raise self._refusal(step)
        return tuple(step)

    def _refusal(self, step: Sequence[object]) -> InvalidStep:
        verb = step[0]
        if type(verb) is not str or verb not in self._forms:
            verbs = ", ".join(sorted(self._forms))
            return refusal(InvalidStep, COMMON, "unknown_verb", verbs=verbs, value=describe(verb))
        form = self._forms[verb]
        shape = f"[{', '.join([describe(verb), *form])}]"
        if len(step) != len(form) + 1:
            return refusal(InvalidStep, COMMON, "wrong_form", form=shape, value=describe(step))
        for value, (name, kind) in zip(step[1:], form.items(), strict=True):
            if type(value) is not kind:
                code, found = _WRONG_TYPE[kind], describe(value)
                return refusal(InvalidStep, COMMON, code, name=name, form=shape, value=found)
        raise AssertionError(f"{describe(step)} is of the form {shape}")
