"""The names that a host gives to bots: those that are new follow the rules for new names."""

from __future__ import annotations

from collections.abc import Iterable

from polynya_protocol.names import folded, why_not_new
from polynya_tournaments.errors import ConfigurationError


class KnownNames:
    """The names of bots that there are.

    Args:
        names: those that the database knows, whatever they look like.
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
            ConfigurationError: nobody has this name, and nobody may have it; it says why.
        """
        if name in self._names:
            return
        wrong = why_not_new(name)
        other = self._alike.get(folded(name))
        if wrong is None and other is not None:
            wrong = f"it differs from the taken name {other} in the case of letters only"
        if wrong is not None:
            raise ConfigurationError(f"{where}{name!r} cannot be a new name: {wrong}")
        self._names.add(name)
        self._alike[folded(name)] = name
