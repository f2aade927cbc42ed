"""A game: the interface that the referee, the tools and the bots share."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from polynya_games.boards import Board, Rows
from polynya_games.chance import DEAL_BYTES, deal_of_seed
from polynya_games.encoding import Encoding
from polynya_games.errors import InvalidOption, NoEncoding
from polynya_games.refusals import COMMON, Templates, refusal
from polynya_games.steps import Step as Step

LEAST_PLAYERS = 2
MOST_PLAYERS = 16
"""How many players a match of any game can have; each game says its own numbers within these."""


class Termination(enum.Enum):
    """Why a match ended."""

    FINISHED = "finished"
    """No seat has a turn left: the game's own end."""
    VICTORY = "victory"
    """A player reached what the game declares a win."""
    LIMIT = "limit"
    """The contest's limit of rounds or turns was reached."""
    FORFEIT = "forfeit"
    """Only one player has not forfeited."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended.

    Attributes:
        termination: why it ended.
        ranking: one rank per seat, 1 the best; tied seats share a rank and the next is skipped.
        scores: one score per seat, a forfeiter's too; what it counts is said in the game's rules.
    """

    termination: Termination
    ranking: tuple[int, ...]
    scores: tuple[int, ...]


class State(Protocol):
    """A position: an immutable value that knows its legal steps.

    A *turn* is the list of steps of one player before the next one is asked; ``turn_over`` is
    derived from the position alone, so that any state can be continued from.

    A game may have turns in which several seats choose at once (:class:`JointState`), and parts
    that not everybody sees (:class:`HiddenState`). Both only add members; ask for them through
    :mod:`polynya_games.seats`, which has the defaults of the games without them.
    """

    @property
    def players(self) -> int:
        """The number of seats, within the least and the most players of its game."""

    @property
    def to_move(self) -> int | None:
        """The seat to move (the least of those that choose now), None when the match is over."""

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way: the next step begins a turn, or the match is over."""

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that have forfeited, in that order."""

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it goes on."""

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted by verb, then by arguments, without duplicates."""

    def apply(self, step: object) -> Self:
        """The position after ``step`` (any sequence: it is checked first).

        Raises:
            InvalidStep: it is not of the form of a step of this game.
            IllegalStep: the position does not allow it; the message says why.
        """

    def apply_legal(self, step: Step) -> Self:
        """The position after a step that came from ``legal_steps()``, without checking it again."""

    def forfeit(self, seat: int) -> Self:
        """The position after ``seat`` has forfeited; the rest of the match goes on without it.

        Raises:
            IllegalForfeit: there is no such seat, it is out already, or a turn is under way.
        """

    def to_json(self) -> dict[str, Any]:
        """The state as bots and tools see it: the form in the game's rules.

        It holds everything that the future depends on, hidden parts too.
        """


class JointState(State, Protocol):
    """A position of a game with joint turns: some of its turns are of several seats at once.

    Each acting seat is asked at the same time, and none learns another's step before all have
    answered. Its turn is exactly one step. In the document ``forfeited`` is a list of lists: the
    seats that left in the same turn stand together, and share a rank.
    """

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now, ascending; none exactly when the match is over."""

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """The legal steps of a seat, sorted; none if it does not act.

        Args:
            seat: the seat; None stands for ``to_move``.
        """

    def apply_joint(self, steps: Mapping[int, object], forfeited: Sequence[int] = ()) -> Self:
        """The position after a joint turn, judged by the position before it.

        Args:
            steps: the step of each acting seat that does not leave (any value: it is checked).
            forfeited: all seats that leave in this turn, acting or not. If these alone end the
                match, ``steps`` may be empty.

        Raises:
            InvalidStep: a step is not of the form of a step of this game.
            IllegalStep: the position does not allow a step, an acting seat has neither a step nor
                left, or another has a step.
            IllegalForfeit: a seat that leaves is not there, or out already.
        """


class HiddenState(State, Protocol):
    """A position of which not everybody sees everything.

    In each of these None stands for the spectators while the match runs.
    """

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document that a seat may know.

        It has all that the seat has learnt and that still matters, so that a bot which starts
        anew can go on; the legal steps of the seat follow from it alone.
        """

    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        """The facts that a seat learnt by the last turn, beyond the steps told (optional)."""

    def concealed(self, seat: int | None) -> Sequence[int]:
        """The seats whose steps of the last turn are not told to a seat (optional).

        It never names the seat itself.
        """

    def guess(self, seat: int | None, seed: int) -> Self | None:
        """A whole position that agrees with all that a seat knows, drawn at random (optional).

        For bots that search by sampling, and for ``polynya games check``: the position has the
        same ``view``, ``seen`` and ``concealed`` for the seat, and what the seat does not know is
        drawn anew, the deal too.

        Args:
            seat: the seat.
            seed: 0 to 2**64 - 1; equal seeds give equal guesses.

        Returns:
            The position; None if the game finds none.
        """


@dataclass(frozen=True, slots=True)
class Option:
    """A set-up option of a game.

    Attributes:
        name: its key.
        default: the value where none is given; None where it depends on the number of players.
        description: its meaning and its range, in a sentence.
    """

    name: str
    default: Any
    description: str


