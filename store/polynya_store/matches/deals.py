"""The deals of matches that all may see, with the secret that each follows from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_contest.secret import block_deal_text, deal_text
from polynya_games import GameError, load
from polynya_server.match.match_setup import deal_commitment
from polynya_server.records import decode_replay
from polynya_store import schema
from polynya_store.matches.ladder_secrets import of_ladders
from polynya_store.matches.ladder_summaries import PREFIX, is_of_ladder
from polynya_store.recorded_secret import RecordedSecret, secret_of_block, secrets_where
from polynya_store.tournaments.tournament_secrets import is_out
from polynya_store.visibility import is_hidden


@dataclass(frozen=True, slots=True)
class PublicDeal:
    """A deal that was used, and what it is checked with.

    Attributes:
        deal: 32 bytes in hexadecimal.
        commitment: the bots were told it at the beginning: SHA-256 of ``polynya-deal-1``, a line
            feed and the deal, in hexadecimal.
        text: the deal is its HMAC-SHA256 with the secret as key (with a beacon the key that follows
            from both); None for a deal that was drawn by itself.
        secret: in hexadecimal; None before it is out.
        beacon: of the secret; None without one.
    """

    deal: str
    commitment: str
    text: str | None
    secret: str | None
    beacon: str | None


def deal_of(connection: sa.Connection, match: str) -> PublicDeal | None:
    """The deal of a match that is over, also after a crash; None without a deal.

    It is the recorded one. An attempt that a crash ended has no record: its deal follows from the
    secret alone.
    """
    row = _row(connection, match)
    recorded = None if row.document is None else decode_replay(row.document).setup.deal
    if recorded is None and (row.document is not None or not _draws(row.game)):
        return None
    text, possible = _source(connection, row)
    if text is not None and possible:
        chosen = _chosen(possible, text, recorded, row)
        deal = recorded or chosen.secret.derived(text)
        shown = chosen.secret.hex if _is_out(connection, row, chosen) else None
        return PublicDeal(deal, deal_commitment(deal), text, shown, chosen.secret.beacon)
    if recorded is None:
        return None
    return PublicDeal(recorded, deal_commitment(recorded), None, None, None)


def _row(connection: sa.Connection, match: str) -> Any:
    matches, pairings, tournaments = schema.matches, schema.pairings, schema.tournaments
    return connection.execute(
        sa.select(
            matches,
            schema.replays.c.document,
            pairings.c.number,
            pairings.c.block,
            pairings.c.tournament_id,
            tournaments.c.name.label("tournament"),
            tournaments.c.duplicate,
            tournaments.c.results_from_ms,
            tournaments.c.freezes_ms,
        )
        .select_from(matches.outerjoin(schema.replays).outerjoin(pairings).outerjoin(tournaments))
        .where(matches.c.name == match)
    ).one()


def may_have_deal(game: str) -> bool:
    """Whether a match of a game may have a deal; a game that is not installed here may."""
    return _draws(game) is not False


def _draws(game: str) -> bool | None:
    """Whether a game draws from a secret deal; None if it is not installed here."""
    try:
        return load(game).secret_seed
    except GameError:
        return None


def _source(connection: sa.Connection, row: Any) -> tuple[str | None, list[RecordedSecret]]:
    """The text that the deal is derived from, and the secrets that it may be derived by."""
    if row.tournament_id is not None:
        text = block_deal_text(row.block) if row.duplicate else deal_text(row.number, row.attempt)
        return text, secrets_where(connection, schema.secrets.c.tournament_id == row.tournament_id)
    if not is_of_ladder(row.name, row.pairing_id):
        return None, []
    number = int(row.name.removeprefix(f"{PREFIX}-"))
    before = [one for one in of_ladders(connection) if one.after is not None and one.after < number]
    return deal_text(number, row.attempt), before


def _chosen(
    possible: Sequence[RecordedSecret], text: str, recorded: str | None, row: Any
) -> RecordedSecret:
    """The secret that gives the deal; without a record that of the time when the match began."""
    giving = [one for one in possible if one.secret.derived(text) == recorded]
    if row.duplicate:
        wanted = secret_of_block(possible, row.block, int(row.seed))
        giving += [one for one in possible if one.secret == wanted]
    made = [one for one in possible if one.made_ms <= row.started_ms]
    return (giving or made or list(possible))[-1]


def _is_out(connection: sa.Connection, row: Any, chosen: RecordedSecret) -> bool:
    if row.tournament_id is None:
        return chosen.out_ms is not None
    hidden = is_hidden(row.results_from_ms, row.freezes_ms)
    return not hidden and is_out(connection, row.tournament)
