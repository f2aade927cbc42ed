"""Reads a match from its text form, playing it through the rules line by line.

Texts are untrusted input: everything that the rules determine is checked, and an error names the
first wrong line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, get_args

import msgspec

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_common.text import moment_ms
from polynya_conformance.replay.text_form import TEXT_VERSION, Tags, steps_of_words
from polynya_games import State, load
from polynya_games.chance import deal_from_hex
from polynya_games.playthrough import Playthrough
from polynya_protocol.errors import printable
from polynya_protocol.messages import ForfeitReason
from polynya_protocol.names import MOST_CHARACTERS, is_name
from polynya_protocol.validation_errors import problem_of
from polynya_server.errors import cause_of_refusal
from polynya_server.match.match_setup import check_setup, create_initial_state
from polynya_server.match.time_control import MatchClock
from polynya_server.records import (
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    MatchSetup,
    TurnRecord,
)

LARGEST_TEXT = 4 * 2**20
"""Size limit in bytes; a match of 10,000 turns needs less than a tenth of it."""
LONGEST_LINE = 65_536
"""Length limit of a line in characters, equal to the largest frame that bots may send."""

_REASONS = get_args(ForfeitReason)
_US_PER_MS = 1000
_TAG = re.compile(r"\[([A-Za-z]+) (.*)\]")
_EVENT = re.compile(
    r"([0-9]{1,9})\. ?([0-9]{1,2})(?: forfeits ([a-z_]+))?(?: \(([0-9]{1,13}) ms\))?:(.*)"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_TAGS = [field.encode_name for field in msgspec.structs.fields(Tags)]
_MATCH_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def is_text_form(document: bytes) -> bool:
    """Whether a document must be the text form: it begins with a tag or a comment.

    A replay is a msgpack map, which begins with a byte above 127.
    """
    return document.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"#")


def read_text(document: bytes, source: Cause) -> MatchRecord:
    """The record of a match in the text form.

    Args:
        document: the text in UTF-8.
        source: what the text is called in errors.

    Raises:
        TournamentError: it is too long or no text, a line is not of the form, or the rules do not
            allow what it says; the message names the line.
    """
    text = MatchText(document, source)
    text.set_up()
    for line in text.lines:
        text.follow(line)
    return text.record()


class MatchText:
    """Reads the text form of a match line by line, so that a long one can be read in parts.

    First comes :meth:`set_up`, then :meth:`follow` with each line, then :meth:`record`.

    Args:
        document, source: as for :func:`read_text`, whose errors all methods raise.

    Attributes:
        game: the name of the game.
        lines: the lines after the tags, each with its number; pass them to :meth:`follow`.
    """

    def __init__(self, document: bytes, source: Cause) -> None:
        self._source = source
        self._number = 1
        self._all = self._significant(self._decoded(document))
        tags, self._places = self._tag_lines()
        self._header = self._checked(tags)
        self._setup = self._checked_setup(self._header)
        self.game = self._setup.game

    def set_up(self) -> None:
        """Set up the match."""
        try:
            state, self._options = create_initial_state(load, self._setup)
            clock = MatchClock(self._setup.clock, len(self._setup.players), self._setup.untimed)
        except ValueError as error:
            self._refuse(
                Reason.of("set_up_wrong", why=self._cause(error)), line=self._places["Game"]
            )
        self._table = _Table(state, clock, aborted=self._header.reason == "aborted")
        self._initial = state.to_json()

    @property
    def lines(self) -> Sequence[tuple[int, str]]:
        """See above."""
        return self._all[len(self._places) :]

    def follow(self, line: tuple[int, str]) -> None:
        """Play the turn or forfeit of one line."""
        self._number, text = line
        if text.startswith("["):
            self._refuse(Reason.of("tags_late"))
        found = _EVENT.fullmatch(text)
        if found is None:
            self._refuse(Reason.of("turn_form"))
        turn, seat, reason, time, rest = found.groups()
        charged_ms = None if time is None else int(time)
        try:
            if reason is None:
                self._table.turn(int(turn), int(seat), steps_of_words(rest), charged_ms or 0)
            else:
                self._table.forfeit(int(turn), int(seat), reason, charged_ms, _detail(rest))
        except ValueError as error:  # a GameError is one
            self._refuse(
                Reason.of(
                    "turn_and_seat_wrong", turn=int(turn), seat=int(seat), why=self._cause(error)
                )
            )

    def record(self) -> MatchRecord:
        """The record of the match, once all lines have been followed."""
        header = self._header
        try:
            self._table.end_joint_turn()
        except ValueError as error:
            self._refuse(Reason.of("turns_wrong", why=self._cause(error)))
        self._check_result(self._table.match.state)
        started_ms = self._moment(header.started, "Started")
        finished_ms = self._moment(header.finished, "Finished")
        if not 0 <= started_ms <= finished_ms:
            self._refuse(Reason.of("bad_times"), line=self._places["Started"])
        return MatchRecord(
            setup=self._setup,
            options=self._options,
            state=self._initial,
            software=list(header.software) or [None] * len(header.bots),
            server=header.server,
            started_ms=started_ms,
            finished_ms=finished_ms,
            events=self._table.events,
            ranking=header.ranking,
            scores=header.scores,
            reason=header.reason,
            termination=header.termination,
            detail=header.detail,
            server_fault=header.reason == "annulled",
        )

    def _decoded(self, document: bytes) -> str:
        if len(document) > LARGEST_TEXT:
            raise TournamentError(
                Reason.of(
                    "text_too_long", source=self._source, size=len(document), most=LARGEST_TEXT
                )
            )
        try:
            text = document.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = document.count(b"\n", 0, error.start) + 1
            self._refuse(Reason.of("text_not_utf8"), line=line)
        if control := _CONTROL.search(text):
            line = text.count("\n", 0, control.start()) + 1
            self._refuse(
                Reason.of("control_character", character=f"{ord(control.group()):04X}"), line=line
            )
        return text

    def _significant(self, text: str) -> list[tuple[int, str]]:
        """The lines other than blank ones and comments, with their numbers."""
        found = []
        for number, raw in enumerate(text.split("\n"), start=1):
            line = raw.strip()
            if len(line) > LONGEST_LINE:
                self._refuse(Reason.of("line_too_long", most=LONGEST_LINE), line=number)
            if line and not line.startswith("#"):
                found.append((number, line))
        return found

    def _tag_lines(self) -> tuple[dict[str, Any], dict[str, int]]:
        """The values of the tags, and their line numbers."""
        tags: dict[str, Any] = {}
        places: dict[str, int] = {}
        for number, line in self._all:
            self._number = number
            if not line.startswith("["):
                break
            found = _TAG.fullmatch(line)
            if found is None:
                self._refuse(Reason.of("tag_form"))
            name, value = found.groups()
            if name not in _TAGS:
                self._refuse(Reason.of("unknown_tag", name=name, tags=[*_TAGS]))
            if name in tags:
                self._refuse(Reason.of("tag_twice", name=name))
            try:
                tags[name] = msgspec.json.decode(value)
            except (msgspec.DecodeError, RecursionError) as error:
                self._refuse(Reason.of("tag_not_json", name=name, reason=str(error)))
            places[name] = number
        return tags, places

    def _checked(self, tags: Mapping[str, Any]) -> Tags:
        if "Polynya" not in tags:
            self._refuse(Reason.of("tag_missing", version=TEXT_VERSION), line=1)
        if tags["Polynya"] != TEXT_VERSION:
            self._refuse(
                Reason.of(
                    "text_of_other_version", version=_shown(tags["Polynya"]), own=TEXT_VERSION
                ),
                line=self._places["Polynya"],
            )
        try:
            return msgspec.convert(tags, Tags)
        except msgspec.ValidationError as error:
            tag = re.split(r"[.\[]", problem_of(error).place)[0]
            line = self._places.get(tag, self._number)
            self._refuse(Reason.of("tags_wrong", why=cause_of(error)), line=line)

    def _checked_setup(self, header: Tags) -> MatchSetup:
        if _MATCH_ID.fullmatch(header.match) is None:
            self._refuse(
                Reason.of("bad_match_id", match=header.match),
                line=self._places["Match"],
            )
        if header.deal is not None and deal_from_hex(header.deal) is None:
            self._refuse(Reason.of("bad_deal"), line=self._places["Deal"])
        for name in header.bots:
            if not is_name(name):
                why = Reason.of("bad_bot_name", bot=name, most=MOST_CHARACTERS)
                self._refuse(why, line=self._places["Bots"])
        if header.software and len(header.software) != len(header.bots):
            self._refuse(Reason.of("software_count"), line=self._places["Software"])
        setup = MatchSetup(
            match=header.match,
            game=header.game,
            players=header.bots,
            clock=header.clock,
            seed=header.seed,
            deal=header.deal,
            reveal=header.reveal,
            ratings=header.ratings,
            options=header.options,
            rated=header.rated,
            untimed=header.untimed,
        )
        try:
            check_setup(setup)
        except ValueError as error:
            self._refuse(Reason.of("tags_wrong", why=cause_of(error)), line=self._places["Clock"])
        return setup

    def _moment(self, text: str, tag: str) -> int:
        try:
            return moment_ms(text, f"the tag {tag}")
        except ConfigurationError as error:
            self._refuse(cause_of(error), line=self._places[tag])

    def _check_result(self, state: State) -> None:
        """Refuse a result that differs from the rules' result."""
        header, places = self._header, self._places
        said = (header.ranking, header.scores, header.termination)
        given: tuple[Any, Any, Any] = (None, None, None)
        if header.reason in ("finished", "forfeit"):
            outcome = state.outcome
            if outcome is None:
                self._refuse(Reason.of("match_not_over", seat=state.to_move))
            termination = outcome.termination.value
            given = (list(outcome.ranking), list(outcome.scores), termination)
            by = "forfeit" if termination == "forfeit" else "finished"
            if header.reason != by:
                why = Reason.of("reason_differs", reason=header.reason, other=by)
                self._refuse(why, line=places["Reason"])
        for name, value, right in zip(
            ("Ranking", "Scores", "Termination"), said, given, strict=True
        ):
            if value != right:
                self._refuse(
                    Reason.of("tag_differs", name=name, value=_shown(value), other=_shown(right)),
                    line=places.get(name, places["Reason"]),
                )

    def _cause(self, error: ValueError) -> Cause:
        return cause_of_refusal(error, self._setup.game)

    def _refuse(self, why: Cause, *, line: int | None = None) -> NoReturn:
        number = self._number if line is None else line
        raise TournamentError(
            Reason.of("text_line", source=self._source, line=number, why=_bounded(why))
        )


