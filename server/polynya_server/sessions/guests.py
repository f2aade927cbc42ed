"""Guests: bots that were invited to matches of their own, and that no tournament or ladder pairs.

The bots that are started to play against a person in the browser are guests. They connect and play
like all others, under names with tokens that hold as long as they are invited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polynya_server.sessions.bot_registry import ConnectedBot, ConnectedBots, Instances
from polynya_server.sessions.tokens import TokenBook


class Guests(Mapping[str, ConnectedBot]):
    """The guests that are connected, by name; a live view.

    Attributes:
        others: those that are connected and no guests.
    """

    def __init__(self, bots: Mapping[str, Instances], tokens: TokenBook) -> None:
        self._invited: set[str] = set()
        self._tokens = tokens
        self._connected = ConnectedBots(bots, self._invited.__contains__)
        self.others = ConnectedBots(bots, lambda name: name not in self._invited)

    def __getitem__(self, name: str) -> ConnectedBot:
        return self._connected[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._connected)

    def __len__(self) -> int:
        return len(self._connected)

    def is_taken(self, name: str) -> bool:
        """Whether ``name`` has a token: a bot's or a guest's."""
        return name in self._tokens

    def invite(self, name: str, token_hash: bytes) -> None:
        """Let the client with the token of this SHA-256 be the guest ``name``.

        Raises:
            ValueError: the name is taken.
        """
        if self.is_taken(name):
            raise ValueError(f"the name {name} is taken")
        self._tokens.add(name, token_hash)
        self._invited.add(name)

    def dismiss(self, name: str) -> None:
        """Release the name unless a registered bot has taken it: the guest's matches are over."""
        if name in self._invited:
            self.forget(name)
            self._tokens.remove(name)

    def forget(self, name: str) -> None:
        """Forget the guest: the host gives its name to a bot, or takes it away."""
        self._invited.discard(name)
