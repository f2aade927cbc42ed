"""The findings of a check: a verdict on each requirement or paragraph, with a sentence."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class Verdict(enum.Enum):
    """How it stands with something that is required; the later outweighs the earlier."""

    NOT_APPLICABLE = "not applicable"
    """It asks nothing of this peer."""
    NOT_EXERCISED = "not exercised"
    """It could not be seen here; the sentence says why."""
    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"


_WEIGHT = {verdict: weight for weight, verdict in enumerate(Verdict)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict.

    Attributes:
        subject: the requirement's number, or the paragraph.
        verdict: how it stands with it.
        scenario: the name of the scenario that found it.
        sentence: what happened; may be empty for a pass.
    """

    subject: str
    verdict: Verdict
    scenario: str
    sentence: str = ""


def overall(subjects: Iterable[str], findings: Sequence[Finding]) -> list[Finding]:
    """One finding for each subject, in their order: the weightiest, the first of equals.

    A subject that nothing was found about is not exercised.
    """
    return [_weightiest(subject, findings) for subject in subjects]


def _weightiest(subject: str, findings: Sequence[Finding]) -> Finding:
    about = [finding for finding in findings if finding.subject == subject]
    if not about:
        return Finding(subject, Verdict.NOT_EXERCISED, "", "nothing came to test it")
    return max(about, key=lambda finding: _WEIGHT[finding.verdict])
