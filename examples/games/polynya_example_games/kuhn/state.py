"""Positions of a match: what they hold, what steps make of them, and what each seat knows."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from polynya_games import IllegalForfeit, IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance, guessed_deal
from polynya_games.errors import describe
from polynya_games.randomness import SplitMix64
from polynya_games.ranking import ranking
from polynya_games.steps import Forms

PLAYERS: Final = 2
FORMS: Final = Forms({"bet": {}, "call": {}, "check": {}, "fold": {}})

CHOICES: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    (): ("bet", "check"),
    ("check",): ("bet", "check"),
    ("bet",): ("call", "fold"),
    ("check", "bet"): ("call", "fold"),
}
"""By the bets of a hand that goes on: the verbs that are legal."""

ENDS: Final[dict[tuple[str, ...], int]] = {
    ("check", "check"): 1,
    ("bet", "call"): 2,
    ("check", "bet", "call"): 2,
    ("bet", "fold"): 1,
    ("check", "bet", "fold"): 1,
}
"""By the bets of a hand that is over: the chips that it moves from the loser to the winner."""

Cards = tuple[int, int]


class KuhnState(msgspec.Struct, frozen=True):
    """A position. When the match is over, all stays as it was in its last hand.

    Attributes:
        hands: the hands of a whole match.
        cards: the card of each seat in this hand.
        deal: 32 bytes that decide all cards.
        drawn: the values of the deal that are used up.
        hand: the number of this hand, from 1.
        bets: the verbs of this hand.
        chips: per seat what it has won minus what it has lost.
        shown: for each hand that is over the cards by seat, None if they were not shown.
        forfeited: the seats that forfeited, in that order.
        won: what the last turn won for each seat, None if it ended no hand.
    """

    hands: int
    cards: Cards
    deal: bytes
    drawn: int
    hand: int = 1
    bets: tuple[str, ...] = ()
    chips: tuple[int, int] = (0, 0)
    shown: tuple[Cards | None, ...] = ()
    forfeited: tuple[int, ...] = ()
    won: tuple[int, int] | None = None

    @property
    def players(self) -> int:
        """The number of seats."""
        return PLAYERS

    @property
    def first(self) -> int:
        """The seat that is first in this hand."""
        return (self.hand - 1) % PLAYERS

    @property
    def to_move(self) -> int | None:
        """The seat to move, None when the match is over."""
        if self.forfeited or self.bets in ENDS:
            return None
        return (self.first + len(self.bets)) % PLAYERS

    @property
    def turn_over(self) -> bool:
        """True: a turn is always one step."""
        return True

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; the scores are the chips."""
        if self.to_move is not None:
            return None
        end = Termination.FORFEIT if self.forfeited else Termination.FINISHED
        return Outcome(end, ranking(self.chips, self.forfeited), self.chips)

    def legal_steps(self) -> list[Step]:
        """The legal steps, sorted."""
        return [] if self.to_move is None else [(verb,) for verb in CHOICES[self.bets]]

    def apply(self, step: object) -> KuhnState:
        """The position after a step of any form, which is checked first."""
        checked = FORMS.read(step)
        if checked not in (legal := self.legal_steps()):
            raise IllegalStep(f"the steps that are legal now are {describe(legal)}")
        return self.apply_legal(checked)

    def apply_legal(self, step: Step) -> KuhnState:
        """The position after a legal step; if it ends a hand, with the cards of the next one."""
        bets = (*self.bets, str(step[0]))
        if bets not in ENDS:
            return replace(self, bets=bets, won=None)
        ended = self._ended(bets)
        if self.hand == self.hands:
            return ended
        chance = Chance(self.deal, self.drawn)
        cards = dealt(chance)
        return replace(ended, hand=self.hand + 1, bets=(), cards=cards, drawn=chance.drawn)

    def _ended(self, bets: tuple[str, ...]) -> KuhnState:
        folded = bets[-1] == "fold"
        last = (self.first + len(bets) - 1) % PLAYERS
        winner = 1 - last if folded else int(self.cards[1] > self.cards[0])
        stake = ENDS[bets]
        won = (stake, -stake) if winner == 0 else (-stake, stake)
        chips = (self.chips[0] + won[0], self.chips[1] + won[1])
        shown = (*self.shown, None if folded else self.cards)
        return replace(self, bets=bets, chips=chips, shown=shown, won=won)

    def forfeit(self, seat: object) -> KuhnState:
        """The position after a forfeit, which ends the match."""
        if self.to_move is None:
            raise IllegalForfeit("the match is over")
        if type(seat) is not int or seat not in range(PLAYERS):
            raise IllegalForfeit(f"the seats are 0 and 1; {describe(seat)} is none")
        return replace(self, forfeited=(seat,), won=None)

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document without the other's card, and without what decides the next ones."""
        document = self.to_json()
        del document["deal"], document["drawn"]
        document["cards"] = [
            card if holder == seat else None for holder, card in enumerate(self.cards)
        ]
        return document

    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        """After the end of a hand its result, and the seat's next card."""
        if self.won is None:
            return []
        ended: dict[str, Any] = {"hand": len(self.shown), "won": list(self.won)}
        if (cards := self.shown[-1]) is not None:
            ended["cards"] = list(cards)
        if self.to_move is None:
            return [ended]
        following = {"hand": self.hand}
        if seat is not None:
            following["card"] = self.cards[seat]
        return [ended, following]

    def guess(self, seat: int | None, seed: int) -> KuhnState:
        """A position with another card for each seat that is not ``seat``, and another deal."""
        generator = SplitMix64(seed)
        deal = guessed_deal(generator)
        cards = [1, 2, 3]
        if seat is not None:
            cards.remove(self.cards[seat])
        generator.shuffle(cards)
        held = (cards[0], cards[1])
        if seat is not None:
            held = (self.cards[0], cards[0]) if seat == 0 else (cards[0], self.cards[1])
        if self.bets in ENDS and (shown := self.shown[-1]) is not None:
            held = shown
        return replace(self, cards=held, deal=deal)

    def to_json(self) -> dict[str, Any]:
        """The whole position (rules.md, "State")."""
        return {
            "hand": self.hand,
            "hands": self.hands,
            "first": self.first,
            "bets": list(self.bets),
            "cards": list(self.cards),
            "chips": list(self.chips),
            "shown": [None if cards is None else list(cards) for cards in self.shown],
            "deal": self.deal.hex(),
            "drawn": self.drawn,
            "forfeited": list(self.forfeited),
        }


def dealt(chance: Chance) -> Cards:
    """The cards of the next hand by seat: the first two of the shuffled three."""
    cards = [1, 2, 3]
    chance.shuffle(cards)
    return cards[0], cards[1]
