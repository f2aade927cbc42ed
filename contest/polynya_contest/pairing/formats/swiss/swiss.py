"""Swiss: in each round bots with about the same score meet, and no two bots meet twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.formats.interface import (
    Block,
    Entrant,
    Format,
    PlayedBlock,
    by_players,
    by_round,
    key,
    second_seat_wins,
    total,
)
from polynya_contest.pairing.formats.swiss import double_swiss, dutch
from polynya_contest.pairing.formats.swiss.field import (
    Float,
    NoPairingError,
    PairedRound,
    Player,
    may_meet,
)
from polynya_contest.pairing.standings import Meeting, Merit, Round
from polynya_contest.pairing.tie_breaks.opponents import Entry, Histories
from polynya_contest.pairing.tie_breaks.tie_breaks import Field, TieBreak, merits


def absent_now(entries: Sequence[Entry]) -> bool:
    """Whether a bot missed its last meeting and has not come back."""
    met = [entry for entry in entries if entry.opponent is not None]
    return bool(met) and met[-1].kind == "missed"


def players(
    histories: Histories, forbidden: Collection[frozenset[str]], win: float
) -> dict[str, Player]:
    """The players that a pairing system pairs.

    A bot that has had a bye or a walkover, or that missed its last meeting, has no right to the
    bye (C.04.1, 4).

    Args:
        histories: in the order of the seeding.
        forbidden: pairs that are not to meet.
        win: what a won round gives.
    """
    numbers = {name: number for number, name in enumerate(histories, start=1)}
    before = {name: _scores(entries) for name, entries in histories.items()}
    return {
        name: Player(
            number=numbers[name],
            score=round(2 * sum(entry.score for entry in entries)),
            opponents=frozenset(
                numbers[other]
                for other in numbers
                if frozenset({name, other}) in forbidden
                or any(e.kind == "played" and e.opponent == other for e in entries)
            ),
            bye=not absent_now(entries)
            and all(
                entry.kind != "bye" and (entry.kind != "walkover" or entry.score < win)
                for entry in entries
            ),
            matches=sum(entry.kind == "played" for entry in entries),
            floats=tuple(
                _float(entry, before[name][place], before, place)
                for place, entry in enumerate(entries)
            ),
        )
        for name, entries in histories.items()
    }


def _scores(entries: Sequence[Entry]) -> list[float]:
    """The score before each round."""
    return [sum(entry.score for entry in entries[:place]) for place in range(len(entries))]


def _float(entry: Entry, own: float, before: Mapping[str, Sequence[float]], place: int) -> Float:
    """C.04.3, 1.4: by the scores of the two, or down for points without playing."""
    if entry.kind != "played" or entry.opponent is None:
        return "down" if entry.score > 0 else ""
    other = before[entry.opponent][place]
    return "" if own == other else "down" if own > other else "up"


@dataclass(frozen=True, slots=True)
class SwissParameters:
    """A host's settings of a Swiss.

    Attributes:
        rounds: how many.
        blocks: how many blocks a meeting has.
        breaks: what orders bots with the same score, the weightiest first.
        forbidden: pairs of bots that are not to meet.
        half_point_byes: the rounds in which a bot has asked for half a point instead of a meeting.
        double: whether it is a Double-Swiss: each of the two matches of a meeting counts.
    """

    rounds: int
    blocks: int
    breaks: Sequence[TieBreak]
    forbidden: Collection[frozenset[str]] = ()
    half_point_byes: Mapping[str, Collection[int]] | None = None
    double: bool = False

    @property
    def name(self) -> str:
        """The format's name."""
        return "double_swiss" if self.double else "swiss"

    @property
    def win(self) -> float:
        """The points of a won meeting or a walkover."""
        return 2.0 if self.double else 1.0

    @property
    def bye(self) -> float:
        """The points of a bye (C.04.1, 3; C.04.5, 1.4)."""
        return 1.5 if self.double else 1.0


