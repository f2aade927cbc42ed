"""A bot connects a second time: its new connection keeps the session, and with it the seats."""

from __future__ import annotations

from polynya_protocol.messages import Goodbye
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.sessions.session import Session
from polynya_server.sessions.tokens import Identity


def rejoin(registry: BotRegistry, identity: Identity) -> Session:
    """The session of a bot's process that connects; closes its older connection, if it has one.

    The older one may be half-closed already; what arrived through it before the bot came back
    still counts.
    """
    older = registry.session(identity).connection
    if older is not None:
        older.reader.read_arrived()
        older.finish(Goodbye(reason="replaced"))
    return registry.session(identity)  # a new one, if only the older connection held it
