"""A flag for each setting, made from the table of settings: the same words, units and defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.flags.parameters import read_number
from polynya_server.settings import Setting


def flags(
    name: str,
    settings: Sequence[Setting],
    defaults: Mapping[str, str],
) -> Any:
    """A class whose attributes are flags, None where they are not given.

    Args:
        name: of the class, and of the group of flags on the help page.
        settings: what there is to set.
        defaults: what the help page says instead of a setting's own default, by name.
    """
    attributes = [
        (setting.name, _flag(setting, defaults, name), field(default=None)) for setting in settings
    ]
    # Cyclopts takes a class of a standard module, as this would be one of `types`, for a value.
    namespace = {"__module__": __name__}
    return Parameter(name="*")(make_dataclass(name, attributes, namespace=namespace, frozen=True))


def given(flags: Any) -> dict[str, Any]:
    """The settings that were given by flags."""
    if flags is None:
        return {}
    values = {attribute.name: getattr(flags, attribute.name) for attribute in fields(flags)}
    return {name: value for name, value in values.items() if value is not None}


def _flag(setting: Setting, defaults: Mapping[str, str], group: str) -> Any:
    word = setting.name.replace("_", "-")
    kind = setting.kind
    number = kind in (int, int | None)
    parameter = Parameter(
        name=f"--{word}",
        group=group,
        help=f"{setting.meaning} [default: {defaults.get(setting.name) or default_of(setting)}]",
        show_default=False,
        converter=read_number if number else None,
        negative=f"--no-{word}" if kind is bool else "",
    )
    return Annotated[kind | None, parameter]


def default_of(setting: Setting) -> str:
    """A setting's default with its unit, for people."""
    value = setting.default
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(filter(None, [str(value), setting.unit]))
