"""Positions: the bids so far, the prize that is turned up, and what a joint turn makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from polynya_games import IllegalForfeit, IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance
from polynya_games.errors import describe
from polynya_games.randomness import SplitMix64
from polynya_games.ranking import joint_ranking
from polynya_games.refusals import COMMON, refusal
from polynya_games.steps import Forms

FORMS: Final = Forms({"bid": {"card": int}})


class Round(msgspec.Struct, frozen=True):
    """A round that is over.

    Attributes:
        prize: what was bid for.
        bids: the card of each seat, None for a seat that bid nothing.
    """

    prize: int
    bids: tuple[int | None, ...]

    @property
    def winner(self) -> int | None:
        """The seat of the highest bid; None if two or more bid it."""
        bids = [bid or 0 for bid in self.bids]
        highest = max(bids)
        return bids.index(highest) if highest and bids.count(highest) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """The round in the document."""
        return {"prize": self.prize, "bids": list(self.bids), "winner": self.winner}


class GoofspielState(msgspec.Struct, frozen=True):
    """A position. When the match is over, ``prize`` is that of the last round.

    Attributes:
        players: the number of seats.
        cards: the number of cards of each seat, and of prizes.
        prize: the prize that is turned up.
        deal: 32 bytes that decide the order of the prizes.
        drawn: the values of the deal that are used up.
        rounds: the rounds that are over.
        gone: the groups of seats that forfeited together, in that order.
    """

    players: int
    cards: int
    prize: int
    deal: bytes
    drawn: int
    rounds: tuple[Round, ...] = ()
    gone: tuple[tuple[int, ...], ...] = ()

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in that order."""
        return tuple([seat for group in self.gone for seat in group])

    @property
    def staying(self) -> tuple[int, ...]:
        """The seats that have not forfeited."""
        gone = self.forfeited
        return tuple([seat for seat in range(self.players) if seat not in gone])

    @property
    def acting(self) -> tuple[int, ...]:
        """All seats that stay; none when the match is over."""
        staying = self.staying
        return () if len(staying) < 2 or len(self.rounds) == self.cards else staying

    @property
    def to_move(self) -> int | None:
        """The least acting seat, None when the match is over."""
        return min(self.acting, default=None)

    @property
    def turn_over(self) -> bool:
        """True: a turn is always one step of each seat."""
        return True

    @property
    def round(self) -> int:
        """The number of the round of ``prize``, from 1."""
        number = len(self.rounds)
        return number if number and self.rounds[-1].prize == self.prize else number + 1

    @property
    def points(self) -> tuple[int, ...]:
        """Per seat the prizes won."""
        points = [0] * self.players
        for each in self.rounds:
            if (winner := each.winner) is not None:
                points[winner] += each.prize
        return tuple(points)

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; the scores are the points."""
        if self.acting:
            return None
        end = Termination.FORFEIT if len(self.staying) < 2 else Termination.FINISHED
        return Outcome(end, joint_ranking(self.points, self.gone), self.points)

    def hand(self, seat: int) -> list[int]:
        """The cards that a seat still holds, ascending."""
        used = {each.bids[seat] for each in self.rounds}
        return [card for card in range(1, self.cards + 1) if card not in used]

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The legal bids of a seat, sorted; without a seat those of the least acting one."""
        chosen = self.to_move if seat is None else seat
        if chosen is None or chosen not in self.acting:
            return []
        return [("bid", card) for card in self.hand(chosen)]

    def checked_step(self, seat: int, step: object) -> Step:
        """A seat's bid of any form, checked.

        Raises:
            InvalidStep: it is not of the form ``["bid", card]``.
            IllegalStep: the seat does not bid, or has no such card.
        """
        checked = FORMS.read(step)
        if seat not in self.acting:
            acting = ", ".join(map(str, self.acting)) or "none"
            raise refusal(IllegalStep, COMMON, "not_acting", seat=seat, acting=acting)
        if checked[1] not in (hand := self.hand(seat)):
            raise IllegalStep(f"the cards in the hand are {describe(hand)}")
        return checked

    def apply(self, step: object) -> GoofspielState:
        """Refuse: all turns are of two or more seats.

        Raises:
            InvalidStep: it is not of the form ``["bid", card]``.
            IllegalStep: else, always.
        """
        checked = FORMS.read(step)
        raise IllegalStep(f"{describe(checked)} is the step of one seat, and all bid at once")

    def apply_legal(self, step: Step) -> GoofspielState:
        """Refuse, as :meth:`apply` does."""
        return self.apply(step)

    def apply_joint(
        self, steps: Mapping[int, object], forfeited: Sequence[int] = ()
    ) -> GoofspielState:
        """The position after a round.

        Raises:
            InvalidStep: a step is not of the form ``["bid", card]``.
            IllegalStep: a seat has no such card, or an answer is missing or too many.
            IllegalForfeit: a seat that leaves is not in the match.
        """
        leaving = tuple(sorted(forfeited))
        for place, seat in enumerate(leaving):
            self._check_leaver(seat, leaving[:place])
        alone = len(self.staying) - len(leaving) < 2
        if alone and not steps and set(self.acting) - set(leaving):
            return replace(self, gone=(*self.gone, leaving))
        bids: dict[int, int] = {}
        for seat, step in steps.items():
            if seat in leaving:
                raise IllegalStep(f"seat {seat} leaves and bids")
            bids[seat] = int(self.checked_step(seat, step)[1])
        for seat in self.acting:
            if seat not in bids and seat not in leaving:
                raise refusal(IllegalStep, COMMON, "no_answer", seat=seat)
        return self._played(bids, leaving)

    def _played(self, bids: Mapping[int, int], leaving: tuple[int, ...]) -> GoofspielState:
        ended = Round(self.prize, tuple([bids.get(seat) for seat in range(self.players)]))
        gone = (*self.gone, leaving) if leaving else self.gone
        after = replace(self, rounds=(*self.rounds, ended), gone=gone)
        return after._turned_up() if after.acting else after

    def _turned_up(self) -> GoofspielState:
        """The position with the next prize; the last round is played too."""
        chance = Chance(self.deal, self.drawn)
        used = {each.prize for each in self.rounds}
        prize = drawn_prize(chance, [each for each in range(1, self.cards + 1) if each not in used])
        after = replace(self, prize=prize, drawn=chance.drawn)
        if len(self.rounds) < self.cards - 1:
            return after
        bids = [
            self.hand(seat)[0] if seat in self.staying else None for seat in range(self.players)
        ]
        return replace(after, rounds=(*self.rounds, Round(prize, tuple(bids))))

    def forfeit(self, seat: object) -> GoofspielState:
        """The position after a forfeit before the first turn, or a forfeit that ends the match."""
        leaving = self._check_leaver(seat, ())
        return replace(self, gone=(*self.gone, (leaving,)))

    def _check_leaver(self, seat: object, before: Sequence[int]) -> int:
        if not self.acting:
            raise refusal(IllegalForfeit, COMMON, "match_over")
        if type(seat) is not int or seat not in range(self.players):
            last = self.players - 1
            raise refusal(IllegalForfeit, COMMON, "no_seat", last=last, seat=describe(seat))
        if seat in self.forfeited or seat in before:
            raise refusal(IllegalForfeit, COMMON, "forfeited_already", seat=seat)
        return seat

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document without what decides the next prizes: all else is seen by everybody."""
        del seat
        document = self.to_json()
        del document["deal"], document["drawn"]
        return document

    def guess(self, seat: int | None, seed: int) -> GoofspielState:
        """The position with another deal."""
        del seat
        generator = SplitMix64(seed)
        deal = b"".join(generator.next().to_bytes(8, "big") for _ in range(4))
        return replace(self, deal=deal)

    def to_json(self) -> dict[str, Any]:
        """The whole position (rules.md, "State")."""
        return {
            "cards": self.cards,
            "round": self.round,
            "prize": self.prize,
            "hands": [self.hand(seat) for seat in range(self.players)],
            "points": list(self.points),
            "rounds": [each.to_json() for each in self.rounds],
            "deal": self.deal.hex(),
            "drawn": self.drawn,
            "forfeited": [list(group) for group in self.gone],
        }


def drawn_prize(chance: Chance, left: Sequence[int]) -> int:
    """One of the prizes that are left, each equally likely."""
    return left[chance.below(len(left))]
