"""The game of the folders of ``polynya new-game`` as an installed Python game.

``rules_processes.py`` measures them next to it; its heaps are as many as the option says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from polynya_games import Game, Option, Outcome, Step, Termination
from polynya_games.errors import IllegalStep, describe
from polynya_games.ranking import ranking
from polynya_games.reading import read_game, read_integer, read_integers, read_seats
from polynya_games.steps import Forms
from polynya_games.turns import check_leaver

FORMS = Forms({"take": {"heap": int, "count": int}})
KEYS = ("game", "players", "heaps", "seat", "forfeited")


class Heaps(msgspec.Struct, frozen=True):
    """A position."""

    players: int
    heaps: tuple[int, ...]
    seat: int = 0
    forfeited: tuple[int, ...] = ()

    turn_over = True

    @property
    def to_move(self) -> int | None:
        """The seat to move, None when the match is over."""
        over = not any(self.heaps) or len(self.forfeited) >= self.players - 1
        return None if over else self.seat

    @property
    def outcome(self) -> Outcome | None:
        """The seat that took the last stone is first."""
        if self.to_move is not None:
            return None
        left = len(self.forfeited) >= self.players - 1
        end = Termination.FORFEIT if left else Termination.VICTORY
        scores = [int(seat not in self.forfeited) for seat in range(self.players)]
        scores[self.seat] += not left
        return Outcome(end, ranking(tuple(scores), self.forfeited), tuple(scores))

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted."""
        if self.to_move is None:
            return []
        return [
            ("take", heap, count)
            for heap, stones in enumerate(self.heaps)
            for count in range(1, stones + 1)
        ]

    def apply(self, step: object) -> Heaps:
        """The position after a step of any form, which is checked first."""
        checked = FORMS.read(step)
        if checked not in (legal := self.legal_steps()):
            raise IllegalStep(f"the steps that are legal now are {describe(legal)}")
        return self.apply_legal(checked)

    def apply_legal(self, step: Step) -> Heaps:
        """The position after a legal step."""
        heap, count = int(step[1]), int(step[2])
        heaps = (*self.heaps[:heap], self.heaps[heap] - count, *self.heaps[heap + 1 :])
        return replace(self, heaps=heaps, seat=self._next() if any(heaps) else self.seat)

    def _next(self) -> int:
        seat = (self.seat + 1) % self.players
        while seat in self.forfeited:
            seat = (seat + 1) % self.players
        return seat

    def forfeit(self, seat: object) -> Heaps:
        """The position after a forfeit."""
        after = replace(self, forfeited=(*self.forfeited, check_leaver(self, seat)))
        return replace(after, seat=after._next()) if after.seat in after.forfeited else after

    def to_json(self) -> dict[str, Any]:
        """The position as a document."""
        return {
            "game": "heaps_in_python",
            "players": self.players,
            "heaps": list(self.heaps),
            "seat": self.seat,
            "forfeited": list(self.forfeited),
        }


class HeapsGame(Game):
    """The game, with the heaps as options."""

    name = "heaps_in_python"
    title = "Heaps"
    min_players = 2
    max_players = 4
    options = (
        Option("heaps", 3, "the number of heaps"),
        Option("stones", 5, "the number of stones in each heap"),
    )

    def setup(self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None) -> Heaps:
        """Equal heaps."""
        given = {"heaps": 3, "stones": 5, **(options or {})}
        self.check_setup(players, seed, given)
        return Heaps(players, (given["stones"],) * given["heaps"])

    def state_from_json(self, data: object) -> Heaps:
        """The position of a document."""
        document = read_game(data, self.name, KEYS)
        players = read_integer(document["players"], "players", 2, 4)
        return Heaps(
            players,
            read_integers(document["heaps"], "heaps", 0, 99),
            read_integer(document["seat"], "seat", 0, players - 1),
            read_seats(document["forfeited"], "forfeited", players),
        )


HEAPS = HeapsGame()
"""The game, as an entry point names it."""
