"""Positions of the auction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from polynya_games import IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance, guessed_deal
from polynya_games.errors import describe
from polynya_games.randomness import SplitMix64
from polynya_games.ranking import joint_ranking
from polynya_games.seats import staying
from polynya_games.steps import Forms
from polynya_games.turns import check_leaver, check_leavers, checked_answers, ends_without_turn

FORMS = Forms({"bid": {"amount": int}})
PLAYERS = 3
MOST = 20


class AuctionState(msgspec.Struct, frozen=True):
    """A position; its fields are those of rules.md."""

    lots: int
    worth: tuple[int, ...]
    deal: bytes
    drawn: int
    sold: int = 0
    profit: tuple[int, ...] = (0, 0, 0)
    bought: tuple[int, ...] = (0, 0, 0)
    paid: tuple[int, ...] = (0, 0, 0)
    last: tuple[int, int] | None = None
    gone: tuple[tuple[int, ...], ...] = ()

    @property
    def players(self) -> int:
        """Three."""
        return PLAYERS

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited."""
        return tuple([seat for group in self.gone for seat in group])

    @property
    def acting(self) -> tuple[int, ...]:
        """All seats that stay; none when the match is over."""
        seats = staying(self)
        return () if self.sold == self.lots or len(seats) < 2 else seats

    @property
    def to_move(self) -> int | None:
        """The least acting seat."""
        return min(self.acting, default=None)

    @property
    def turn_over(self) -> bool:
        """True: each turn is one step of each seat."""
        return True

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended."""
        if self.acting:
            return None
        end = Termination.FORFEIT if len(staying(self)) < 2 else Termination.FINISHED
        return Outcome(end, joint_ranking(self.profit, self.gone), self.profit)

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The bids."""
        chosen = self.to_move if seat is None else seat
        if chosen not in self.acting:
            return []
        return [("bid", amount) for amount in range(1, MOST + 1)]

    def apply_joint(
        self, steps: Mapping[int, object], forfeited: Sequence[int] = ()
    ) -> AuctionState:
        """The position after a lot."""
        leaving = check_leavers(self, forfeited)
        gone = (*self.gone, leaving) if leaving else self.gone
        if ends_without_turn(self, steps, leaving):
            return replace(self, gone=gone, last=None)
        answers = checked_answers(self, steps, leaving)
        bids = {seat: int(answers[seat][1]) for seat in sorted(answers)}
        chance = Chance(self.deal, self.drawn)
        after = replace(self.bought_by(bids, chance), gone=gone, sold=self.sold + 1)
        if after.acting:
            after = replace(after, worth=drawn_worth(chance))
        return replace(after, drawn=chance.drawn)

    def bought_by(self, bids: Mapping[int, int], chance: Chance) -> AuctionState:
        """The highest bid buys, by lot among equal ones."""
        if not bids:
            return replace(self, last=None)
        price = max(bids.values())
        highest = [seat for seat, bid in bids.items() if bid == price]
        buyer = highest[chance.below(len(highest))]
        return replace(
            self,
            profit=plus(self.profit, buyer, self.worth[buyer] - price),
            bought=plus(self.bought, buyer, 1),
            paid=plus(self.paid, buyer, price),
            last=(buyer, price),
        )

    def apply(self, step: object) -> AuctionState:
        """Refuse: all bid at once."""
        raise IllegalStep(f"{describe(FORMS.read(step))} is of one seat, and all bid at once")

    def apply_legal(self, step: Step) -> AuctionState:
        """Refuse, as ``apply`` does."""
        return self.apply(step)

    def forfeit(self, seat: object) -> AuctionState:
        """The position after a forfeit."""
        return replace(self, gone=(*self.gone, (check_leaver(self, seat),)), last=None)

    def to_json(self) -> dict[str, Any]:
        """The whole position."""
        return {
            "lots": self.lots,
            "sold": self.sold,
            "worth": list(self.worth),
            "profit": list(self.profit),
            "bought": list(self.bought),
            "paid": list(self.paid),
            "last": None if self.last is None else list(self.last),
            "deal": self.deal.hex(),
            "drawn": self.drawn,
            "forfeited": [list(group) for group in self.gone],
        }

    def knows(self, seat: int | None, other: int) -> bool:
        """Whether a seat knows another's worth and profit."""
        return seat == other or not self.acting

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document without what the seat does not know."""
        document = self.to_json()
        del document["deal"], document["drawn"]
        for key in ("worth", "profit"):
            document[key] = [
                value if self.knows(seat, other) else None
                for other, value in enumerate(document[key])
            ]
        return document

    def concealed(self, seat: int | None) -> list[int]:
        """All bids but the own one."""
        if self.last is None:
            return []
        return [other for other in staying(self) if other != seat]

    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        """Buyer and price, and the worth of the next lot."""
        facts = []
        if self.last is not None:
            facts.append({"buyer": self.last[0], "price": self.last[1]})
        if self.sold and seat in self.acting:
            facts.append({"worth": self.worth[seat]})
        return facts

    def guess(self, seat: int | None, seed: int) -> AuctionState:
        """Other values for what the seat does not know."""
        generator = SplitMix64(seed)
        worth, profit = list(self.worth), list(self.profit)
        for other in range(PLAYERS):
            if not self.knows(seat, other):
                lots = [1 + generator.below(MOST) for _ in range(self.bought[other] + 1)]
                worth[other] = lots.pop()
                profit[other] = sum(lots) - self.paid[other]
        return replace(self, worth=tuple(worth), profit=tuple(profit), deal=guessed_deal(generator))


def plus(values: tuple[int, ...], seat: int, amount: int) -> tuple[int, ...]:
    """The values with more at one seat."""
    return tuple([value + amount * (other == seat) for other, value in enumerate(values)])


def drawn_worth(chance: Chance) -> tuple[int, ...]:
    """What the next lot is worth to each seat."""
    return tuple([1 + chance.below(MOST) for _ in range(PLAYERS)])