class _Line(NamedTuple):
    """A turn that a line tells of."""

    turn: int
    seat: int
    steps: list[list[Any]]
    charged_ms: int


class _Table:
    """The part of the match that has been read.

    Attributes:
        match: its playthrough by the rules.
        events: turns and forfeits, with consistent times.
    """

    def __init__(self, state: State, clock: MatchClock, *, aborted: bool) -> None:
        self.match = Playthrough(state)
        self.events: list[MatchEvent] = []
        self._clock = clock
        self._aborted = aborted
        self._elapsed_us = 0
        self._joint: list[_Line | ForfeitRecord] = []

    def turn(self, number: int, seat: int, steps: list[list[Any]], charged_ms: int) -> None:
        """Play a turn.

        Raises:
            ValueError: it is not the next turn, is illegal, or exceeds its clock.
        """
        self._end_joint_turn_before(number)
        asked = seat if seat in self.match.acting else self.match.asked
        if number != self.match.turn + 1:
            raise ValueError(Reason.of("turn_expected", turn=self.match.turn + 1))
        limit_ms = self._clock.limit_ms(asked)
        if charged_ms > limit_ms:
            raise ValueError(Reason.of("time_exceeded", charged=charged_ms, limit=limit_ms))
        line = _Line(number, seat, steps, charged_ms)
        if len(self.match.acting) > 1:
            self._joint.append(line)
            return
        self._clock.charge(asked, charged_ms)
        self._follow(self._record(line))

    def end_joint_turn(self) -> None:
        """Play the joint turn whose lines have been read, if there is one.

        Raises:
            ValueError: a line is missing, too many, or not legal.
        """
        lines, self._joint = self._joint, []
        if not lines:
            return
        for line in lines:
            if isinstance(line, _Line):
                self._clock.charge(line.seat, line.charged_ms)
        self._follow(
            *(line if isinstance(line, ForfeitRecord) else self._record(line) for line in lines)
        )

    def _end_joint_turn_before(self, number: int) -> None:
        if self._joint and self._joint[0].turn != number:
            self.end_joint_turn()

    def _record(self, line: _Line) -> TurnRecord:
        """The record of a turn, with times that fit what it was charged."""
        charged_us = line.charged_ms * _US_PER_MS
        began_us, self._elapsed_us = self._elapsed_us, self._elapsed_us + charged_us
        return TurnRecord(
            turn=line.turn,
            seat=line.seat,
            steps=line.steps,
            queued_us=began_us,
            flushed_us=began_us,
            first_byte_us=self._elapsed_us,
            last_byte_us=self._elapsed_us,
            kernel=False,
            charged_ms=line.charged_ms,
            remaining_ms=self._clock.remaining_ms(),
            loop_delay_us=0,
        )

    def forfeit(
        self, number: int, seat: int, reason: str, charged_ms: int | None, detail: Cause
    ) -> None:
        """Forfeit a seat.

        Raises:
            ValueError: the seat cannot forfeit, or the reason does not exist.
        """
        if reason not in _REASONS:
            raise ValueError(Reason.of("bad_forfeit_reason", reason=reason, reasons=[*_REASONS]))
        limit_ms = None
        self._end_joint_turn_before(number)
        if not (self._aborted and number == 0):
            asked, last = self.match.asked, self.match.turn
            asked = seat if seat in self.match.acting else asked
            if number not in (last, last + 1):
                raise ValueError(Reason.of("turn_expected_one_of", turn=last, next=last + 1))
            had_answered = charged_ms is None and len(self.match.acting) > 1
            if seat == asked and number > last and not had_answered:
                limit_ms = self._clock.limit_ms(seat)
            late = limit_ms is not None and charged_ms is not None and charged_ms > limit_ms
            if reason == "timeout" and not late:
                allowed = Reason.of("not_asked") if limit_ms is None else f"{limit_ms} ms"
                raise ValueError(Reason.of("timeout_without_overrun", allowed=allowed))
        forfeit = ForfeitRecord(
            turn=number,
            seat=seat,
            reason=reason,  # type: ignore[arg-type]
            detail=detail,
            limit_ms=limit_ms,
            charged_ms=charged_ms if limit_ms is not None else None,
        )
        if len(self.match.acting) > 1 and number > self.match.turn:
            self._joint.append(forfeit)
        else:
            self._follow(forfeit)

    def _follow(self, *events: MatchEvent) -> None:
        self.match.follow(*events)
        self.events += events


def _detail(text: str) -> Cause:
    """Read the reason of a forfeit: a JSON object with its code, a JSON string, or nothing."""
    if not text.strip():
        return ""
    try:
        found: Cause = msgspec.json.decode(text, type=Cause)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(Reason.of("detail_form", why=str(error))) from None
    return found


def _bounded(why: Cause) -> Cause:
    """Cut a sentence to a bounded length; a reason is bounded anyway."""
    return printable(why, limit=1_000) if isinstance(why, str) else why


def _shown(value: object) -> str:
    return "missing" if value is None else msgspec.json.encode(value).decode()
