"""Swiss: in each round bots with about the same score meet, and no two bots meet twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polynya_contest.pairing.formats.interface import (
    Block,
    Entrant,
    Format,
    PlayedBlock,
    by_players,
    by_round,
    key,
    total,
)
from polynya_contest.pairing.formats.rules1 import dutch, tie_breaks
from polynya_contest.pairing.formats.rules1.dutch import Entry
from polynya_contest.pairing.formats.rules1.tie_breaks import TieBreak
from polynya_contest.pairing.standings import Meeting, Merit, Round


class Swiss(Format):
    """Rounds of pairs by the FIDE Dutch system.

    The bot with more points in the blocks of a meeting wins it: 1, or 1/2 each for as many. A bot
    that has a bye or whose opponent has withdrawn gets 1. Forfeited matches are played ones: a bot
    that crashes has met its opponent and lost.

    Args:
        entrants: in the order of the seeding.
        rounds: how many.
        blocks: how many blocks a meeting has.
        breaks: what orders bots with the same score, the weightiest first.
    """

    def __init__(
        self, entrants: Sequence[Entrant], rounds: int, blocks: int, breaks: Sequence[TieBreak]
    ) -> None:
        self._entrants = entrants
        self._rounds = rounds
        self._blocks = blocks
        self._breaks = breaks

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The pairs of the next round; nothing after the last, or when none is possible."""
        number = len(by_round(played)) + 1
        if number > self._rounds:
            return []
        histories = list(self._histories(played).items())
        absent = [one.name for one in self._entrants if not one.plays_in(number)]
        try:
            pairs = dutch.next_pairs(histories, absent, self._rounds)
        except dutch.NoPairingError:
            return []
        return [
            Block(key("swiss", number, occurrence, pair), pair)
            for pair in pairs
            if len(pair) == 2
            for occurrence in range(1, self._blocks + 1)
        ]

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:
        """The score, and the tie-breaks that were declared."""
        return tie_breaks.merits(self._histories(played), self._breaks)

    def rounds(self, played: Sequence[PlayedBlock]) -> tuple[Round, ...]:
        """Every round with its byes."""
        return tuple(
            Round(number, f"round {number}", self._meetings(number, blocks))
            for number, blocks in enumerate(by_round(played), start=1)
        )

    def _meetings(self, number: int, blocks: Sequence[PlayedBlock]) -> tuple[Meeting, ...]:
        meetings = []
        for met in by_players(blocks).values():
            pair = met[0].players
            gone = any(not self._plays(name, number) for name in pair)
            meetings.append(Meeting(pair, total(met, pair), note="walkover" if gone else ""))
        paired = {name for block in blocks for name in block.players}
        return (
            *meetings,
            *(
                Meeting((one.name,), (), note="bye")
                for one in self._entrants
                if one.name not in paired and one.plays_in(number)
            ),
        )

    def _plays(self, name: str, number: int) -> bool:
        return all(one.plays_in(number) for one in self._entrants if one.name == name)

    def _histories(self, played: Sequence[PlayedBlock]) -> dict[str, list[Entry]]:
        """Each bot's entry for each round; rounds of meetings in play are left out."""
        histories: dict[str, list[Entry]] = {one.name: [] for one in self._entrants}
        for number, blocks in enumerate(by_round(played), start=1):
            found = self._entries(number, blocks)
            for name, entries in histories.items():
                if (entry := found[name]) is not None:
                    entries.append(entry)
        return histories

    def _entries(self, number: int, blocks: Sequence[PlayedBlock]) -> dict[str, Entry | None]:
        found: dict[str, Entry | None] = {
            one.name: Entry("bye", None, 1.0) if one.plays_in(number) else Entry("absent", None, 0)
            for one in self._entrants
        }
        for met in by_players(blocks).values():
            one, other = met[0].players
            found[one] = self._entry(number, met, one, other)
            found[other] = self._entry(number, met, other, one)
        return found

    def _entry(
        self, number: int, met: Sequence[PlayedBlock], name: str, other: str
    ) -> Entry | None:
        """The entry of a meeting for ``name``; None while it is in play."""
        if all(block.complete for block in met):
            own, others = total(met, (name, other))
            return Entry("played", other, 1.0 if own > others else 0.5 if own == others else 0.0)
        if not self._plays(name, number):
            return Entry("walkover", other, 0.0)
        if not self._plays(other, number):
            return Entry("walkover", other, 1.0)
        return None
