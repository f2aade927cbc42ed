"""Nim as a rules process: take 1 to 3 stones; the seat that takes the last one wins."""

import json
import sys
from typing import Any


def position(stones: int, seat: int, out: list[int], players: int) -> dict[str, Any]:
    """The answer that tells of a position."""
    staying = [each for each in range(players) if each not in out]
    answer: dict[str, Any] = {
        "document": {"stones": stones, "seat": seat, "out": out},
        "acting": [seat],
        "legal": {str(seat): [["take", count] for count in range(1, min(3, stones) + 1)]},
        "staying": staying,
        "board": {"rows": [" ".join("o" * stones) or "no stones"]},
    }
    if not stones or len(staying) == 1:
        best = staying[0] if len(staying) == 1 else seat
        ranks = [1 if each == best else 2 for each in range(players)]
        for place, each in enumerate(reversed(out)):
            ranks[each] = len(staying) + 1 + place
        end = "forfeit" if len(staying) == 1 else "finished"
        outcome = {"termination": end, "ranking": ranks, "scores": [0] * players}
        answer |= {"acting": [], "legal": {}, "outcome": outcome}
    return answer


def following(seat: int, out: list[int], players: int) -> int:
    """The seat that chooses next."""
    seat = (seat + 1) % players
    return following(seat, out, players) if seat in out else seat


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question, without its id."""
    players = question["players"]
    if question["ask"] == "set_up":
        stones = question["options"]["stones"]
        if not isinstance(stones, int) or not 1 <= stones <= 99:
            return {"error": f"stones is 1 to 99, not {stones}"}
        return position(stones, 0, [], players)
    document = question["document"]
    if question["ask"] == "read":
        if set(document) != {"stones", "seat", "out"}:
            return {"error": "the keys are stones, seat and out"}
        return position(document["stones"], document["seat"], document["out"], players)
    stones, seat, out = document["stones"], document["seat"], document["out"]
    if question["ask"] == "forfeit":
        out = [*out, *question["seats"]]
        seat = following(seat, out, players) if seat in out else seat
        return position(stones, seat, out, players)
    stones -= question["step"][1]
    return position(stones, following(seat, out, players) if stones else seat, out, players)


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)
