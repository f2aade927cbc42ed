"""The matches of blocks: each bot at each seat once, numbered, with their seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from polynya_contest.pairing.designs import seat_orders
from polynya_contest.pairing.formats.interface import Block, Entrant
from polynya_contest.secret import Secret, SeedOf


def seed_of_rules_2(tournament_seed: int) -> SeedOf:
    """The seeds of tournaments that version 0.3.0 began, which have no secret.

    A seed is the first 8 bytes, big-endian, of the SHA-256 of the ASCII text ``polynya match seed
    1``, the tournament's seed in decimal and the block's key, joined by newlines.
    """

    def seed_of(block: str) -> int:
        text = f"polynya match seed 1\n{tournament_seed}\n{block}"
        return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8], "big")

    return seed_of


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
        name, game, players: what is played.
        secret: what its seeds follow from, if it is recorded now; another one is, if it has been
            recorded before.
        configuration: what determines its matches, as JSON text with sorted keys.
        entrants: in the order of the seeding.
        pairings: its first round, or all of it where the format draws everything at once; none
            while it waits for a beacon.
        late_entry: what a bot gets for each round before it entered, if it enters when the
            tournament has begun: ``zero`` or ``half`` a point; ``no`` lets none enter.
    """

    name: str
    game: str
    players: int
    secret: Secret
    configuration: str
    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    late_entry: str = "no"


def pairings_of(blocks: Iterable[Block], seed_of: SeedOf, last_number: int = 0) -> list[Pairing]:
    """The matches of some blocks, numbered on from ``last_number``.

    Args:
        blocks: in the order in which they are to be played.
        seed_of: gives the seed of a block; all its matches share it, and so their set-up.
        last_number: of the matches drawn before.
    """
    pairings: list[Pairing] = []
    for block in blocks:
        seed = seed_of(block.key)
        for seats in seat_orders(block.players):
            pairings.append(Pairing(last_number + len(pairings) + 1, block.key, seats, seed))
    return pairings
