"""The parts of a server that its pages show and act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polynya_server import MatchRecord, Server
    from polynya_store import Store, StoreJournal
    from polynya_tournaments.ladder.operator_control import OperatorControl
    from polynya_tournaments.uploads.reception import Reception


@dataclass(frozen=True, slots=True)
class PageSources:
    """The parts that pages show; no pages are made for a part that is None.

    Attributes:
        store: the database; it is only read.
        server: the game server of this process, whose matches are shown live.
        journal: records the matches of people; None if the server's records are kept nowhere.
        control: what the operator may do, on pages behind a token.
        opened: the one match that is shown, where there is no database.
        reception: takes uploads.
        game: the game that the server's bots play; None where that is open.
    """

    store: Store | None = None
    server: Server | None = None
    journal: StoreJournal | None = None
    control: OperatorControl | None = None
    opened: MatchRecord | None = None
    reception: Reception | None = None
    game: str | None = None
