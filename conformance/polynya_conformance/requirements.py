"""Lists the numbered requirements of docs/protocol.md with advice; defines findings on them."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """A numbered requirement of the protocol.

    Attributes:
        number: ``R1`` and so on, as in docs/protocol.md.
        title: the required behaviour, as the rest of a sentence that begins with "a bot".
        advice: tells the author of a failing bot what to do.
    """

    number: str
    title: str
    advice: str


REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement(
        "R1",
        "sends frames of exactly the documented form",
        "Send text as msgpack str, never as bin, and whole numbers as msgpack integers; one map in "
        "each frame, no longer than welcome.max_frame.",
    ),
    Requirement(
        "R2",
        "takes frames in pieces and several at once",
        "Gather what arrives in a buffer, and cut frames from it as long as one is complete; a "
        "read may bring half a length or three frames.",
    ),
    Requirement(
        "R3",
        "ignores keys that it does not know",
        "Read the keys you need by name, and let the others be, in maps within messages too.",
    ),
    Requirement(
        "R4",
        "ignores messages of a type that it does not know",
        "Let the branch for any other type do nothing, also while you wait for a certain answer.",
    ),
    Requirement(
        "R5",
        "takes nil for an absent key, any order of keys and any form of a value",
        "Treat nil like a missing key, look keys up by name, and leave the reading of numbers, "
        "strings and maps to a complete msgpack library.",
    ),
    Requirement(
        "R6",
        "refuses a length that it is not ready to hold",
        "Compare the four bytes of length with your hello's max_frame (1 MiB without) before you "
        "read on, and close the connection if they say more.",
    ),
    Requirement(
        "R7",
        "sends hello first, and once",
        "Send one good hello as soon as you are connected, within 5 s, before anything else.",
    ),
    Requirement(
        "R8",
        "uses the name in welcome.bot and keeps its token",
        "Send the token in POLYNYA_TOKEN, or the token of the last welcome, in each hello, and  "
        "from then on the name that welcome.bot says.",
    ),
    Requirement(
        "R9",
        "answers each ping with a pong of the same nonce",
        "Echo the nonce as it came: integers of 64 bits, signed and unsigned, and str; also in the "
        "middle of a turn.",
    ),
    Requirement(
        "R10",
        "stays away when it is told that it was replaced",
        'End, or wait for a person, after a goodbye with the reason "replaced": otherwise two '
        "copies of your bot throw each other out for ever.",
    ),
    Requirement(
        "R11",
        "keeps matches apart",
        "Keep what you know of a match under its id; one may start while another waits for you.",
    ),
    Requirement(
        "R12",
        "stays connected after match_over",
        "Wait for the next message after match_over; the next match comes on the same connection.",
    ),
    Requirement(
        "R13",
        "answers every match_start with ready",
        "Send ready with the match's id within 10 s; do long preparations when the program starts.",
    ),
    Requirement(
        "R14",
        "answers each turn with one move of the same match and turn",
        "Copy match and turn from the turn that you answer, and answer it once.",
    ),
    Requirement(
        "R15",
        "moves before the time is over",
        "Look at the clock while you think, and stop well before remaining_ms have passed.",
    ),
    Requirement(
        "R16",
        "plays whole legal turns",
        'Take steps from turn.legal (wants: "legal") and ask with steps what may follow, until '
        "turn_over; or compare your rules with 'polynya trace'.",
    ),
    Requirement(
        "R17",
        "keeps info to a map of at most 1,024 bytes",
        "Shorten the remarks before they are sent; they count as msgpack.",
    ),
    Requirement(
        "R18",
        "plays on when another player has forfeited",
        "Let only match_over end a match; the forfeiter is in forfeited.seat.",
    ),
    Requirement(
        "R19",
        "goes on after an error that is not fatal",
        "End only if error.fatal is true; else what you sent had no effect, and all goes on. Where "
        "you wait for an answer, look at the error's match and turn: it may be about another.",
    ),
    Requirement(
        "R20",
        "does not come back at once after a fatal error",
        "Show error.message to a person and end, or wait for some seconds at least.",
    ),
    Requirement(
        "R21",
        "comes back with name and token, waiting longer after each attempt",
        "Double the pause after each attempt that fails, from a tenth of a second or so; an "
        "attempt has failed until the welcome is there.",
    ),
    Requirement(
        "R22",
        "goes on from a match_resume",
        "Treat match_resume like a match_start that needs no ready: forget what you knew, and take "
        "state, seat and seq from it.",
    ),
    Requirement(
        "R23",
        "does not send the move of before again",
        "Forget what you were about to send when the connection is lost; answer the turn that "
        "comes after match_resume.",
    ),
    Requirement(
        "R24",
        "as a spectator takes match_resume at any time",
        "Replace all you know of the match by the contents of match_resume.",
    ),
    Requirement(
        "R25",
        "goes on after a notice",
        "Print notice.message for yourself and do nothing else, for every code.",
    ),
    Requirement(
        "R26",
        "loses no match by a remark",
        "Play on after the error too_large: the info is dropped, and the move counts. Where info "
        "cannot be written, send the move without it.",
    ),
    Requirement(
        "R27",
        "comes back, with jitter, to a server that is full, restarted, or not there yet",
        "Try again after server_full, shutting_down (goodbye or error) and a failed connection, "
        "the first one too; shorten each pause at random, by up to a half.",
    ),
    Requirement(
        "R28",
        "stays away when it was replaced, or the contest is finished",
        'End after a goodbye with the reason "replaced" (exit code 76) or "finished" (0).',
    ),
    Requirement(
        "R29",
        "says goodbye on SIGTERM",
        "Handle SIGTERM: send goodbye, and end.",
    ),
    Requirement(
        "R30",
        "keeps its token for its next start",
        "Write the token of a welcome to a file (POLYNYA_TOKEN_FILE, if it is set) before you do "
        "anything else, and send it in the hello of the next start.",
    ),
    Requirement(
        "R31",
        "tries the addresses of POLYNYA_HOST in turn",
        "Split POLYNYA_HOST at its commas, take POLYNYA_PORT where an address has no port, and try "
        "the next address when a connection fails or a server has said goodbye.",
    ),
)

BY_NUMBER = {requirement.number: requirement for requirement in REQUIREMENTS}


class Verdict(enum.Enum):
    """Outcome for one requirement, least serious first."""

    NOT_APPLICABLE = "not applicable"
    """The requirement does not apply to this peer."""
    NOT_EXERCISED = "not exercised"
    """The check could not observe it; the sentence says why."""
    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"


_WEIGHT = {verdict: weight for weight, verdict in enumerate(Verdict)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict.

    Attributes:
        subject: the requirement's number, or the paragraph.
        verdict: the outcome.
        scenario: the name of the scenario that found it.
        sentence: what happened; may be empty for a pass.
    """

    subject: str
    verdict: Verdict
    scenario: str
    sentence: str = ""


def overall(subjects: Iterable[str], findings: Sequence[Finding]) -> list[Finding]:
    """Reduce findings to the most serious one per subject, in subject order; ties go to the first.

    A subject without findings counts as not exercised.
    """
    return [_weightiest(subject, findings) for subject in subjects]


def _weightiest(subject: str, findings: Sequence[Finding]) -> Finding:
    about = [finding for finding in findings if finding.subject == subject]
    if not about:
        return Finding(subject, Verdict.NOT_EXERCISED, "", "nothing came to test it")
    return max(about, key=lambda finding: _WEIGHT[finding.verdict])
