"""Checks the secrets of a bundle: what they were committed to, and the seeds that follow."""

from __future__ import annotations

from collections.abc import Iterator

from polynya_contest.pairing.formats.interface import RULES_WITH_SEED
from polynya_contest.pairing.schedule import seed_of_rules_2
from polynya_contest.secret import MOST_BEACON, Secret, SeedOf, tournament_content
from polynya_evidence.reports.evidence import Schedule, ScheduleSecret


class PublishedSeeds:
    """The seeds that a published tournament's blocks may have.

    A tournament has one secret, and a further one for each time that its database was restored.
    A block follows from the secret at the time when it was drawn or, if none of its matches had
    begun when the database was restored, from a later one.

    Args:
        schedule: the description, the field, the secrets and the matches.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._description = schedule.description
        self._published = {match.block: match.seed for match in schedule.matches}
        self._blocks = {match.number: match.block for match in schedule.matches}
        self._numbers: dict[str, int] = {}
        for match in schedule.matches:
            self._numbers.setdefault(match.block, match.number)
        self._after: list[int] = []
        self._seeds: list[SeedOf] = []
        self._secrets: list[Secret] = []
        if self._description.get("rules") == RULES_WITH_SEED:
            self._after, self._seeds = [0], [seed_of_rules_2(int(self._description["seed"]))]

    def differences(self) -> Iterator[str]:
        """Check the secrets; ``seed_of`` comes after it."""
        published = self._schedule.secrets
        if self._seeds:
            if published:
                yield "secrets: version 0.3.0 had none"
            return
        if not published or published[0].after != 0:
            yield "secrets: there is none that its first match follows from"
        for number, (one, before) in enumerate(zip(published, (None, *published), strict=False)):
            for what in self._one(one, before):
                yield f"secrets[{number}]: {what}"
        if "seed" in self._description and len(published) > 1:
            yield "secrets: the description names a seed, but there are several"

    def seed_of(self, block: str) -> int:
        """The published seed of a block if it follows from the secrets; else the first that does.

        0 if there is no valid secret: ``differences`` has said so.
        """
        number = self._numbers.get(block, 1)
        first = max((i for i, after in enumerate(self._after) if after < number), default=0)
        possible = [seed_of(block) for seed_of in self._seeds[first:]]
        said = self._published.get(block, "")
        return next((seed for seed in possible if str(seed) == said), next(iter(possible), 0))

    def deal_differences(
        self, number: int, attempt: int, deal: str | None, *, is_dealt: bool
    ) -> Iterator[str]:
        """Check the deal of an attempt; a match that began after a restore has the later secret's.

        With duplicate deals it is that of its block, from the secret that the block's seed is from.

        Args:
            number: the match's, in the schedule.
            attempt: 1, or more for a match that was played again.
            deal: as recorded, in hexadecimal; None without one.
            is_dealt: whether its game draws from a secret deal.
        """
        possible = self._deals(number, attempt) if is_dealt else {None}
        if deal not in possible:
            yield "the set-up: its deal does not follow from the secret"

    def _deals(self, number: int, attempt: int) -> set[str | None]:
        if not self._description.get("duplicate"):
            return {one.deal(number, attempt) for one in self._secrets}
        block = self._blocks.get(number, "")
        seed = self.seed_of(block)
        return {one.block_deal(block) for one in self._secrets if one.match_seed(block) == seed}

    def _one(self, one: ScheduleSecret, before: ScheduleSecret | None) -> Iterator[str]:
        if one.beacon is not None and len(one.beacon) > MOST_BEACON:
            yield f"a beacon has at most {MOST_BEACON} characters"
        try:
            secret = Secret.from_hex(one.secret or "", one.beacon)
        except ValueError as error:
            yield str(error)
            return
        self._after.append(one.after)
        self._seeds.append(secret.match_seed)
        self._secrets.append(secret)
        field = [entrant.name for entrant in self._schedule.entrants if not entrant.entered_after]
        if one.commitment != secret.commitment(tournament_content(self._description, field)):
            yield "the commitment is not one to this secret, this description and this field"
        if secret.named_seed != self._description.get("seed"):
            yield "it is not the secret that the description's seed gives, or names a seed itself"
        if (one.beacon is None) != ("beacon" not in self._description):
            yield "it has a beacon and the description names none, or the other way round"
        if before is not None:
            yield from self._order(one, before)

    def _order(self, one: ScheduleSecret, before: ScheduleSecret) -> Iterator[str]:
        if not before.after <= one.after <= len(self._schedule.matches):
            yield f"it came after match {one.after}, which is impossible"
        if one.made_ms < before.made_ms:
            yield "it is older than the one before it"
        if one.beacon != before.beacon:
            yield "its beacon is another one"
