"""Bids two thirds of what the lot is worth."""

from polynya_client import Step, Turn, run


def choose(turn: Turn) -> list[Step]:
    return [["bid", max(1, 2 * turn.state["worth"][turn.seat] // 3)]]


if __name__ == "__main__":
    run(choose, name="thirds", games=["auction"], wants=["state"])
