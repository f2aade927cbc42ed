"""What the parts of one running server share."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass

import trio

from polynya_games import Game
from polynya_protocol.codec import FrameDecoder
from polynya_protocol.messages import FromClient
from polynya_server.certificate import Certificate
from polynya_server.collector import Collector
from polynya_server.cork import Cork
from polynya_server.delay import Delay
from polynya_server.journal import Journal
from polynya_server.loop_delay import LoopDelay
from polynya_server.measures import Measures
from polynya_server.monotonic import NowNs
from polynya_server.pump import Pump
from polynya_server.receive_times import Receive
from polynya_server.settings import ServerSettings
from polynya_server.timekeeper import Timekeeper


@dataclass(frozen=True, slots=True)
class Services:
    """One of each: settings, time, sockets, records, figures, the tasks' nursery; maybe TLS.

    ``delay`` is there if matches are shown later than they are played.
    """

    settings: ServerSettings
    journal: Journal
    load_game: Callable[[str], Game]
    nursery: trio.Nursery
    now: NowNs
    timekeeper: Timekeeper
    loop_delay: LoopDelay
    collector: Collector
    measures: Measures
    cork: Cork
    pump: Pump
    receive: Receive
    tls: Certificate | None
    delay: Delay | None
    decoder: FrameDecoder[FromClient]


@functools.cache
def version() -> str:
    """The version of the installed distribution."""
    return importlib.metadata.version("polynya")
