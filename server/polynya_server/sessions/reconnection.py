"""Handles a bot's second connection: it takes over the session, and with it the seats."""

from __future__ import annotations

from polynya_protocol.messages import Goodbye
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.sessions.session import Session
from polynya_server.sessions.tokens import Identity


def rejoin(registry: BotRegistry, identity: Identity) -> Session:
    """The session for a bot's process that connects; closes its older connection, if any.

    The older one may be half-closed already; messages that arrived through it before the bot came
    back still count.
    """
    older = registry.session(identity).connection
    if older is not None:
        older.reader.read_arrived()
        older.finish(Goodbye(reason="replaced"))
    return registry.session(identity)  # a new one, if only the older connection held it
