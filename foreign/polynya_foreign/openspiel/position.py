"""Positions of OpenSpiel's games: OpenSpiel's state, those that have left, and the deal.

A game has one of four classes of position, by whether it has joint turns and hides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from polynya_foreign.openspiel.guesses import knowledge, other_history
from polynya_foreign.openspiel.model import Model
from polynya_foreign.openspiel.nodes import CHANCE, Node, Played, keep
from polynya_games import IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance, guessed_deal
from polynya_games.errors import describe
from polynya_games.randomness import SplitMix64
from polynya_games.ranking import joint_ranking
from polynya_games.refusals import COMMON, refusal
from polynya_games.steps import Forms
from polynya_games.turns import check_leaver, check_leavers, checked_answers, ends_without_turn

VERB: Final = "play"
FORMS: Final = Forms({VERB: {"action": str}})


@dataclass(frozen=True, eq=False)
class Position:
    """A position between two turns: OpenSpiel's state is a decision, or the end.

    Attributes:
        node: OpenSpiel's state, with its history.
        deal: 32 bytes that decide what chance chooses.
        gone: the groups of seats that forfeited together, in that order.
        played: the seats that played in the last turn; empty if the position was read.
        before: how long the history was before the last turn; None if the position was read.
    """

    node: Node
    deal: bytes
    gone: tuple[tuple[int, ...], ...] = ()
    played: tuple[int, ...] = ()
    before: int | None = None

    groups = False

    @property
    def model(self) -> Model:
        """The game."""
        return self.node.model

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.model.players

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in that order."""
        return tuple([seat for group in self.gone for seat in group])

    @property
    def choosing(self) -> tuple[int, ...]:
        """The seats that choose now, ascending; none when the match is over."""
        gone = self.forfeited
        if self.players - len(gone) < 2:
            return ()
        return tuple([seat for seat in self.node.seats if seat not in gone])

    @property
    def to_move(self) -> int | None:
        """The least seat that chooses, None when the match is over."""
        return min(self.choosing, default=None)

    @property
    def turn_over(self) -> bool:
        """True: a turn is always one step."""
        return True

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; the scores are OpenSpiel's returns times the game's factor."""
        if self.choosing:
            return None
        scores = self.node.scores()
        alone = self.players - len(self.forfeited) < 2
        end = Termination.FORFEIT if alone else Termination.FINISHED
        return Outcome(end, joint_ranking(scores, self.gone), scores)

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The legal steps of a seat, sorted; without a seat those of the least that chooses."""
        chosen = self.to_move if seat is None else seat
        if chosen is None or chosen not in self.choosing:
            return []
        return [(VERB, name) for name in sorted(self.node.names(chosen))]

    def checked_step(self, seat: int, step: object) -> Step:
        """A seat's step of any form, checked.

        Raises:
            InvalidStep: it is not of the form ``["play", action]``.
            IllegalStep: the seat has no action of this name now.
        """
        checked = FORMS.read(step)
        if seat not in self.choosing or checked[1] not in self.node.names(seat):
            raise refusal(IllegalStep, COMMON, "not_legal", legal=describe(self.legal_steps(seat)))
        return checked

    def apply(self, step: object) -> Self:
        """The position after a step of any form, which is checked first."""
        seats = self.choosing
        if len(seats) > 1:
            checked = FORMS.read(step)
            raise IllegalStep(f"{describe(checked)} is the step of one seat, and several choose")
        if not seats:
            FORMS.read(step)
            raise refusal(IllegalStep, COMMON, "match_over")
        return self.apply_legal(self.checked_step(seats[0], step))

    def apply_legal(self, step: Step) -> Self:
        """The position after a legal step, and after chance and all that have left."""
        return self._after({self.choosing[0]: step}, ())

    def forfeit(self, seat: object) -> Self:
        """The position after a forfeit; the seat's turns are played for it from now on."""
        return self._left((check_leaver(self, seat),))

    def _left(self, seats: tuple[int, ...]) -> Self:
        after = replace(self, gone=(*self.gone, seats), played=(), before=len(self.node.history))
        return after.settled()

    def _after(self, steps: Mapping[int, Step], leaving: tuple[int, ...]) -> Self:
        gone = (*self.gone, leaving) if leaving else self.gone
        turn = [
            Played(seat, self.node.names(seat)[str(steps[seat][1])], str(steps[seat][1]))
            if seat in steps
            else self.node.first(seat)
            for seat in self.node.seats
        ]
        before = len(self.node.history)
        after = replace(
            self, node=self.node.after(turn), gone=gone, played=tuple(sorted(steps)), before=before
        )
        return after.settled()

    def settled(self) -> Self:
        """The position at the next decision of a seat that stays, or at the end."""
        node, gone = self.node, self.forfeited
        while self.players - len(gone) > 1:
            if node.state.is_chance_node():
                node = node.chance(Chance(self.deal, node.drawn).next())
            elif (seats := node.seats) and all(seat in gone for seat in seats):
                node = node.after([node.first(seat) for seat in seats])
            else:
                break
        keep(node)
        return replace(self, node=node)

    def to_json(self) -> dict[str, Any]:
        """The whole position."""
        document = self._common()
        document["history"] = [_entry(each) for each in self.node.history]
        document["state"] = self.node.text
        if self.model.secret:
            document["deal"] = self.deal.hex()
        return document

    def _common(self) -> dict[str, Any]:
        """The part of every position that all see."""
        gone: list[Any] = list(self.forfeited)
        return {
            "game": self.model.full_name,
            "players": self.players,
            "options": dict(self.model.options),
            "acting": list(self.choosing),
            "forfeited": [list(group) for group in self.gone] if self.groups else gone,
        }


