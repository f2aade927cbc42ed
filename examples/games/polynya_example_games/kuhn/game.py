"""The game: how matches are set up, and how positions are read back and shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from polynya_example_games.kuhn.encoding import encoding
from polynya_example_games.kuhn.state import CHOICES, ENDS, PLAYERS, Cards, KuhnState, dealt
from polynya_games import Game, InvalidOption, InvalidState, Option
from polynya_games.chance import MOST_DRAWN, NO_DEAL, Chance, deal_from_hex
from polynya_games.encoding import Encoding
from polynya_games.errors import describe
from polynya_games.reading import (
    read_choice,
    read_each,
    read_integer,
    read_integers,
    read_keys,
    read_list,
    read_seats,
)

MOST_HANDS: Final = 1_000
CARDS: Final = {None: "?", 1: "J", 2: "Q", 3: "K"}
RULES: Final = {"en": Path(__file__).with_name("rules.md").read_text(encoding="utf-8")}
KEYS: Final = (
    "hand",
    "hands",
    "first",
    "bets",
    "cards",
    "chips",
    "shown",
    "deal",
    "drawn",
    "forfeited",
)


class Kuhn(Game):
    """Kuhn poker over an even number of hands."""

    name = "kuhn"
    title = "Kuhn poker"
    max_players = PLAYERS
    options = (
        Option("hands", 100, f"the hands of a match, an even number from 2 to {MOST_HANDS}"),
    )
    has_view = True
    secret_seed = True
    rules = RULES

    def setup(
        self, players: int, deal: bytes = NO_DEAL, options: Mapping[str, Any] | None = None
    ) -> KuhnState:
        """The first hand, with the cards of the deal."""
        given = options or {}
        self.check_setup(players, deal, given)
        hands = given.get("hands", 100)
        if type(hands) is not int or not 2 <= hands <= MOST_HANDS or hands % 2:
            raise InvalidOption(
                f"hands is an even number from 2 to {MOST_HANDS}, not {describe(hands)}"
            )
        chance = Chance(deal)
        cards = dealt(chance)
        return KuhnState(hands, cards, deal, chance.drawn)

    def state_from_json(self, data: object) -> KuhnState:
        """The position of a document; what cannot be is refused."""
        document = read_keys(data, KEYS)
        deal = deal_from_hex(document["deal"])
        if deal is None:
            raise InvalidState("deal is 64 hexadecimal digits in lower case")
        hands = read_integer(document["hands"], "hands", 2, MOST_HANDS)
        chips = read_integers(document["chips"], "chips", -2 * hands, 2 * hands, PLAYERS)
        bets = read_each(document["bets"], "bets", _verb)
        state = KuhnState(
            hands=hands,
            cards=_cards(document["cards"], "cards"),
            deal=deal,
            drawn=read_integer(document["drawn"], "drawn", 0, MOST_DRAWN),
            hand=read_integer(document["hand"], "hand", 1, hands),
            bets=bets,
            chips=(chips[0], chips[1]),
            shown=read_each(document["shown"], "shown", _shown),
            forfeited=read_seats(document["forfeited"], "forfeited", PLAYERS),
        )
        read_choice(document["first"], "first", [state.first])
        _check(state)
        return state

    def scores_so_far(self, state: KuhnState) -> tuple[int, ...]:
        """The chips, which everybody sees."""
        return state.chips

    def board_rows(self, document: Mapping[str, Any]) -> list[str]:
        """The hand as text."""
        first = document["first"]
        rows = [f"hand {document['hand']} of {document['hands']}"]
        for seat in range(PLAYERS):
            card = CARDS[document["cards"][seat]]
            bets = " ".join(document["bets"][(seat - first) % PLAYERS :: PLAYERS])
            rows.append(f"seat {seat}  [{card}]  {document['chips'][seat]:+5d}  {bets}".rstrip())
        return rows

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """For training bots: the hand as a seat sees it, and the chips."""
        return encoding(self.setup(players, NO_DEAL, options).hands)


def _verb(value: object, path: str) -> str:
    return read_choice(value, path, ("bet", "call", "check", "fold"))


def _cards(value: object, path: str) -> Cards:
    cards = read_integers(value, path, 1, 3, PLAYERS)
    if cards[0] == cards[1]:
        raise InvalidState(f"{path} has two different cards")
    return cards[0], cards[1]


def _shown(value: object, path: str) -> Cards | None:
    return None if value is None else _cards(read_list(value, path, PLAYERS), path)


def _check(state: KuhnState) -> None:
    """Refuse what no match comes to."""
    if state.hands % 2:
        raise InvalidState("hands is an even number")
    over = state.bets in ENDS
    if not over and state.bets not in CHOICES:
        raise InvalidState(f"no hand has the bets {describe(state.bets)}")
    if over and (state.hand != state.hands or state.forfeited):
        raise InvalidState("after the end of a hand that is not the last one the next begins")
    if len(state.forfeited) == PLAYERS:
        raise InvalidState("one player stays")
    if len(state.shown) != state.hand - (not over):
        raise InvalidState("shown has an entry for each hand that is over")
    if over and state.shown[-1] != (None if state.bets[-1] == "fold" else state.cards):
        raise InvalidState("shown does not fit the last hand")
    _check_chips(state)


def _check_chips(state: KuhnState) -> None:
    """The chips are a sum of possible results of the hands that are over."""
    least = most = 0
    for cards in state.shown:
        won = (-1, 1) if cards is None else (1, 2) if cards[0] > cards[1] else (-2, -1)
        least, most = least + won[0], most + won[1]
    odd = (len(state.shown) - state.chips[0]) % 2 and not any(state.shown)
    if sum(state.chips) or not least <= state.chips[0] <= most or odd:
        raise InvalidState("chips do not fit the hands that are over")


KUHN = Kuhn()
