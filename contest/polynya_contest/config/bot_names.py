"""The names that a host gives to bots: valid ones, and the further rules for new ones."""

from __future__ import annotations

from collections.abc import Iterable

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Reason
from polynya_protocol.names import FORM, folded, is_name, why_not_new


def check_name(name: str, key: str) -> None:
    """Refuse what cannot be the name of a bot or a tournament.

    Args:
        name: what was given.
        key: where it stands.

    Raises:
        ConfigurationError: the message names the key.
    """
    if not is_name(name):
        raise ConfigurationError(f"{key}: {name!r} is not a valid name: use {FORM}")


class KnownNames:
    """The names of bots that there are.

    Args:
        names: those that the database knows, also names that are not valid today.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = set(names)
        self._alike = {folded(name): name for name in self._names}

    def add(self, name: str, where: str = "") -> None:
        """Give a bot this name, if it is known or may be new.

        Args:
            name: the name.
            where: the beginning of the sentence that refuses it: the place of the name.

        Raises:
            ConfigurationError: no bot has this name, and no new bot may have it; it says why.
        """
        if name in self._names:
            return
        wrong = why_not_new(name)
        other = self._alike.get(folded(name))
        if wrong is None and other is not None:
            wrong = Reason.of("name_differs_in_case", name=other)
        if wrong is not None:
            raise ConfigurationError(Reason.of("bad_new_name", where=where, name=name, why=wrong))
        self._names.add(name)
        self._alike[folded(name)] = name
