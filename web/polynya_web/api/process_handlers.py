"""The function that answers the API's question about the processes of a match."""

from __future__ import annotations

from starlette.requests import Request

from polynya_common.reasons import Reason, reason_of
from polynya_store import Store
from polynya_store.matches.match_repository import ProcessRow
from polynya_web.api.query import Query
from polynya_web.content.match_types import Value
from polynya_web.content.match_views import words
from polynya_web.http.requests import Refused
from polynya_web.http.wrong_tokens import bearer_token, proves
from polynya_web.site import site_of


class TurnTime(Value, frozen=True):
    """The processor time of a turn.

    Attributes:
        turn: its number.
        cpu_ms: in ms.
    """

    turn: int
    cpu_ms: int


class ProcessView(Value, frozen=True):
    """The resources that a hosted process used in a match, and its end.

    Attributes:
        seat, bot: whose it is.
        sandbox: what it ran in.
        core: the processor core that it was pinned to; null for none.
        turns: the processor time of its turns; empty where the system does not count it.
        peak_bytes: the most memory that it used since its start; null if it is not counted.
        limits: the limits that it has met since its start, each in words.
        ended: how it ended in this match, in words; null if it did not.
        code: its exit code then, negative for a signal.
        last_received: its last message in this match, in words.
        limits_cause, ended_cause, last_received_cause: the same as codes with fields; null where
            there is only text.
        last_lines: what it had written last.
    """

    seat: int
    bot: str
    sandbox: str
    core: int | None
    turns: list[TurnTime]
    peak_bytes: int | None
    limits: list[str]
    limits_cause: list[Reason | None]
    ended: str | None
    ended_cause: Reason | None
    code: int | None
    last_received: str | None
    last_received_cause: Reason | None
    last_lines: list[str]


async def processes(request: Request, _query: Query) -> list[ProcessView]:
    """The resources of the host's processes in a match, and their ends.

    The header ``Authorization: Bearer TOKEN`` brings a bot's token for the processes of this bot,
    or the operator's for all.
    """
    site, match = site_of(request), request.path_params["match"]
    token = bearer_token(request, Reason.of("bot_or_operator_token_needed"))
    rows, hashes = await site.ask(_processes, site.database, match)
    if site.control is not None and proves(token, site.control.token_hash):
        return [_view(row) for row in rows]
    own = {bot for bot, token_hash in hashes.items() if proves(token, token_hash)}
    if not own:
        site.attempts.failed(request)
        raise Refused(403, f"this is the token of no bot in {match}")
    return [_view(row) for row in rows if row.bot in own]


def _processes(store: Store, match: str) -> tuple[list[ProcessRow], dict[str, bytes | None]]:
    """The reports of a match, and the hashes of its bots' tokens."""
    bots = {seat.name for seat in store.matches.get(match).seats}
    return store.processes.of_match(match), {bot: store.bots.token_hash(bot) for bot in bots}


def _view(row: ProcessRow) -> ProcessView:
    report = row.report
    return ProcessView(
        seat=row.seat,
        bot=row.bot,
        sandbox=report.sandbox,
        core=report.core,
        turns=[TurnTime(turn=turn, cpu_ms=cpu_ms) for turn, cpu_ms in report.cpu_ms],
        peak_bytes=report.peak_bytes,
        limits=[str(one) for one in report.limits],
        limits_cause=[reason_of(one) for one in report.limits],
        ended=words(report.ended),
        ended_cause=reason_of(report.ended),
        code=report.code,
        last_received=words(report.last_received),
        last_received_cause=reason_of(report.last_received),
        last_lines=report.last_lines,
    )
