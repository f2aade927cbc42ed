"""What the parts of one running server share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from polynya_games import Game
from polynya_protocol.codec import FrameDecoder
from polynya_protocol.messages import FromClient
from polynya_server.metrics.counters import Measures
from polynya_server.records import Journal
from polynya_server.settings import ServerSettings
from polynya_server.timing.collector import Collector
from polynya_server.timing.deadlines import Timekeeper
from polynya_server.timing.lag import LoopDelay
from polynya_server.timing.monotonic_clock import NowNs
from polynya_server.transport.arrival import Receive
from polynya_server.transport.certificate import Certificate
from polynya_server.transport.cork import Cork
from polynya_server.transport.reactor import Pump


@dataclass(frozen=True, slots=True)
class Services:
    """One of each: settings, time, sockets, records, figures, the tasks' nursery; maybe TLS."""

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
    decoder: FrameDecoder[FromClient]
