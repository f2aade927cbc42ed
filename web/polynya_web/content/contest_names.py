"""Names of games, rounds and ladders in the reader's language, as text without markup."""

from __future__ import annotations

from functools import lru_cache

from polynya_contest.ratings.pool import Pool
from polynya_games import installed, load
from polynya_protocol.errors import printable
from polynya_web.content.texts import Texts

_NUMBERED = {
    "winners' round ": "round.winners",
    "losers' round ": "round.losers",
    "round ": "round.number",
}
"""The beginnings of numbered rounds' names, and their texts."""


# Lists name the game in each row, and to find out what is installed takes 2 ms.
@lru_cache(maxsize=256)
def game_title(name: str) -> str:
    """The game as people call it; its name if it is not installed any more."""
    return load(name).title if name in installed() else name


def round_name(name: str, t: Texts) -> str:
    """A round of a tournament by its name, or what else its format calls a bot's last round."""
    for begin, key in _NUMBERED.items():
        if name.startswith(begin):
            return t(key, number=printable(name.removeprefix(begin)))
    return printable(t.word("round", name))


def pool_words(pool: Pool, t: Texts) -> str:
    """A rating pool in words, without its options: ``GAME · 3 players · Bullet``."""
    game, players = printable(game_title(pool.game)), t.count("pool.players", pool.players)
    clock = None if pool.clock_class == "unknown" else t.word("clock_class", pool.clock_class)
    system = None if pool.system == "elo" else t.word("ladder.system", pool.system)
    return " · ".join(part for part in (game, players, clock, system) if part)


def pool_name(pool: Pool, t: Texts) -> str:
    """A rating pool with its options, as its ladder is called."""
    return " · ".join(part for part in (pool_words(pool, t), printable(pool.variant)) if part)
