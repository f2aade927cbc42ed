"""Duplicate deals: where a bot cannot carry a deal from one match of its block to the next."""

from __future__ import annotations

from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_games import load
from polynya_server.records import MatchSetup

_CLOSED = ("bubblewrap", "landlock")
"""The sandboxes in which a program reaches nothing but the server, and leaves no file behind."""


def way_out(configuration: TournamentConfiguration) -> str:
    """How a bot could know a deal from an earlier match, and what to do; empty if none can."""
    for number, bot in enumerate(configuration.bots):
        if bot.external and not bot.withdrawn:
            return (
                f"bots[{number}] ({bot.name}) comes from outside and may remember a deal; it needs "
                "bots that are started here"
            )
    if configuration.sandbox.driver not in _CLOSED and not _gets_bubblewrap(configuration):
        return (
            "bots may tell each other the deals; sandbox.driver = 'bubblewrap' or 'landlock' "
            "keeps them apart"
        )
    if not configuration.fresh_processes:
        return "a process that goes on may remember a deal; fresh_processes = true starts new ones"
    return ""


def _gets_bubblewrap(configuration: TournamentConfiguration) -> bool:
    """Whether its bots run in bubblewrap because some are uploaded and no sandbox is named."""
    uploaded = any(bot.upload is not None for bot in configuration.bots)
    return uploaded and configuration.sandbox.driver == "none"


def require_closed(configuration: TournamentConfiguration) -> None:
    """Refuse duplicate deals where a bot could know one from an earlier match.

    Raises:
        ConfigurationError: the message says how, and what to do.
    """
    if configuration.duplicate and (why := way_out(configuration)):
        raise ConfigurationError(f"duplicate: {why}")


def foresees_deals(configuration: TournamentConfiguration) -> bool:
    """Whether authors may know deals before the matches, which are unrated then.

    A host has named the seed that they follow from, or a bot can carry them to other matches.
    """
    if not load(configuration.game).secret_seed:
        return False
    return configuration.seed is not None or (
        configuration.duplicate and bool(way_out(configuration))
    )


def counts_for_ratings(configuration: TournamentConfiguration, setup: MatchSetup) -> bool:
    """Whether a recorded match may be rated, by its description and what its bots ran in.

    With duplicate deals a record does not tell how new its processes were: then an unrated match
    may be right in any sandbox.
    """
    if not load(configuration.game).secret_seed:
        return True
    if configuration.seed is not None:
        return False
    if not configuration.duplicate:
        return True
    return setup.rated and all(str(words).startswith(_CLOSED) for words in setup.sandboxes)
