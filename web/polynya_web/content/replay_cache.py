"""Replays as JSON: made from their records in background slices; the last ones are kept."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec
import trio

from polynya_common.errors import NotInStoreError
from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Reason, cause_of
from polynya_conformance.replay.text_reader import MatchText, is_text_form
from polynya_conformance.replay.verify import parse_replay
from polynya_games import GameError, UnknownGame, load
from polynya_server.errors import cause_of_refusal
from polynya_server.records import MatchEvent, MatchRecord, decode_replay
from polynya_store import MatchRow, Store, why_not_seen, why_not_seen_by_seats
from polynya_web.content.background import BackgroundSlices, DatabaseThreads, RulesThreads
from polynya_web.content.boards.renderers import renderer_of
from polynya_web.content.frames import Frames, frames_of
from polynya_web.content.match_types import Clocks, MatchView
from polynya_web.content.match_views import view_of_record, view_of_row, with_ratings
from polynya_web.content.seats.seat_choice import chosen_frames, differs_by_seat
from polynya_web.content.seats.told_frames import AudienceFrames

MAX_KEPT_BYTES = 64 * 1024 * 1024
MAX_FRAMES = 50_000
MAX_REMEMBERED = 10_000
"""A replay with more steps is not shown: its pages would not fit into a browser."""

_REPORTED_MS = 10_000
"""Time limit for the reports of a match that is over."""

_encode = msgspec.json.Encoder().encode


class _Key(NamedTuple):
    """The key of a kept replay; ``is_for_owner`` keeps an owner's apart from those for all."""

    match: str
    choice: str | None
    is_for_owner: bool = False


class ReplayCache:
    """Cache of replays as JSON."""

    def __init__(
        self, store: Store | None, ask: DatabaseThreads, background: BackgroundSlices
    ) -> None:
        self._store = store
        self._ask = ask
        self._background = background
        self._kept: OrderedDict[_Key, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._differing: dict[str, bool] = {}
        self._making = trio.Lock()
        self._asked: WeakValueDictionary[_Key, trio.Lock] = WeakValueDictionary()

    async def replay(self, match: str, choice: str | None = None) -> bytes:
        """A ``Replay`` as JSON, of a match in the database that is over.

        Args:
            match: its id.
            choice: whose view it shows, see :func:`choices`; None for the whole truth.

        Raises:
            NotInStoreError: there is none.
            StoreError: the database does not answer.
            ValueError: its replay cannot be shown; the message says why.
        """
        return await self._once(_Key(match, choice), lambda: self._make(match, choice))

    async def own_replay(self, match: str, seat: int) -> bytes:
        """The view of one seat as JSON, for its bot's owner: also of a match that is kept back.

        It says no more of the match itself than its public row.

        Raises:
            NotInStoreError: there is none, or no seat may see it yet.
            StoreError, ValueError: as of :meth:`replay`.
        """
        store = self._store
        if store is None:
            raise NotInStoreError(Reason.of("no_database"))
        row = await self._ask(store.matches.get_public, match)
        why = why_not_seen_by_seats(row)
        if why is not None:
            raise NotInStoreError(why)
        key = _Key(match, str(seat), is_for_owner=True)

        async def make() -> bytes:
            record = decode_replay(await self._ask(store.matches.replay, match))
            async with self._turn_of(record):
                made = await self.show(record, choice=key.choice, view=view_of_row(row))
            self._keep(key, made)
            return made

        return await self._once(key, make)

    async def _once(self, key: _Key, make: Callable[[], Awaitable[bytes]]) -> bytes:
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        lock = self._asked.setdefault(key, trio.Lock())
        async with lock:  # when a match is over, all its viewers ask at once
            return self._kept.get(key) or await make()

    def _turn_of(self, record: MatchRecord) -> AbstractAsyncContextManager[None]:
        """One replay is made at a time; none waits for a game that waits for a process."""
        return nullcontext() if _waits(record) else self._making

    async def _make(self, match: str, choice: str | None) -> bytes:
        record, tournament = await self._recorded(match)
        reports = await self._reports(match)
        async with self._turn_of(record):
            made = await self.show(record, tournament, reports, choice)
        if not _awaits_reports(record, reports):
            self._keep(_Key(match, choice), made)
        return made

    async def differs_by_seat(self, match: str) -> bool:
        """Whether some seat knew more or less than the spectators; False if it is not to be seen.

        Raises:
            StoreError: the database does not answer.
        """
        if match not in self._differing:
            try:
                record, _ = await self._recorded(match)
                place = self._background.of_game(load(record.setup.game))
                ask = place.once if isinstance(place, RulesThreads) else self._ask
                found = await ask(partial(differs_by_seat, record))
            except (NotInStoreError, ValueError):
                return False
            if len(self._differing) >= MAX_REMEMBERED:
                self._differing.clear()
            self._differing[match] = found
        return self._differing[match]

    async def _reports(self, match: str) -> Mapping[int, ProcessReport]:
        """The reports of the host's processes in a match, by seat."""
        if self._store is None:
            return {}
        rows = await self._ask(self._store.processes.of_match, match)
        return {row.seat: row.report for row in rows}

    async def view(self, match: str) -> MatchView:
        """The view of a match whose end was shown; errors as of ``replay``.

        It may have been told live just now, by another clock than the database's.
        """
        return view_of_record(*await self._recorded(match, told=True))

    async def final_view(self, match: str) -> MatchView:
        """The same, also for a match that a crash aborted, which has no replay."""
        try:
            return await self.view(match)
        except NotInStoreError:
            if self._store is None:
                raise
            return view_of_row(await self._ask(self._store.matches.get_public, match))

    async def view_of(self, row: MatchRow) -> MatchView:
        """The view of a match in the database, with its ratings, and with all that its replay says.

        Raises:
            StoreError: the database does not answer.
        """
        if row.reason is None or row.hidden or row.kept_back:
            return view_of_row(row)
        try:
            view = await self.view(row.match)
        except NotInStoreError:  # a crash cut it off, or its replay was removed
            view = view_of_row(row)
        seats = view.seats
        if row.rated and self._store is not None:
            seats = with_ratings(seats, await self._ask(self._store.ratings.changes, row.match))
        return msgspec.structs.replace(
            view, seats=seats, annulled=row.annulled, imported=row.imported
        )

    async def _recorded(self, match: str, *, told: bool = False) -> tuple[MatchRecord, str | None]:
        store = self._store
        if store is None:
            raise NotInStoreError(Reason.of("no_database"))
        row = await self._ask(store.matches.get if told else store.matches.get_public, match)
        why = why_not_seen(row)
        if why is not None:
            raise NotInStoreError(why)
        return decode_replay(await self._ask(store.matches.replay, match)), row.tournament

    async def show_document(self, document: bytes) -> bytes:
        """A foreign document, a replay or the text form of a match, as a ``Replay`` in JSON.

        Raises:
            TournamentError: it is neither, or a line of the text is wrong; the message names it.
            ValueError: it does not fit together; the message says where.
        """
        if not is_text_form(document):
            return await self.show(parse_replay(document, Reason.of("this_file")))
        text = MatchText(document, Reason.of("the_text"))
        place = self._background.of_game(load(text.game))
        await place.once(text.set_up)
        await place.each(text.lines, text.follow)
        return await self.show(await place.once(text.record))

    async def show(
        self,
        record: MatchRecord,
        tournament: str | None = None,
        reports: Mapping[int, ProcessReport] | None = None,
        choice: str | None = None,
        view: MatchView | None = None,
    ) -> bytes:
        """A record as a ``Replay`` in JSON.

        Args:
            record: the match.
            tournament: its tournament's name; None without one.
            reports: those of the host's processes, by seat.
            choice: whose view is shown; None for the whole truth.
            view: what is said of the match itself; None for all that its record says.

        Raises:
            ValueError: it does not fit together; the message says where.
        """

        def follow(events: Sequence[MatchEvent]) -> None:
            frames.follow(*events)
            if len(frames.frames) > MAX_FRAMES:
                raise ValueError(Reason.of("too_many_steps", most=MAX_FRAMES))

        try:
            place = self._background.of_game(load(record.setup.game))
            frames = await place.once(partial(_first_frames, record, choice, reports))
            await place.each(frames.transitions(record.events), follow)
        except GameError as error:
            raise ValueError(cause_of_refusal(error, record.setup.game)) from error
        view = view or view_of_record(record, tournament)
        return replay_json(view, frames.frames, frames.turns, frames.forfeits, None)

    def _keep(self, key: _Key, document: bytes) -> None:
        self._kept[key] = document
        self._kept_bytes += len(document)
        while self._kept_bytes > MAX_KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest)


