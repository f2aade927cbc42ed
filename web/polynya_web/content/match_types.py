"""The types of matches in the API: each is one JSON object, and a source of the OpenAPI document.

Times ending in ``_ms`` are milliseconds, those ending in ``_us`` microseconds; ``started_ms`` and
``finished_ms`` count from 1970-01-01 UTC, the ``_us`` of turns from the beginning of the match on
the server's monotonic clock (the replay has the same figures).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from polynya_common.reasons import Reason
from polynya_protocol.messages import Clock, ForfeitReason, OverReason, Software, Step
from polynya_web.content.boards.board_types import BoardView

Termination = Literal["finished", "victory", "limit", "forfeit"]


MOST_EXACT = 2**53 - 1
"""The largest integer that scripts compute with exactly."""


def exact(value: Any) -> Any:
    """Plain data with integers as strings where scripts would read other numbers."""
    if isinstance(value, dict):
        return {key: exact(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [exact(entry) for entry in value]
    return str(value) if isinstance(value, int) and abs(value) > MOST_EXACT else value


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """The base of all types: a frozen value with all of its keys."""


class Failure(Value, frozen=True):
    """The answer to a request that cannot be answered otherwise.

    Attributes:
        error: one sentence that says why.
    """

    error: str


class Seat(Value, frozen=True):
    """A player of a match.

    Attributes:
        seat: its number, from 0.
        name: the bot's name.
        rating: its rating when the match began; null without one, and in lists.
        rating_before, rating_after: its rating just before and after this match was rated; null if
            it was not, in lists, and beside frames.
        software: what the bot said it runs; null if it said nothing, and in lists.
        rank: 1 the best; null without a result.
        score: what it counts is said in the game's rules; null without a result.
        forfeit: why it forfeited, null if it did not.
    """

    seat: int
    name: str
    rating: float | None = None
    rating_before: float | None = None
    rating_after: float | None = None
    software: Software | None = None
    rank: int | None = None
    score: int | None = None
    forfeit: ForfeitReason | None = None


class MatchForfeit(Value, frozen=True):
    """A forfeit of a match, as a sentence and in figures.

    Attributes:
        turn: the turn that was being asked for, 0 before the first.
        seat: the seat that forfeited.
        reason, detail: why, in a word and in a sentence.
        detail_cause: the sentence as a code with fields; null where there is only text.
        limit_ms: the time the turn had; null if this seat was not to move.
        charged_ms: what had been used of it.
    """

    turn: int
    seat: int
    reason: ForfeitReason
    detail: str
    detail_cause: Reason | None = None
    limit_ms: int | None = None
    charged_ms: int | None = None


class MatchView(Value, frozen=True):
    """A match, in play or over.

    Attributes:
        match: its id.
        tournament: the tournament's name, null on a ladder.
        game: the name of the game.
        seats: the players by seat.
        options: the set-up options; integers of more than 53 bits are strings.
        clock: the time limits.
        rated: whether its result counts for ratings.
        started_ms, finished_ms: when it began and ended; null while it has not.
        in_play: whether it is being played.
        reason: how it ended, null while it has not.
        termination: why the game ended, null without a result.
        detail: a sentence where more is to be said.
        detail_cause: the same as a code with fields; null where there is only text.
        server_fault: whether the server itself was late, so that the match does not count.
        annulled: why the host has annulled it, so that it does not count; null if it has not.
        annulled_cause: the same as a code with fields; null where there is only text.
        imported: where it came from if it was played elsewhere; else null.
        forfeits: those of a match that is over, in their order; null while it is in play, and in
            lists.
    """

    match: str
    tournament: str | None
    game: str
    seats: list[Seat]
    options: dict[str, Any]
    clock: Clock
    rated: bool
    started_ms: int
    finished_ms: int | None = None
    in_play: bool = False
    reason: OverReason | None = None
    termination: Termination | None = None
    detail: str | None = None
    detail_cause: Reason | None = None
    server_fault: bool = False
    annulled: str | None = None
    annulled_cause: Reason | None = None
    imported: str | None = None
    forfeits: list[MatchForfeit] | None = None


class Frame(Value, frozen=True):
    """A position of a match: the initial one, or the one after a step or after a forfeit.

    Attributes:
        index: its place among the frames, 0 for the initial position.
        turn: the number of the turn, from 1; 0 before the first.
        seat: the seat that made the step or forfeited; null for the initial position.
        step: the step that led here; null for the initial position, for a forfeit, and if it is
            concealed.
        step_index: the place of the step in its turn, from 0; null as above.
        turn_over: whether the turn is over with it.
        state: the position, of the form in the game's rules; while a match with hidden parts
            runs, the part of it that spectators may know.
        scores: the present score by seat, null where the game has none before its end.
        rows: the board as rows of text, null where the game has none.
        board: the board as a grid or a drawing, null where the game gives neither.
        forfeit: why the seat forfeited, null if this is no forfeit.
        detail: the sentence that was sent about the forfeit.
        detail_cause: the same as a code with fields; null where there is only text.
        seen: what the audience learnt with this position beyond the steps; null in the whole
            truth, and without any.
    """

    index: int
    turn: int
    seat: int | None
    step: Step | None
    step_index: int | None
    turn_over: bool
    state: dict[str, Any]
    scores: list[int] | None
    rows: list[str] | None = None
    board: BoardView | None = None
    forfeit: ForfeitReason | None = None
    detail: str | None = None
    detail_cause: Reason | None = None
    seen: list[dict[str, Any]] | None = None


class TurnView(Value, frozen=True):
    """A turn that was played, with its times.

    Attributes:
        turn: its number, from 1.
        seat: the seat that moved.
        steps: what was played; null if it is concealed.
        first_frame, last_frame: the frames after its first and after its last step.
        charged_ms: what the player was charged.
        remaining_ms: each seat's budget after it, null without one.
        queued_us: the question was queued; this and the next three are null in a match on another
            server, while it is in play.
        flushed_us: it had been handed to the operating system: the clock started.
        first_byte_us, last_byte_us: the answer's first and last byte had arrived.
        kernel: whether these two times are the kernel's.
        loop_delay_us: the largest delay of the server's event loop meanwhile.
        info: the bot's remarks; null without, or if they are not shown. Integers of more than 53
            bits are strings, since scripts would round them.
    """

    turn: int
    seat: int
    steps: list[Step] | None
    first_frame: int
    last_frame: int
    charged_ms: int
    remaining_ms: list[int | None]
    queued_us: int | None
    flushed_us: int | None
    first_byte_us: int | None
    last_byte_us: int | None
    kernel: bool
    loop_delay_us: int
    info: Any = None


class ForfeitView(Value, frozen=True):
    """A forfeit, with the times of the turn that it happened in, where it happened in one.

    Attributes:
        turn: the turn that was being asked for, 0 before the first.
        seat: the seat that forfeited.
        reason, detail: why, in a word and in a sentence.
        detail_cause: the sentence as a code with fields; null where there is only text.
        frame: the frame that shows it.
        limit_ms: the time the turn had; null if this seat was not to move.
        charged_ms: what had been used of it.
        cpu_ms: the processor time that the host's process used in a turn that was too long; null
            where it was not counted, and at once after the match.
        refused_steps: the steps that were sent instead of a legal turn, as JSON in a string, since
            they may have any form; at most 4 KiB of them, and how many more there were; null
            without any.
    """

    turn: int
    seat: int
    reason: ForfeitReason
    detail: str
    frame: int
    detail_cause: Reason | None = None
    limit_ms: int | None = None
    charged_ms: int | None = None
    queued_us: int | None = None
    flushed_us: int | None = None
    first_byte_us: int | None = None
    last_byte_us: int | None = None
    kernel: bool = False
    loop_delay_us: int = 0
    cpu_ms: int | None = None
    refused_steps: str | None = None


class Clocks(Value, frozen=True):
    """The clocks of a match in play, at the moment of sending.

    Attributes:
        to_move: the seat whose clock runs, the least of a joint turn; null if none does.
        remaining_ms: each seat's budget when its clock last stopped, null without one.
        limit_ms: what the present turn may take in all, the longest of a joint turn; null if no
            clock runs.
        running_ms: how long the clock of the present turn has been running; null if none runs.
        acting: the seats whose clocks run: in a joint turn all that were asked, whether they have
            answered or not.
    """

    to_move: int | None
    remaining_ms: list[int | None]
    limit_ms: int | None
    running_ms: int | None
    acting: list[int] = []


class Replay(Value, frozen=True):
    """A match with all that has happened in it.

    Attributes:
        match: the match.
        frames: its positions.
        turns: its turns.
        forfeits: its forfeits.
        clocks: as they run; null if it is over.
        renderer: the digest in the address of the game's own renderer; null without one.
    """

    match: MatchView
    frames: list[Frame]
    turns: list[TurnView]
    forfeits: list[ForfeitView]
    clocks: Clocks | None = None
    renderer: str | None = None
