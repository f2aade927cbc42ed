"""The form of a step: its verb, and the number and types of its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polynya_games.errors import InvalidStep
from polynya_games.game import Step
from polynya_games.turns import describe

Form = Mapping[str, type[int] | type[str]]
"""A verb's arguments in their order: the name of each and its type."""

_TYPES = {int: "an integer", str: "a string"}


def read_step(step: object, forms: Mapping[str, Form]) -> Step:
    """A step of one of ``forms``, by verb; the position may still not allow it.

    Args:
        step: any value, as a peer sent it.
        forms: each verb with its arguments, ``{"move": {"from": int, "to": int}}``.

    Raises:
        InvalidStep: it has another form; the sentence says which part and what belongs there.
    """
    if not isinstance(step, (list, tuple)) or not step:
        raise InvalidStep(f"a step is a list that begins with a verb, not {describe(step)}")
    verb = step[0]
    form = forms.get(verb) if type(verb) is str else None
    if form is None:
        raise InvalidStep(f"the verb is one of {', '.join(sorted(forms))}, not {describe(verb)}")
    if [*map(type, step[1:])] != [*form.values()]:
        raise InvalidStep(_what_is_wrong(step, form))
    return tuple(step)


def _what_is_wrong(step: Sequence[object], form: Form) -> str:
    shape = f"[{', '.join([describe(step[0]), *form])}]"
    if len(step) != len(form) + 1:
        return f"the form is {shape}, not {describe(step)}"
    for value, (name, kind) in zip(step[1:], form.items(), strict=True):
        if type(value) is not kind:
            return f"{name} in {shape} is {_TYPES[kind]}, not {describe(value)}"
    raise AssertionError(f"{describe(step)} is of the form {shape}")