def _first_frames(
    record: MatchRecord, choice: str | None, reports: Mapping[int, ProcessReport] | None
) -> Frames | AudienceFrames:
    """Frames at the start of a recorded match, as the whole truth or as one audience knew it."""
    whole = frames_of(record, reports=reports)  # which checks the record, too
    return whole if choice is None else chosen_frames(record, choice)


def _waits(record: MatchRecord) -> bool:
    """Whether the match is of a game that waits for a process; False if it is not installed."""
    try:
        return load(record.setup.game).waits
    except UnknownGame:
        return False


def _awaits_reports(record: MatchRecord, reports: Mapping[int, ProcessReport]) -> bool:
    """Whether reports on forfeits by time may still be written: they follow a match's record."""
    if time.time() * 1000 > record.finished_ms + _REPORTED_MS:
        return False
    return any(one.reason == "timeout" and one.seat not in reports for one in record.forfeits)


class _Encoded(msgspec.Struct):
    """A ``Replay`` whose parts are JSON already; a test compares the two."""

    match: MatchView
    frames: list[msgspec.Raw]
    turns: list[msgspec.Raw]
    forfeits: list[msgspec.Raw]
    clocks: Clocks | None
    renderer: str | None


def replay_json(
    match: MatchView,
    frames: list[msgspec.Raw],
    turns: list[msgspec.Raw],
    forfeits: list[msgspec.Raw],
    clocks: Clocks | None,
) -> bytes:
    """A ``Replay`` as JSON, of parts that are JSON already.

    Raises:
        ValueError: an option of the match is nothing that JSON can say.
    """
    try:
        renderer = renderer_of(match.game)
        digest = None if renderer is None else renderer.digest
        return _encode(_Encoded(match, frames, turns, forfeits, clocks, digest))
    except (TypeError, RecursionError) as error:
        raise ValueError(Reason.of("options_not_shown", why=cause_of(error))) from error
