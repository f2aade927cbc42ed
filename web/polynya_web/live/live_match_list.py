"""The list of the matches in play as its viewers see it: players, turns, scores, small boards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

import trio

from polynya_games import load
from polynya_web.content.background import BackgroundSlices
from polynya_web.content.boards.drawn_board import drawn_board
from polynya_web.content.live_types import Board, LiveOver, LiveTurn
from polynya_web.content.live_types import LiveMatch as ListedMatch
from polynya_web.content.match_types import MatchView
from polynya_web.live.feeds import Feed, event
from polynya_web.live.game_servers import LiveMatch, LiveServers
from polynya_web.live.interest import margin_of, most_interesting
from polynya_web.live.live_match import clocks_of, view_in_play
from polynya_web.live.shown import board_now, last_step, scores_now

MAX_LISTED = 100
"""Maximum number of listed matches, oldest first."""

MAX_BOARDS = 16
"""Maximum number of boards in the list."""

BOARD_S = 1.0
"""Minimum interval between updates of a board."""

Tournaments = Callable[[Collection[str]], Awaitable[dict[str, str | None]]]
"""Gives the tournaments of matches in play, by match."""


@dataclass(slots=True, eq=False)
class _Listed:
    match: LiveMatch
    view: MatchView
    events: int = 0
    scores: list[int] | None = None
    board: Board | None = None
    board_events: int = -1
    board_at: float = 0.0


class LiveList:
    """The list of one site.

    Args:
        servers: whose matches are listed.
        tournaments: knows which tournament they belong to.
        background: the time to find the scores in.

    A match that is listed while there are fewer boards than ``MAX_BOARDS`` has one, and keeps it.

    Attributes:
        feed: what its viewers are sent.
    """

    def __init__(
        self, servers: LiveServers, tournaments: Tournaments, background: BackgroundSlices
    ) -> None:
        self.feed = Feed(self._snapshot)
        self._servers = servers
        self._tournaments = tournaments
        self._background = background
        self._listed: dict[str, _Listed] = {}
        self._lock = trio.Lock()
        self._lead: str | None = None

    async def advance(self) -> int:
        """Send viewers the changes; return the number of bytes for each."""
        async with self._lock:
            chunks = [*self._ended(), *await self._begun(), *await self._gone_on()]
        return self.feed.publish(chunks)

    def _ended(self) -> list[bytes]:
        over = [name for name in self._listed if self._servers.match(name) is None]
        ended = [self._listed.pop(name) for name in over]
        for one in ended:
            self._look(one)
            if one.board is not None:
                self._draw(one)
        return [
            event("over", LiveOver(match=name, scores=one.scores, board=one.board))
            for name, one in zip(over, ended, strict=True)
        ]

    async def _begun(self) -> list[bytes]:
        present = {match.setup.match: match for match in self._servers.matches[:MAX_LISTED]}
        begun = [name for name in present if name not in self._listed]
        if not begun:
            return []
        tournaments = await self._tournaments(begun)
        for name in begun:
            match = present[name]
            self._listed[name] = _Listed(match, view_in_play(match, tournaments.get(name)))
        self._give_boards()
        self._choose_lead()
        return [event("begun", self._shown(self._listed[name])) for name in begun]

    def _give_boards(self) -> list[_Listed]:
        """Give boards to the first matches that have none, as long as there is room."""
        without = [one for one in self._listed.values() if one.board is None]
        room = MAX_BOARDS - (len(self._listed) - len(without))
        given = without[: max(0, room)]
        for one in given:
            self._draw(one)
        return given

    async def _gone_on(self) -> list[bytes]:
        """Matches with new turns or outdated boards."""
        self._choose_lead()
        chunks: list[bytes] = []
        now, given = trio.current_time(), set(self._give_boards())

        def look(listed: _Listed) -> None:
            due = listed in given or self._is_due(listed, now)
            board = self._draw(listed) if due else None
            self._look(listed)
            shown = self._shown(listed)
            turn = LiveTurn(
                match=listed.match.setup.match,
                turn=shown.turn,
                scores=shown.scores,
                clocks=shown.clocks,
                board=board,
                lead=shown.lead,
            )
            chunks.append(event("turn", turn))

        moved = [
            one
            for one in self._listed.values()
            if one in given or one.events < one.match.seq or self._is_due(one, now)
        ]
        await self._background.each(moved, look)
        return chunks

    @staticmethod
    def _is_due(listed: _Listed, now: float) -> bool:
        """Whether a match's board is outdated and may be sent again."""
        if listed.board is None or now - listed.board_at < BOARD_S:
            return False
        return listed.board_events < listed.match.seq

    @staticmethod
    def _look(listed: _Listed) -> None:
        match = listed.match
        listed.events = match.seq
        listed.scores = scores_now(match)

    @staticmethod
    def _draw(listed: _Listed) -> Board:
        match = listed.match
        listed.board_events, listed.board_at = match.seq, trio.current_time()
        last, document = last_step(match), board_now(match)
        drawn = drawn_board(load(match.setup.game), document)
        listed.board = Board(
            state=document, step=last.step, seat=last.seat, rows=drawn.rows, board=drawn.board
        )
        return listed.board

    def _shown(self, listed: _Listed) -> ListedMatch:
        return ListedMatch(
            match=listed.view,
            turn=listed.events,
            scores=listed.scores,
            clocks=clocks_of(listed.match),
            board=listed.board,
            lead=listed.view.match == self._lead,
        )

    def _choose_lead(self) -> None:
        """Choose the match most worth watching, once the last one is over."""
        if self._lead in self._listed:
            return
        listed = list(self._listed.values())
        margins = [margin_of(one.scores) for one in listed]
        best = most_interesting([one.match for one in listed], margins)
        self._lead = None if best is None else best.setup.match

    def _snapshot(self) -> bytes:
        return event("matches", [self._shown(listed) for listed in self._listed.values()])
