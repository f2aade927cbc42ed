"""The matches of blocks: each bot at each seat once, numbered, with their seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from polynya_contest.pairing.designs import seat_orders
from polynya_contest.pairing.formats.interface import Block, Entrant


def match_seed(tournament_seed: int, block: str) -> int:
    """The seed of all matches of a block, 0 to 2**64 - 1; bots cannot guess it.

    It is the first 8 bytes, big-endian, of the SHA-256 of the ASCII text
    ``polynya match seed 1``, the tournament's seed in decimal and the block's key, joined by
    newlines. All seat rotations of a block share it, so they are played from the same set-up.
    """
    return int.from_bytes(_digest("polynya match seed 1", tournament_seed, block)[:8], "big")


def bot_seed(tournament_seed: int, name: str, block: str) -> int:
    """The ``POLYNYA_SEED`` of a hosted bot, 0 to 2**31 - 1: an int in any language.

    It is the first 4 bytes, big-endian, without the highest bit, of the SHA-256 of the ASCII text
    ``polynya bot seed 2``, the tournament's seed in decimal, the bot's name and the key
    of the match that it is started for, ``BLOCK seat 0``, joined by newlines.
    """
    first = int.from_bytes(
        _digest("polynya bot seed 2", tournament_seed, f"{name}\n{block}")[:4], "big"
    )
    return first & 0x7FFF_FFFF


def _digest(purpose: str, tournament_seed: int, key: str) -> bytes:
    return hashlib.sha256(f"{purpose}\n{tournament_seed}\n{key}".encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match to be played.

    Attributes:
        number: its place in the schedule, from 1.
        block: the key of its block: all matches of a block are played from the same set-up, and
            each of its bots has each seat once.
        players: the bots' names by seat.
        seed: of the set-up.
    """

    number: int
    block: str
    players: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The record of a tournament.

    Attributes:
        name, game, players, seed: what is played.
        configuration: what determines its matches, as JSON text with sorted keys.
        entrants: in the order of the seeding.
        pairings: its first round, or all of it where the format draws everything at once.
        late_entry: what a bot gets for each round before it entered, if it enters when the
            tournament has begun: ``zero`` or ``half`` a point; ``no`` lets none enter.
    """

    name: str
    game: str
    players: int
    seed: int
    configuration: str
    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    late_entry: str = "no"


def pairings_of(
    blocks: Iterable[Block], tournament_seed: int, last_number: int = 0
) -> list[Pairing]:
    """The matches of some blocks, numbered on from ``last_number``.

    Args:
        blocks: in the order in which they are to be played.
        tournament_seed: 0 to 2**64 - 1.
        last_number: of the matches drawn before.
    """
    pairings: list[Pairing] = []
    for block in blocks:
        seed = match_seed(tournament_seed, block.key)
        for seats in seat_orders(block.players):
            pairings.append(Pairing(last_number + len(pairings) + 1, block.key, seats, seed))
    return pairings
