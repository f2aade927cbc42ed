"""Renders a match's result in sentences; ``headline.js`` of the viewer renders the same ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from polynya_web.content.match_types import MatchForfeit, MatchView, Seat
from polynya_web.content.texts import Texts

_SIMPLE = re.compile(r"[A-Za-z0-9_.-]*")
_SECOND_MS = 1_000
_MINUTE_MS = 60_000
_IN_SECONDS_MS = 120_000


def result_sentences(match: MatchView, t: Texts) -> list[str]:
    """The winner, and each forfeit with its reason; nothing while a match is in play."""
    if match.in_play or match.reason is None:
        return []
    if match.reason in ("aborted", "annulled"):
        return [t(f"viewer.result.{match.reason}")]
    lost = [_forfeit(one, match, t) for one in match.forfeits or ()]
    won = _standing(match, t) if len(match.seats) > 2 or not lost else None
    return lost if won is None else [won, *lost]


def _standing(match: MatchView, t: Texts) -> str | None:
    if any(seat.rank is None or seat.score is None for seat in match.seats):
        return None
    placed = sorted(match.seats, key=lambda seat: seat.rank or 0)
    first = [_isolated(seat.name) for seat in placed if seat.rank == 1]
    kind = "won" if len(first) == 1 else "drew" if len(first) == len(placed) else "shared"
    why = victory_words(match.game, match.termination, placed[0].score, t)
    if kind == "won" and why is not None:
        return t("viewer.result.won_by", names=_joined(first, t), why=why)
    if not _explain(placed):
        return t(f"viewer.result.{kind}_only", names=_joined(first, t))
    scores = " : ".join(str(seat.score) for seat in placed)
    return t(f"viewer.result.{kind}", names=_joined(first, t), scores=scores)


def victory_words(game: str, termination: str | None, score: int | None, t: Texts) -> str | None:
    """The reason of a victory that is no score: the game's text for this score, or for any other.

    None unless the match ended by such a victory, and for games without such texts.
    """
    keys = [f"board.{game}.victory.{score}", f"board.{game}.victory.other"]
    if termination != "victory":
        return None
    return next((t(key) for key in keys if key in t), None)


def _explain(placed: Sequence[Seat]) -> bool:
    """Whether the scores explain the ranks: better rank, higher score; same rank, same score."""
    return all(
        (one.score or 0) > (other.score or 0)
        if one.rank != other.rank
        else one.score == other.score
        for one, other in pairwise(placed)
    )


def _forfeit(forfeit: MatchForfeit, match: MatchView, t: Texts) -> str:
    in_turn = forfeit.turn > 0
    key = "viewer.result.in_turn" if in_turn else "viewer.result.before_first"
    name, when = _isolated(match.seats[forfeit.seat].name), t(key, turn=forfeit.turn)
    charged_ms, limit_ms = forfeit.charged_ms, forfeit.limit_ms
    if forfeit.reason == "timeout" and charged_ms is not None and limit_ms is not None:
        times = {"charged": spent(charged_ms, t), "limit": spent(limit_ms, t)}
        return t("viewer.result.timeout_times", name=name, when=when, **times)
    return t(f"viewer.result.{forfeit.reason}", name=name, when=when)


def spent(milliseconds: int, t: Texts) -> str:
    """A length of time: ``120 ms``, ``1.20 s``, ``2 min 5 s``."""
    if milliseconds < _SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds < _IN_SECONDS_MS:
        return f"{t.number(milliseconds / _SECOND_MS, '.2f')} s"
    minutes, rest = divmod(milliseconds, _MINUTE_MS)
    return f"{minutes} min {rest / _SECOND_MS:.0f} s"


def _joined(names: Sequence[str], t: Texts) -> str:
    *most, last = names or ("",)
    return f"{', '.join(most)} {t('viewer.result.and')} {last}" if most else last


def _isolated(name: str) -> str:
    """A name within a sentence: one with letters of all kinds keeps its direction to itself."""
    return name if _SIMPLE.fullmatch(name) else f"\u2068{name}\u2069"
