"""The colours of the pages' boards (``static/boards.css``)."""

from __future__ import annotations

SEA, SEA_LINE = "#12344d", "#4f7590"
OUTLINE = "#10293c"
LAST = "#d22f4f"
GOLD = "#ffd479"
_SEATS = (
    "#e08a1e",
    "#d0402f",
    "#2f74c8",
    "#2f9150",
    "#8a5bc0",
    "#1f8a96",
    "#b84a91",
    "#76832d",
)
_NEUTRAL = "#8d949b"


def piece_colour(seat: int, players: int | None = None) -> str:
    """The colour of a seat; the neutral one from ``players`` on."""
    return _NEUTRAL if players is not None and seat >= players else _SEATS[seat % len(_SEATS)]


def lighter(colour: str, share: float = 0.28) -> str:
    """A colour ``#rrggbb`` mixed with a share of white."""
    parts = (int(colour[index : index + 2], 16) for index in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)