class Swiss(Format):
    """Rounds of pairs by the FIDE Dutch system, or by the Double-Swiss system.

    A meeting of some blocks is won by the bot with more points in it: 1, or 1/2 each for as many;
    in a Double-Swiss its points are the score. Forfeited matches are played ones: a bot that
    crashes has met its opponent and lost. A meeting of walkovers only is not played: the two may
    meet later.
    """

    def __init__(self, entrants: Sequence[Entrant], plan: SwissParameters) -> None:
        self._entrants = {one.name: one for one in entrants}
        self._plan = plan

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next round's pairs; empty after the last round, or if no pairing is possible."""
        number = _last_round(played) + 1
        if number > self._plan.rounds:
            return []
        try:
            pairs = self._pairs(played, number)
        except NoPairingError:
            return []
        return [
            Block(key(self._plan.name, number, occurrence, pair), pair)
            for pair in pairs
            for occurrence in range(1, self._plan.blocks + 1)
        ]

    @property
    def rounds_planned(self) -> int:
        """As the host has set it."""
        return self._plan.rounds

    def blocks_to_come(self, last_round: int) -> int:
        """Those of all pairs of the bots that are there, round by round."""
        ahead = range(last_round + 1, self._plan.rounds + 1)
        return self._plan.blocks * sum(len(self._here(number)) // 2 for number in ahead)

    def verdict(self, played: Sequence[PlayedBlock]) -> Cause:
        """Why the tournament ended before its last round; empty if it did not."""
        number = _last_round(played) + 1
        if number > self._plan.rounds or not all(block.complete for block in played):
            return ""
        try:
            self._pairs(played, number)
        except NoPairingError:
            why = self._why_undrawable(played, number)
            return Reason.of("round_not_drawable", round=number, rounds=self._plan.rounds, why=why)
        return ""

    def histories(self, played: Sequence[PlayedBlock]) -> Histories:
        """Each bot's entry for each round; meetings in play are left out."""
        return self._histories(played)

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:
        """The score, and the tie-breaks that were declared."""
        gone = {one.name for one in self._entrants.values() if one.withdrawn is not None}
        ratings = {name: one.rating for name, one in self._entrants.items()}
        field = Field(self._histories(played), ratings, self._plan.win)
        return merits(field, self._plan.breaks, gone)

    def rounds(self, played: Sequence[PlayedBlock]) -> tuple[Round, ...]:
        """Every round with its byes."""
        histories = self._histories(played, whole=True)
        return tuple(
            Round(blocks[0].round, f"round {blocks[0].round}", self._meetings(blocks, histories))
            for blocks in by_round(played)
        )

    def _pairs(self, played: Sequence[PlayedBlock], number: int) -> list[tuple[str, ...]]:
        histories = self._histories(played)
        known = players(histories, self._plan.forbidden, self._plan.win)
        here = self._here(number)
        names = {known[name].number: name for name in here}
        # If the bye can be given to no bot, a bot that missed its last meeting is left out.
        missed = [name for name in reversed(here) if absent_now(histories[name])]
        left_out: list[str | None] = [None, *missed] if len(here) % 2 else [None]
        for leave in left_out:
            field = [known[name] for name in here if name != leave]
            try:
                drawn = self._drawn(field, number)
            except NoPairingError:
                continue
            return [tuple(names[one] for one in pair) for pair in drawn.pairs]
        raise NoPairingError

    def _drawn(self, field: Sequence[Player], number: int) -> PairedRound:
        if len(field) < 2:
            raise NoPairingError
        if self._plan.double:
            return double_swiss.pair(field, last_round=number == self._plan.rounds)
        return dutch.pair(field)

    def _here(self, number: int) -> list[str]:
        """The bots to pair in a round, in the order of the seeding."""
        return [
            name
            for name, one in self._entrants.items()
            if one.plays_in(number) and not self._asked_for_bye(name, number)
        ]

    def _asked_for_bye(self, name: str, number: int) -> bool:
        return number in (self._plan.half_point_byes or {}).get(name, ())

    def _why_undrawable(self, played: Sequence[PlayedBlock], number: int) -> Reason:
        here = self._here(number)
        if len(here) < 2:
            return Reason.of("only_one_left", bot=here[0]) if here else Reason.of("no_bot_left")
        known = players(self._histories(played), self._plan.forbidden, self._plan.win)
        if any(may_meet(known[one], known[other]) for one, other in combinations(here, 2)):
            return Reason.of("no_new_opponents")
        if self._plan.forbidden:
            return Reason.of("all_have_met_or_may_not")
        return Reason.of("all_have_met")

    def _meetings(
        self, blocks: Sequence[PlayedBlock], histories: Mapping[str, Sequence[Entry]]
    ) -> tuple[Meeting, ...]:
        met = list(by_players(blocks).values())
        meetings = [
            Meeting(
                one[0].players,
                total(one, one[0].players),
                note="" if any(block.results for block in one) or not _decided(one) else "walkover",
            )
            for one in met
        ]
        number = blocks[0].round
        notes = {"bye": "bye", "half_point_bye": "half-point bye"}
        return (
            *meetings,
            *(
                Meeting((name,), (), note=notes[entries[number - 1].kind])
                for name, entries in histories.items()
                if len(entries) >= number and entries[number - 1].kind in notes
            ),
        )

    def _histories(
        self, played: Sequence[PlayedBlock], *, whole: bool = False
    ) -> dict[str, list[Entry]]:
        """Each bot's entry for each round; meetings in play are left out but if ``whole``."""
        histories: dict[str, list[Entry]] = {name: [] for name in self._entrants}
        for blocks in by_round(played):
            found = self._entries(blocks, histories)
            for name, entries in histories.items():
                entry = found[name]
                if entry is None and whole:
                    entry = Entry("unpaired", None, 0.0)
                if entry is not None:
                    entries.append(entry)
        return histories

    def _entries(
        self, blocks: Sequence[PlayedBlock], histories: Mapping[str, Sequence[Entry]]
    ) -> dict[str, Entry | None]:
        number = blocks[0].round
        found: dict[str, Entry | None] = {
            name: self._without_opponent(one, number, histories[name])
            for name, one in self._entrants.items()
        }
        for met in by_players(blocks).values():
            one, other = met[0].players
            found[one] = self._entry(met, one, other)
            found[other] = self._entry(met, other, one)
        return found

    def _without_opponent(self, one: Entrant, number: int, entries: Sequence[Entry]) -> Entry:
        if number < one.entered:
            return Entry("unpaired", None, one.missed * self._plan.win)
        if not one.plays_in(number):
            return Entry("unpaired", None, 0.0)
        if self._asked_for_bye(one.name, number):
            return Entry("half_point_bye", None, self._plan.win / 2)
        if absent_now(entries):
            return Entry("unpaired", None, 0.0)
        return Entry("bye", None, self._plan.bye)

    def _entry(self, met: Sequence[PlayedBlock], name: str, other: str) -> Entry | None:
        """The entry of a meeting for ``name``; None while it is in play."""
        if not _decided(met):
            return None
        own, others = total(met, (name, other))
        score = own if self._plan.double else 1.0 if own > others else 0.5 if own == others else 0.0
        if any(block.results for block in met):
            return Entry("played", other, score, second_seat_wins(met, name))
        return Entry("walkover", other, score) if own else Entry("missed", other, 0.0)


def _decided(met: Sequence[PlayedBlock]) -> bool:
    return all(block.complete for block in met)


def _last_round(played: Sequence[PlayedBlock]) -> int:
    return max((block.round for block in played), default=0)