class HidingPosition(Position):
    """A position of a game in which chance is to come, or seats do not see everything."""

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document that a seat may know.

        If OpenSpiel says that all see everything, only the deal is missing. Else there are
        OpenSpiel's texts of the seat's knowledge, and the history without chance and without the
        names of the others' actions.
        """
        if not self.model.hidden:
            document = self.to_json()
            document.pop("deal", None)
            return document
        document = self._common()
        document["history"] = [
            _entry(each) if each.seat == seat else [each.seat, None, None]
            for each in self.node.history
            if each.seat != CHANCE
        ]
        document["observation"], document["information"] = knowledge(self.node, seat)
        outcome = self.outcome  # all are told how the match ended
        document["scores"] = None if outcome is None else list(outcome.scores)
        return document

    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        """The outcomes of chance in the last turn, where all see them."""
        del seat
        if self.model.hidden or self.before is None:
            return []
        fresh = self.node.history[self.before :]
        return [{"chance": each.name} for each in fresh if each.seat == CHANCE]

    def concealed(self, seat: int | None) -> tuple[int, ...]:
        """The others that played in the last turn, where not all see everything."""
        if not self.model.hidden:
            return ()
        return tuple([other for other in self.played if other != seat])

    def guess(self, seat: int | None, seed: int) -> Self | None:
        """A position that looks the same to a seat, with another deal; None if none is found."""
        generator = SplitMix64(seed)
        other = replace(self, deal=guessed_deal(generator))
        if not self.model.hidden:
            return other
        node = other_history(self.node, seat, generator.next())
        if node is None:
            return None
        other = replace(other, node=node)
        return other if other.view(seat) == self.view(seat) else None


class _Joint(Position):
    """A position of a game in which several seats can choose at once."""

    groups = True

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now, ascending; none when the match is over."""
        return self.choosing

    def apply_joint(self, steps: Mapping[int, object], forfeited: Sequence[int] = ()) -> Self:
        """The position after a joint turn.

        A seat that leaves plays its first legal action in it, as in all turns to come.

        Raises:
            InvalidStep: a step is not of the form ``["play", action]``.
            IllegalStep: a seat has no such action, or an answer is missing or too many.
            IllegalForfeit: a seat that leaves is not in the match.
        """
        leaving = check_leavers(self, forfeited)
        if ends_without_turn(self, steps, leaving):
            return self._left(leaving)
        answers = checked_answers(self, steps, leaving)
        return self._after(answers, leaving)


class JointPosition(_Joint):
    """A position of a game with joint turns that hides nothing."""


class HidingJointPosition(_Joint, HidingPosition):
    """A position of a game with joint turns in which something is hidden."""


def _entry(each: Played) -> list[Any]:
    return [None if each.seat == CHANCE else each.seat, each.action, each.name]
