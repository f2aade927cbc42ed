"""From blocks to matches: every seat rotation of each, numbered, with its seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polynya_tournaments.formats.drawn_once import round_robin_blocks
from polynya_tournaments.formats.values import Block
from polynya_tournaments.seeds import match_seed


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match that is to be played.

    Attributes:
        number: its place in the schedule, from 1.
        block: the key of its block: all matches of a block are played from the same set-up, one
            for each rotation of the seats.
        players: the bots' names by seat.
        seed: of the set-up.
    """

    number: int
    block: str
    players: tuple[str, ...]
    seed: int


def pairings_of(
    blocks: Iterable[Block], tournament_seed: int, last_number: int = 0
) -> list[Pairing]:
    """The matches of some blocks, numbered on from ``last_number``."""
    pairings: list[Pairing] = []
    for block in blocks:
        seed = match_seed(tournament_seed, block.key)
        for first in range(len(block.players)):
            seats = block.players[first:] + block.players[:first]
            pairings.append(Pairing(last_number + len(pairings) + 1, block.key, seats, seed))
    return pairings


def round_robin(
    names: Sequence[str], players: int, cycles: int, tournament_seed: int
) -> list[Pairing]:
    """All matches of a round robin."""
    return pairings_of(round_robin_blocks(names, players, cycles), tournament_seed)
