"""Validates an uploaded version by matches that it must play to their ends before it is accepted.

In each game that it declares it plays against itself and against the built-in bot ``random``, each
seat once, with the contest's clock. If it forfeits, it is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import trio

from polynya_common.errors import ConfigurationError, RunError, TournamentError
from polynya_common.reasons import Cause, Reason
from polynya_conformance.replay.text_form import as_text
from polynya_conformance.replay.verify import parse_replay
from polynya_contest.config.bot_names import unique_name
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_games import load
from polynya_hosting.bots.sandboxed_bots import working_sandbox
from polynya_server import decode_replay, encode_replay
from polynya_server.records import ForfeitRecord, MatchRecord
from polynya_store import MatchFilter, Store
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament
from polynya_tournaments.uploads.archives.manifest import Manifest

_OPPONENT: Final = "random"
_MOST_LOG_BYTES: Final = 20_000
_NAME: Final = "validation"
_NOT_STARTED: Final = Reason.of("program_not_startable")


@dataclass(frozen=True)
class Validation:
    """The outcome of a version's matches.

    Attributes:
        failure: why it is refused; None if it is good.
        replay: the match that it is refused for, else its last one; None if none was played.
        log: the end of the bot's output in it.
    """

    failure: Cause | None
    replay: bytes | None
    log: str


async def validate(
    bot: BotConfiguration, manifest: Manifest, contest: TournamentConfiguration
) -> Validation:
    """Play a version's matches.

    Args:
        bot: how it is started.
        manifest: says which games it plays.
        contest: its clock and its limits hold for these matches; a game of its own has its options,
            the others their defaults.

    Raises:
        RunError, ConfigurationError: this machine cannot play them; the version may be good.
        StoreError: their database cannot be written.
    """
    played = Validation(None, None, "")
    for game in manifest.games:
        for opponents in _fields(bot, load(game).min_players):
            played = await _played(bot, game, opponents, contest)
            if played.failure is not None:
                return played
    return played


def match_text(replay: bytes | None) -> str | None:
    """A match of validation as text, or why it cannot be written so; None for none."""
    if replay is None:
        return None
    try:
        return as_text(parse_replay(replay, "the match"))
    except TournamentError as error:
        return str(error)


def _fields(bot: BotConfiguration, players: int) -> Iterator[list[BotConfiguration]]:
    """Its opponents in each match: itself under other names, then the built-in bot."""
    own = _further_names(bot.name, players - 1, bot.name)
    yield [msgspec.structs.replace(bot, name=name) for name in own]
    others = _further_names(_OPPONENT, players - 1, bot.name)
    yield [BotConfiguration(name=name, builtin=_OPPONENT) for name in others]


def _further_names(name: str, count: int, taken: str) -> list[str]:
    """Names like this one, each once, beside the taken one."""
    names = [taken]
    for _ in range(count):
        names.append(unique_name(name, names))
    return names[1:]


async def _played(
    bot: BotConfiguration,
    game: str,
    opponents: Sequence[BotConfiguration],
    contest: TournamentConfiguration,
) -> Validation:
    """Play these matches; their outcome."""
    with tempfile.TemporaryDirectory(prefix="polynya-") as folder:
        tournament = msgspec.structs.replace(
            contest,
            name=_NAME,
            game=game,
            bots=[bot, *opponents],
            options=contest.options if game == contest.game else {},
            players=len(opponents) + 1,
            cycles=1,
            concurrency=1,
            share_cores=True,  # no sentence about few cores among the incidents
            restarts=0,
            attempts=1,
            absent="open",
            database=str(Path(folder) / "validation.sqlite"),
        )
        incidents = _Incidents()
        await working_sandbox(tournament.sandbox)
        try:
            records = await _records(tournament, incidents)
        except ConfigurationError as error:  # the sandbox works, so it is the version's command
            return Validation(_failed(game, _NOT_STARTED), None, str(error))
        names = [bot.name, *(one.name for one in opponents if one.builtin is None)]
        logs = {name: _end_of(Path(tournament.logs_folder) / f"{name}.log") for name in names}
    for record in records:
        if (forfeit := _forfeit(record, names)) is not None:
            name = record.setup.players[forfeit.seat]
            why = Reason.of("validation_forfeit", forfeit=forfeit.reason, why=forfeit.detail)
            ended = incidents.failure_of([name]) if forfeit.reason == "disconnected" else None
            return Validation(_failed(game, why, ended), encode_replay(record), logs[name])
    if len(records) == tournament.players:
        return Validation(None, encode_replay(records[-1]), logs[bot.name])
    if (ended := incidents.failure_of(names)) is None:
        told = "; ".join(incidents.sentences)
        raise RunError(told or Reason.of("validation_not_played"))
    return Validation(_failed(game, ended), None, logs[bot.name])


def _failed(game: str, why: Cause, ended: Reason | None = None) -> Reason:
    return Reason.of("validation_failed", game=game, why=why, ended=ended)


async def _records(tournament: TournamentConfiguration, reporter: Reporter) -> list[MatchRecord]:
    """The matches of a tournament that came to an end, played now."""
    # Making its tables takes a tenth of a second, which is not the contest's matches' to lose.
    opening = partial(Store.open, Path(tournament.database), for_play=True, durable=False)
    with await trio.to_thread.run_sync(opening) as store:
        await run_tournament(tournament, store, reporter)
        return [
            decode_replay(store.matches.replay(row.match))
            for row in reversed(store.matches.page(MatchFilter(), size=100).rows)
            if row.reason in ("finished", "forfeit")
        ]


def _forfeit(record: MatchRecord, names: Sequence[str]) -> ForfeitRecord | None:
    """The first forfeit of one of these bots."""
    ours = (each for each in record.forfeits if record.setup.players[each.seat] in names)
    return next(ours, None)


def _end_of(log: Path) -> str:
    try:
        return log.read_bytes()[-_MOST_LOG_BYTES:].decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


class _Incidents(Reporter):
    """Keeps what goes wrong.

    Attributes:
        sentences: about bots, and matches that do not count.
    """

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._failures: list[tuple[str, Cause]] = []

    def warning(self, sentence: str) -> None:
        """See ``sentences``."""
        self.sentences.append(sentence)

    def bot_failed(self, name: str, how: Cause) -> None:
        """See :class:`Reporter`."""
        self._failures.append((name, how))

    def failure_of(self, names: Sequence[str]) -> Reason | None:
        """How the first of these bots failed: it ended, or plays another game; None if none did."""
        found = (how for name, how in self._failures if name in names)
        return next((Reason.of("program_failed", how=how) for how in found), None)
