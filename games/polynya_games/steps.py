"""Steps and their forms: the verb, and the number and types of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polynya_games.errors import InvalidStep, describe

Step = tuple[str | int, ...]
"""The smallest decision: a verb and its arguments, ``("move", 12, 40)``."""

Form = Mapping[str, type[int] | type[str]]
"""A verb's arguments in their order: the name of each and its type."""

_TYPES = {int: "an integer", str: "a string"}


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
            raise InvalidStep(f"a step is a list that begins with a verb, not {describe(step)}")
        verb = step[0]
        types = self._types.get(verb) if type(verb) is str else None
        if types is None or len(types) != len(step):
            raise InvalidStep(self._what_is_wrong(step))
        for position, kind in enumerate(types):
            if type(step[position]) is not kind:
                raise InvalidStep(self._what_is_wrong(step))
        return tuple(step)

    def _what_is_wrong(self, step: Sequence[object]) -> str:
        verb = step[0]
        if type(verb) is not str or verb not in self._forms:
            return f"the verb is one of {', '.join(sorted(self._forms))}, not {describe(verb)}"
        form = self._forms[verb]
        shape = f"[{', '.join([describe(verb), *form])}]"
        if len(step) != len(form) + 1:
            return f"the form is {shape}, not {describe(step)}"
        for value, (name, kind) in zip(step[1:], form.items(), strict=True):
            if type(value) is not kind:
                return f"{name} in {shape} is {_TYPES[kind]}, not {describe(value)}"
        raise AssertionError(f"{describe(step)} is of the form {shape}")
