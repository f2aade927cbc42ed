"""Positions: the bids so far, the prize that is turned up, and what a joint turn makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from polynya_example_games.joint import JointPosition
from polynya_games import IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance
from polynya_games.errors import describe
from polynya_games.ranking import joint_ranking
from polynya_games.seats import staying
from polynya_games.steps import Forms
from polynya_games.turns import check_leaver, check_leavers, checked_answers, ends_without_turn

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


class GoofspielState(JointPosition, frozen=True, kw_only=True):
    """A position. When the match is over, ``prize`` is that of the last round.

    Attributes:
        players: the number of seats.
        cards: the number of cards of each seat, and of prizes.
        prize: the prize that is turned up.
        rounds: the rounds that are over.
    """

    forms = FORMS
    players: int
    cards: int
    prize: int
    rounds: tuple[Round, ...] = ()

    @property
    def acting(self) -> tuple[int, ...]:
        """All seats that stay; none when the match is over."""
        seats = staying(self)
        return () if len(seats) < 2 or len(self.rounds) == self.cards else seats

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
        end = Termination.FORFEIT if len(staying(self)) < 2 else Termination.FINISHED
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
            IllegalStep: the seat has no such card.
        """
        checked = FORMS.read(step)
        if checked[1] not in (hand := self.hand(seat)):
            raise IllegalStep(f"the cards in the hand are {describe(hand)}")
        return checked

    def apply_joint(
        self, steps: Mapping[int, object], forfeited: Sequence[int] = ()
    ) -> GoofspielState:
        """The position after a round.

        Raises:
            InvalidStep: a step is not of the form ``["bid", card]``.
            IllegalStep: a seat has no such card, or an answer is missing or too many.
            IllegalForfeit: a seat that leaves is not in the match.
        """
        leaving = check_leavers(self, forfeited)
        if ends_without_turn(self, steps, leaving):
            return replace(self, gone=(*self.gone, leaving))
        answers = checked_answers(self, steps, leaving)
        bids = {seat: int(step[1]) for seat, step in answers.items()}
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
        seats = staying(self)
        bids = [self.hand(seat)[0] if seat in seats else None for seat in range(self.players)]
        return replace(after, rounds=(*self.rounds, Round(prize, tuple(bids))))

    def forfeit(self, seat: object) -> GoofspielState:
        """The position after a forfeit before the first turn, or a forfeit that ends the match."""
        return replace(self, gone=(*self.gone, (check_leaver(self, seat),)))

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
