"""The game: how matches are set up, and how positions are read back and shown."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from polynya_example_games.goofspiel.encoding import encoding
from polynya_example_games.goofspiel.state import GoofspielState, Round, drawn_prize
from polynya_example_games.joint import read_common
from polynya_games import Game, InvalidOption, InvalidState, Option
from polynya_games.chance import NO_DEAL, Chance
from polynya_games.encoding import Encoding
from polynya_games.errors import describe
from polynya_games.reading import read_each, read_integer, read_keys, read_list
from polynya_games.refusals import COMMON, refusal
from polynya_games.seats import staying

LEAST_CARDS: Final = 3
MOST_CARDS: Final = 13
RULES: Final = {"en": Path(__file__).with_name("rules.md").read_text(encoding="utf-8")}
KEYS: Final = (
    "cards",
    "round",
    "prize",
    "hands",
    "points",
    "rounds",
    "deal",
    "drawn",
    "forfeited",
)


class Goofspiel(Game):
    """Goofspiel with up to 13 cards."""

    name = "goofspiel"
    title = "Goofspiel"
    options = (
        Option(
            "cards",
            MOST_CARDS,
            f"the cards of each player, and the prizes, {LEAST_CARDS} to {MOST_CARDS}",
        ),
    )
    joint = True
    has_view = True
    secret_seed = True
    rules = RULES

    def setup(
        self, players: int, deal: bytes = NO_DEAL, options: Mapping[str, Any] | None = None
    ) -> GoofspielState:
        """The first round, with its prize turned up."""
        given = options or {}
        self.check_setup(players, deal, given)
        cards = given.get("cards", MOST_CARDS)
        if type(cards) is not int or not LEAST_CARDS <= cards <= MOST_CARDS:
            raise refusal(
                InvalidOption,
                COMMON,
                "out_of_range",
                key="cards",
                least=LEAST_CARDS,
                most=MOST_CARDS,
                value=describe(cards),
            )
        chance = Chance(deal)
        prize = drawn_prize(chance, range(1, cards + 1))
        return GoofspielState(
            players=players, cards=cards, prize=prize, deal=deal, drawn=chance.drawn
        )

    def state_from_json(self, data: object) -> GoofspielState:
        """The position of a document; what cannot be is refused."""
        document = read_keys(data, KEYS)
        hands = read_list(document["hands"], "hands")
        if not self.min_players <= len(hands) <= self.max_players:
            raise InvalidState(f"hands has {self.min_players} to {self.max_players} lists")
        players = len(hands)
        cards = read_integer(document["cards"], "cards", LEAST_CARDS, MOST_CARDS)
        state = GoofspielState(
            players=players,
            cards=cards,
            prize=read_integer(document["prize"], "prize", 1, cards),
            rounds=read_each(
                document["rounds"], "rounds", lambda each, path: _round(each, path, players, cards)
            ),
            **read_common(document, players),
        )
        _check(state)
        written = state.to_json()
        for key in KEYS:
            if describe(written[key], 10_000) != describe(document[key], 10_000):
                raise InvalidState(f"{key} does not fit the rounds that are over")
        return state

    def scores_so_far(self, state: GoofspielState) -> tuple[int, ...]:
        """The points, which everybody sees."""
        return state.points

    def board_rows(self, document: Mapping[str, Any]) -> list[str]:
        """The prize, and for each seat its points, its bids and its hand."""
        rows = [f"round {document['round']} of {document['cards']}, prize {document['prize']}"]
        prizes = " ".join(f"{each['prize']:>3}" for each in document["rounds"])
        rows.append(f"prizes       {prizes}".rstrip())
        for seat, points in enumerate(document["points"]):
            bids = " ".join(_bid(each, seat) for each in document["rounds"])
            rows.append(f"seat {seat}  {points:>4}  {bids}".rstrip())
        for seat, hand in enumerate(document["hands"]):
            rows.append(f"hand {seat}: {' '.join(map(str, hand))}".rstrip())
        return rows

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """For training bots: prizes, hands and points."""
        return encoding(players, self.setup(players, NO_DEAL, options).cards)


def _bid(each: Mapping[str, Any], seat: int) -> str:
    """A bid in three columns, with a star if it won."""
    bid = each["bids"][seat]
    text = "-" if bid is None else str(bid)
    return f"{text}*".rjust(3) if each["winner"] == seat else text.rjust(3)


def _round(data: object, path: str, players: int, cards: int) -> Round:
    if not isinstance(data, dict) or set(data) != {"prize", "bids", "winner"}:
        raise InvalidState(f"{path} has the keys prize, bids and winner")
    bids = read_each(
        data["bids"],
        f"{path}.bids",
        lambda bid, at: None if bid is None else read_integer(bid, at, 1, cards),
        players,
    )
    return Round(read_integer(data["prize"], f"{path}.prize", 1, cards), bids)


def _check(state: GoofspielState) -> None:
    """Refuse what no match comes to."""
    prizes = [each.prize for each in state.rounds]
    if len(set(prizes)) != len(prizes) or state.prize in prizes[:-1]:
        raise InvalidState("each prize is turned up once")
    _check_groups(state)
    played = bool(prizes) and state.prize == prizes[-1]
    if played == bool(state.acting) and (played or len(staying(state)) > 1):
        raise InvalidState("the prize is that of a round to play, or of the last round")
    if not played and len(prizes) >= state.cards - 1:
        raise InvalidState("the last round is played in the turn of the round before")
    for seat in range(state.players):
        _check_bids(state, seat)
    _check_order(state)


def _check_groups(state: GoofspielState) -> None:
    left = state.players
    for group in state.gone:
        if left < 2:
            raise InvalidState("the match is over when one player is left")
        left -= len(group)
    if left < 2 and len(state.rounds) == state.cards:
        raise InvalidState("after the last round no player forfeits")


def _check_bids(state: GoofspielState, seat: int) -> None:
    bids = [each.bids[seat] for each in state.rounds]
    made = [bid for bid in bids if bid is not None]
    if len(set(made)) != len(made):
        raise InvalidState(f"seat {seat} bids each of its cards once")
    if bids[: len(made)] != made or (len(made) < len(bids) and seat in staying(state)):
        raise InvalidState(f"seat {seat} bids in each round before its forfeit, and in no other")


def _check_order(state: GoofspielState) -> None:
    """Seats that left together made the same number of bids, those that left later no fewer."""
    counts = [
        [sum(each.bids[seat] is not None for each in state.rounds) for seat in group]
        for group in state.gone
    ]
    if any(min(group) != max(group) for group in counts):
        raise InvalidState("seats that left together have bid equally often")
    firsts = [group[0] for group in counts]
    if any(before > after for before, after in itertools.pairwise(firsts)):
        raise InvalidState("a seat that left later has bid no less often")


GOOFSPIEL = Goofspiel()