class Game(ABC):
    """A game: how matches of it are set up and how its states are read back."""

    name: ClassVar[str]
    """The name in messages, records and commands: lower-case letters, digits and underscores."""
    title: ClassVar[str]
    """The name for people."""
    min_players: ClassVar[int] = LEAST_PLAYERS
    """The least number of players, ``LEAST_PLAYERS`` or more."""
    max_players: ClassVar[int] = 4
    """The greatest number of players, ``MOST_PLAYERS`` at most."""
    options: ClassVar[tuple[Option, ...]] = ()
    """The set-up options, in the order in which they are shown."""
    refusals: ClassVar[Templates] = COMMON
    """How a page shows each refusal in its language; a game of its own codes adds them to these."""
    joint: ClassVar[bool] = False
    """Whether it has joint turns: its positions are of the form of :class:`JointState`."""
    has_view: ClassVar[bool] = False
    """Whether it hides anything: its positions are of the form of :class:`HiddenState`."""
    secret_seed: ClassVar[bool] = False
    """Whether it draws from a secret deal (:mod:`polynya_games.chance`): ``setup`` takes a deal of
    32 bytes in place of the seed. Such a game needs ``has_view``."""

    waits: ClassVar[bool] = False
    """Whether its methods, and those of its positions, may wait for another process. The referee
    asks such a game in threads, so that no other match waits with it. Besides the errors of other
    games these methods raise :class:`~polynya_games.errors.RulesFailed`."""

    renderer: ClassVar[str] = ""
    """A script in JavaScript that draws positions on the page of a match, in a frame that has no
    network and sees no other part of the page; empty for none."""

    rules: ClassVar[Mapping[str, str]] = {}
    """The rules in Markdown by language (``en``, ``de``, …), for the page "Rules"; empty where the
    game brings none."""

    @abstractmethod
    def setup(self, players: int, seed: Any = 0, options: Mapping[str, Any] | None = None) -> State:
        """The initial position; equal arguments give equal positions.

        Args:
            players: the number of seats.
            seed: 0 to 2**64 - 1; decides all that is random. In a game with ``secret_seed`` a
                deal of 32 bytes stands here, and the argument is called ``deal``.
            options: set-up options by name; what is absent has its default.

        Raises:
            InvalidOption: the game cannot be set up in this way; the message says why.
        """

    def initial_state(
        self, players: int, origin: int | bytes = 0, options: Mapping[str, Any] | None = None
    ) -> State:
        """The initial position of any game, by a seed or by a deal.

        Args:
            players: the number of seats.
            origin: a deal of 32 bytes, for games with ``secret_seed`` only; or a seed, which such
                a game takes as :func:`~polynya_games.chance.deal_of_seed` says.
            options: set-up options by name.

        Raises:
            InvalidOption: the game cannot be set up in this way; the message says why.
        """
        if self.secret_seed and type(origin) is int and 0 <= origin < 2**64:
            origin = deal_of_seed(origin)
        return self.setup(players, origin, options)

    @abstractmethod
    def state_from_json(self, data: object) -> State:
        """The position that a document of the form of ``State.to_json`` describes.

        Raises:
            InvalidState: the document has another form, or describes no position of this game.
        """

    def scores_so_far(self, state: Any) -> tuple[int, ...] | None:
        """The scores that spectators see while a match runs, one per seat.

        A game may say them; without this method scores are known at the end only.

        Args:
            state: a position of this game.

        Returns:
            What each seat has so far, at the end the outcome's scores; None if nothing is known.
        """
        outcome: Outcome | None = state.outcome
        return None if outcome is None else outcome.scores

    def board_rows(self, document: Mapping[str, Any]) -> list[str] | None:
        """The board as rows of text, for terminals, and for pages if there is no other board.

        Args:
            document: a state document of this game, or a view: what is hidden in it is missing.

        Returns:
            The rows, from top to bottom, to be shown with letters of one width; None if the game
            has none: then the document is shown.
        """
        del document
        return None

    def board(self, document: Mapping[str, Any]) -> Board | None:
        """The board for pages: rows of text, a grid or a drawing (:mod:`polynya_games.boards`).

        Args:
            document: as in ``board_rows``.

        Returns:
            Without this method the rows of ``board_rows``; None if the game has no board.

        Raises:
            InvalidBoard: of the values of that module; pages then show the rows of text.
        """
        rows = self.board_rows(document)
        return None if rows is None else Rows(rows)

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for training bots.

        A game may offer it; those of this distribution do.

        Args:
            players: the number of seats.
            options: set-up options by name, as in ``setup``; never changed during training.

        Raises:
            InvalidOption: the game cannot be set up in this way.
            NoEncoding: the game does not offer it.
        """
        del players, options
        raise NoEncoding(
            f"{self.title} does not say how its positions and steps become numbers: "
            "its Game needs a method encoding(players, options) that gives a "
            "polynya_games.encoding.Encoding"
        )

    def check_setup(self, players: int, seed: int | bytes, options: Mapping[str, Any]) -> None:
        """Refuse a number of players, a seed or an option name that this game does not have.

        Args:
            players: the number of seats.
            seed: the seed; in a game with ``secret_seed`` the deal.
            options: set-up options by name.

        Raises:
            InvalidOption: the message names what is wrong and what there is.
        """
        if type(players) is not int or not self.min_players <= players <= self.max_players:
            raise refusal(
                InvalidOption,
                COMMON,
                "wrong_players",
                game=self.title,
                least=self.min_players,
                most=self.max_players,
                players=repr(players),
            )
        if self.secret_seed:
            if type(seed) is not bytes or len(seed) != DEAL_BYTES:
                raise refusal(InvalidOption, COMMON, "wrong_deal", deal=repr(seed))
        elif type(seed) is not int or not 0 <= seed < 2**64:
            raise refusal(InvalidOption, COMMON, "wrong_seed", seed=repr(seed))
        known = [option.name for option in self.options]
        for name in options:
            if name not in known:
                raise refusal(
                    InvalidOption,
                    COMMON,
                    "unknown_option" if known else "no_options",
                    game=self.title,
                    option=repr(name),
                    options=", ".join(known),
                )
