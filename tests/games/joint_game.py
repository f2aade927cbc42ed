"""A small game with joint turns and a hidden hand, for tests of what all games share.

Each of 2 to 4 players holds the coins 1 to 3 and, in each of three rounds, puts one down; the sum
of all coins put down by a player that is not shown by anybody else in that round counts. The coins
of a round are shown, to the others after the round only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polynya_games import Game, Outcome, Step, Termination
from polynya_games.errors import IllegalForfeit, IllegalStep
from polynya_games.ranking import joint_ranking
from polynya_games.steps import Forms

FORMS = Forms({"put": {"coin": int}})


@dataclass(frozen=True)
class CoinState:
    players: int
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    gone: tuple[tuple[int, ...], ...] = ()
    turn_over: bool = True

    @property
    def forfeited(self) -> tuple[int, ...]:
        return tuple(seat for group in self.gone for seat in group)

    @property
    def staying(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(self.players) if seat not in self.forfeited)

    @property
    def acting(self) -> tuple[int, ...]:
        if len(self.staying) < 2 or not self.hands[self.staying[0]]:
            return ()
        return self.staying

    @property
    def to_move(self) -> int | None:
        return min(self.acting, default=None)

    @property
    def outcome(self) -> Outcome | None:
        if self.acting:
            return None
        end = Termination.FORFEIT if len(self.staying) < 2 else Termination.FINISHED
        return Outcome(end, joint_ranking(self.points, self.gone), self.points)

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        chosen = self.to_move if seat is None else seat
        if chosen is None or chosen not in self.acting:
            return []
        return [("put", coin) for coin in self.hands[chosen]]

    def apply_joint(self, steps: Mapping[int, Any], forfeited: Sequence[int] = ()) -> CoinState:
        for seat in forfeited:
            if seat not in self.staying:
                raise IllegalForfeit(f"seat {seat} is out")
        alone = len(self.staying) - len(forfeited) < 2
        expected = set(self.acting) - set(forfeited)
        if set(steps) != expected and not (alone and not steps):
            raise IllegalStep(f"the seats that answer are {sorted(expected)}")
        put = {seat: FORMS.read(step) for seat, step in steps.items()}
        for seat, step in put.items():
            if step not in self.legal_steps(seat):
                raise IllegalStep(f"seat {seat} has no coin {step[1]}")
        return self._after({seat: int(step[1]) for seat, step in put.items()}, tuple(forfeited))

    def _after(self, coins: dict[int, int], leaving: tuple[int, ...]) -> CoinState:
        shown = list(coins.values())
        points, hands = list(self.points), list(self.hands)
        for seat, coin in coins.items():
            points[seat] += coin if shown.count(coin) == 1 else 0
            hands[seat] = tuple(each for each in hands[seat] if each != coin)
        gone = (*self.gone, leaving) if leaving else self.gone
        return replace(self, hands=tuple(hands), points=tuple(points), gone=gone)

    def apply(self, step: object) -> CoinState:
        raise IllegalStep(f"{step} is no joint turn")

    def apply_legal(self, step: Step) -> CoinState:
        return self.apply(step)

    def forfeit(self, seat: int) -> CoinState:
        if seat not in self.acting:
            raise IllegalForfeit(f"seat {seat} is out")
        return replace(self, gone=(*self.gone, (seat,)))

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "coins",
            "players": self.players,
            "hands": [list(hand) for hand in self.hands],
            "points": list(self.points),
            "forfeited": [list(group) for group in self.gone],
        }


class Coins(Game):
    name = "coins"
    title = "Coins"
    joint = True

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> CoinState:
        self.check_setup(players, seed, options or {})
        return CoinState(players, ((1, 2, 3),) * players, (0,) * players)

    def state_from_json(self, data: object) -> CoinState:
        document: Any = data
        return CoinState(
            document["players"],
            tuple(map(tuple, document["hands"])),
            tuple(document["points"]),
            tuple(map(tuple, document["forfeited"])),
        )
