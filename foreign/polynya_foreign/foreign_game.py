"""A game whose rules are a process: its set-up, and the positions that the process tells of."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from polynya_foreign.answers import Answer, Facts, canonical, facts
from polynya_foreign.board_answers import board_of
from polynya_foreign.game_folder import GameFolder, text_of
from polynya_foreign.rules_process import RulesPool
from polynya_games import (
    Game,
    InvalidOption,
    InvalidState,
    InvalidStep,
    Option,
    Outcome,
    Step,
    Termination,
)
from polynya_games.boards import Board
from polynya_games.chance import NO_DEAL
from polynya_games.errors import IllegalForfeit, IllegalStep, describe
from polynya_games.ranking import joint_ranking
from polynya_games.reading import read_game, read_groups, read_integer, read_seats
from polynya_games.refusals import COMMON, refusal
from polynya_games.turns import check_leaver, check_leavers, checked_answers, ends_without_turn

KEYS: Final = ("game", "players", "forfeited", "position")
BOARD: Final = "board"
"""The key of a document with the board, where the process gives one."""
MOST_REMEMBERED: Final = 64
"""How many steps and forfeits a position remembers the next position of."""


class ForeignGame(Game):
    """The game of a folder."""

    waits = True

    def __init__(self, folder: GameFolder) -> None:
        self.folder = folder
        self.pool = RulesPool(folder)
        # Documents come from strangers too: no match waits for the process that reads them.
        self._reader_pool = RulesPool(msgspec.structs.replace(folder, workers=1))
        own: Any = self  # what other games say in their class
        own.name, own.title = folder.name, folder.title
        own.min_players, own.max_players = folder.seats
        own.options = tuple(Option(o.name, o.default, o.description) for o in folder.options)
        own.joint, own.has_view = folder.joint, folder.has_view
        own.secret_seed = folder.secret_seed
        path = Path(folder.folder)
        own.renderer = text_of(path, folder.renderer) if folder.renderer else ""
        own.rules = {key: text_of(path, name) for key, name in folder.rules.items()}
        self._position = {
            (False, False): Position,
            (False, True): HidingPosition,
            (True, False): JointPosition,
            (True, True): HidingJointPosition,
        }[self.joint, self.has_view]

    def setup(
        self, players: int, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> Position:
        """The initial position, as the process sets it up."""
        given = dict(options or {})
        if seed is None:
            seed = NO_DEAL if self.secret_seed else 0
        self.check_setup(players, seed, given)
        chosen = {each.name: given.get(each.name, each.default) for each in self.options}
        origin = {"deal": seed.hex()} if self.secret_seed else {"seed": str(seed)}
        question = {"ask": "set_up", "players": players, **origin, "options": chosen}
        found = self.ask(question, players, InvalidOption)
        return self._position(self, players, found)

    def ask(
        self,
        question: Mapping[str, Any],
        players: int,
        refused: type[InvalidOption] | type[InvalidState] | None = None,
    ) -> Facts:
        """The position that the process answers with.

        Raises:
            RulesFailed: there is no usable answer.
        """

        def read(answer: Answer) -> Facts | str:
            if answer.error is not None and refused is not None:
                return describe(answer.error)
            return facts(answer, players, joint=self.joint, has_view=self.has_view)

        found = self.pool.ask(question, read)
        if isinstance(found, str):
            raise (refused or InvalidState)(f"{self.title}: {found}")
        return found

    def state_from_json(self, data: object) -> Position:
        """The position of a document, as the process reads it."""
        document = read_game(data, self.name, KEYS, (BOARD,))
        players = read_integer(document["players"], "players", self.min_players, self.max_players)
        gone = self._gone(document["forfeited"], players)
        position = document["position"]
        if not isinstance(position, dict):
            raise InvalidState(f"position is an object, not {describe(position)}")
        reader = copy.copy(self)
        reader.pool = self._reader_pool
        found = reader.ask(
            {"ask": "read", "players": players, "document": position}, players, InvalidState
        )
        if found.text != canonical(position):
            raise InvalidState("the rules write the position in another way than it is given")
        if found.board != document.get(BOARD):
            raise InvalidState("the rules give another board for this position")
        return self._position(reader, players, found, gone)

    def _gone(self, value: object, players: int) -> tuple[tuple[int, ...], ...]:
        if self.joint:
            return read_groups(value, "forfeited", players)
        return tuple([(seat,) for seat in read_seats(value, "forfeited", players)])

    def scores_so_far(self, state: Any) -> tuple[int, ...] | None:
        """Scores that the process says; at the end those of the outcome."""
        outcome = state.outcome
        scores: tuple[int, ...] | None = state.facts.scores if outcome is None else outcome.scores
        return scores

    def board(self, document: Mapping[str, Any]) -> Board | None:
        """The board that the process gave with a position."""
        told = document.get(BOARD)
        return None if told is None else board_of(told)


@dataclass(frozen=True, eq=False)
class Position:
    """A position, with all that the process said of it.

    Attributes:
        game: its game.
        players: the number of seats.
        facts: what the process said.
        gone: the groups of seats that forfeited together, in that order.
        memory: the positions that followed from this one, by question. The referee asks in a
            thread first, and then finds the answers here.
    """

    game: ForeignGame
    players: int
    facts: Facts
    gone: tuple[tuple[int, ...], ...] = ()
    memory: dict[bytes, Position] = field(default_factory=dict, repr=False)

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in that order."""
        return tuple([seat for group in self.gone for seat in group])

    @property
    def _ended_here(self) -> bool:
        return self.players == 2 and bool(self.gone)

    @property
    def choosing(self) -> tuple[int, ...]:
        """The seats that choose now."""
        return () if self._ended_here else self.facts.acting

    @property
    def staying(self) -> tuple[int, ...]:
        """The seats that can still forfeit."""
        known = self.facts.staying
        seats = range(self.players) if known is None else known
        return tuple([seat for seat in seats if seat not in self.forfeited])

    @property
    def to_move(self) -> int | None:
        """The least seat that chooses, None when the match is over."""
        return min(self.choosing, default=None)

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way."""
        return self._ended_here or self.facts.turn_over

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; with two players a forfeit ends it."""
        if not self._ended_here:
            return self.facts.outcome
        scores = self.facts.scores or (0,) * self.players
        return Outcome(Termination.FORFEIT, joint_ranking(scores, self.gone), scores)

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The legal steps of a seat, sorted; without a seat those of the least that chooses."""
        chosen = self.to_move if seat is None else seat
        if chosen is None or chosen not in self.choosing:
            return []
        return list(self.facts.legal[chosen])

    def apply(self, step: object) -> Self:
        """The position after a step of any form, which is checked first."""
        seats = self.choosing
        if not seats:
            raise refusal(InvalidStep, COMMON, "match_over")
        return self.apply_legal(self.checked_step(seats[0], step))

    def checked_step(self, seat: int, step: object) -> Step:
        """A step of any form, if it is among the legal ones of a seat.

        The rules have no list of all forms: a step has the form of a step of this game if a legal
        one has the same verb and as many arguments of the same kinds.
        """
        legal = self.legal_steps(seat)
        kinds = [type(part) for part in step] if isinstance(step, (list, tuple)) else []
        if isinstance(step, (list, tuple)) and kinds and {*kinds} <= {str, int}:
            found = tuple(step)
            if found in legal:
                return found
            if any(step[0] == each[0] and kinds == list(map(type, each)) for each in legal):
                raise refusal(IllegalStep, COMMON, "not_legal", legal=describe(legal))
        raise InvalidStep(f"{describe(step)} has the form of no legal step: {describe(legal)}")

    def apply_legal(self, step: Step) -> Self:
        """The position after a legal step."""
        return self._after({"ask": "apply", "step": step})

    def forfeit(self, seat: object) -> Self:
        """The position after a forfeit; with more than two players the process says which."""
        leaving = check_leaver(self, seat)
        if not self.turn_over:
            raise refusal(IllegalForfeit, COMMON, "forfeit_within_turn")
        return self._left((leaving,))

    def _left(self, seats: tuple[int, ...]) -> Self:
        gone = (*self.gone, seats)
        if self.players == 2:
            return replace(self, gone=gone, memory={})
        return self._after({"ask": "forfeit", "seats": seats}, gone)

    def _after(
        self, question: Mapping[str, Any], gone: tuple[tuple[int, ...], ...] | None = None
    ) -> Self:
        key = canonical(question)
        after: Any = self.memory.get(key)
        if after is None:
            asked = {**question, "players": self.players, "document": self.facts.document}
            found = self.game.ask(asked, self.players)
            gone = self.gone if gone is None else gone
            after = replace(self, facts=found, gone=gone, memory={})
            if len(self.memory) >= MOST_REMEMBERED:
                self.memory.clear()
            self.memory[key] = after
        known: Self = after
        return known

    def to_json(self) -> dict[str, Any]:
        """The whole position."""
        return self._document(self.facts.document, self.facts.board)

    def _document(
        self, position: Mapping[str, Any], board: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        gone: list[Any] = list(self.forfeited)
        return {
            "game": self.game.name,
            "players": self.players,
            "forfeited": [list(group) for group in self.gone] if self.game.joint else gone,
            "position": position,
            **({} if board is None else {BOARD: board}),
        }


class HidingPosition(Position):
    """A position of which not everybody sees everything."""

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document that a seat may know."""
        return self._document(self.facts.views[seat], self.facts.boards.get(seat))

    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        """The facts that a seat learnt by the last turn."""
        return self.facts.seen.get(seat, [])

    def concealed(self, seat: int | None) -> tuple[int, ...]:
        """The seats whose steps of the last turn are not told to a seat."""
        return self.facts.concealed.get(seat, ())


class _Joint(Position):
    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now, ascending."""
        return self.choosing

    def apply_joint(self, steps: Mapping[int, object], forfeited: Sequence[int] = ()) -> Self:
        """The position after a joint turn."""
        leaving = check_leavers(self, forfeited)
        if ends_without_turn(self, steps, leaving):
            return self._left(leaving)
        answers = checked_answers(self, steps, leaving)
        gone = (*self.gone, leaving) if leaving else self.gone
        if leaving and self.players == 2:
            return replace(self, gone=gone, memory={})
        told = {str(seat): step for seat, step in answers.items()}
        return self._after({"ask": "apply", "steps": told, "forfeited": leaving}, gone)


class JointPosition(_Joint):
    """A position of a game with joint turns that hides nothing."""


class HidingJointPosition(_Joint, HidingPosition):
    """A position of a game with joint turns in which something is hidden."""
