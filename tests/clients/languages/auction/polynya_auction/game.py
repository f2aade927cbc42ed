"""The game: set-up, positions read from documents, the board as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from polynya_games import Game, InvalidOption, InvalidState, Option
from polynya_games.chance import MOST_DRAWN, NO_DEAL, Chance, deal_from_hex
from polynya_games.errors import describe
from polynya_games.reading import (
    read_groups,
    read_integer,
    read_integers,
    read_keys,
    read_list,
)

from .state import MOST, PLAYERS, AuctionState, drawn_worth

MOST_LOTS = 100
KEYS = (
    "lots",
    "sold",
    "worth",
    "profit",
    "bought",
    "paid",
    "last",
    "deal",
    "drawn",
    "forfeited",
)


class Auction(Game):
    """A sealed-bid auction."""

    name = "auction"
    title = "Sealed bids"
    min_players = PLAYERS
    max_players = PLAYERS
    options = (Option("lots", 10, f"the lots of a match, 1 to {MOST_LOTS}"),)
    joint = True
    has_view = True
    secret_seed = True
    rules: ClassVar[Mapping[str, str]] = {
        "en": Path(__file__).with_name("rules.md").read_text(encoding="utf-8")
    }

    def setup(
        self, players: int, deal: bytes = NO_DEAL, options: Mapping[str, Any] | None = None
    ) -> AuctionState:
        """The first lot."""
        given = options or {}
        self.check_setup(players, deal, given)
        lots = given.get("lots", 10)
        if type(lots) is not int or not 1 <= lots <= MOST_LOTS:
            raise InvalidOption(f"lots is 1 to {MOST_LOTS}, not {describe(lots)}")
        chance = Chance(deal)
        worth = drawn_worth(chance)
        return AuctionState(lots, worth, deal, chance.drawn)

    def state_from_json(self, data: object) -> AuctionState:
        """The position of a document."""
        document = read_keys(data, KEYS)
        deal = deal_from_hex(document["deal"])
        if deal is None:
            raise InvalidState("deal is 64 hexadecimal digits in lower case")
        lots = read_integer(document["lots"], "lots", 1, MOST_LOTS)
        most = lots * MOST
        state = AuctionState(
            lots=lots,
            worth=read_integers(document["worth"], "worth", 1, MOST, PLAYERS),
            deal=deal,
            drawn=read_integer(document["drawn"], "drawn", 0, MOST_DRAWN),
            sold=read_integer(document["sold"], "sold", 0, lots),
            profit=read_integers(document["profit"], "profit", -most, most, PLAYERS),
            bought=read_integers(document["bought"], "bought", 0, lots, PLAYERS),
            paid=read_integers(document["paid"], "paid", 0, most, PLAYERS),
            last=read_last(document["last"]),
            gone=read_groups(document["forfeited"], "forfeited", PLAYERS),
        )
        check(state)
        return state

    def scores_so_far(self, state: AuctionState) -> tuple[int, ...] | None:
        """None while the match runs: profits are secret."""
        return None if state.acting else state.profit

    def board_rows(self, document: Mapping[str, Any]) -> list[str]:
        """A row for each seat."""
        rows = [f"{document['sold']} of {document['lots']} lots sold"]
        buyer, price = document["last"] or (None, None)
        for seat in range(PLAYERS):
            worth, profit = (shown(document[key][seat]) for key in ("worth", "profit"))
            bought = f"  bought for {price}" if seat == buyer else ""
            rows.append(f"seat {seat}  worth {worth}  profit {profit}{bought}")
        return rows


def shown(value: int | None) -> str:
    """A number, or a question mark, in four columns."""
    return "   ?" if value is None else f"{value:>4}"


def read_last(value: object) -> tuple[int, int] | None:
    """Buyer and price."""
    if value is None:
        return None
    buyer, price = read_list(value, "last", 2)
    return (
        read_integer(buyer, "last[0]", 0, PLAYERS - 1),
        read_integer(price, "last[1]", 1, MOST),
    )


def check(state: AuctionState) -> None:
    """Refuse a document that contradicts itself."""
    if PLAYERS - sum(map(len, state.gone[:-1])) < 2:
        raise InvalidState("the match is over when one player is left")
    if sum(state.bought) > state.sold or (state.last is not None and not state.sold):
        raise InvalidState("bought and last do not fit the lots that are sold")
    for seat in range(PLAYERS):
        bought, worth = state.bought[seat], state.profit[seat] + state.paid[seat]
        for value, key in ((state.paid[seat], "paid"), (worth, "profit")):
            if not bought <= value <= bought * MOST:
                raise InvalidState(f"{key} of seat {seat} does not fit the lots that it bought")
    if state.last is not None and not state.bought[state.last[0]]:
        raise InvalidState("the last buyer has bought nothing")
