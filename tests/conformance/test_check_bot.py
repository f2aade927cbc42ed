"""``polynya check --bot``: each requirement that a bot does not meet is found, by its number."""

import json
import re
import sys
from pathlib import Path

import pytest
import trio
import trio.testing
from tests.folders import DOCS

from polynya_app.application import run
from polynya_conformance.bot.bot_check import SCENARIOS, check_bot
from polynya_conformance.bot.match_scenarios import PLAIN_MATCH
from polynya_conformance.bot.scripted_match import Rules, Table
from polynya_conformance.peer import Inconclusive, Peer
from polynya_conformance.requirements import BY_NUMBER, REQUIREMENTS, Finding, Verdict
from polynya_contest.config.builtin_bots import BotCommand, builtin_command
from polynya_games import load

FAULTY_BOT = Path(__file__).with_name("faulty_bot.py")
PROTOCOL = DOCS / "protocol.md"
PATIENT_MS, HURRIED_MS = 3_000, 50
AT_ONCE = 4

FAULTS = [
    ("bin", "R1"),
    ("fractions", "R1"),
    ("whole reads", "R2"),
    ("strict keys", "R3"),
    ("strict types", "R4"),
    ("nil is a value", "R5"),
    ("counts ratings", "R5"),
    ("any length", "R6"),
    ("ping before hello", "R7"),
    ("hello twice", "R7"),
    ("protocol 2", "R7"),
    ("no token", "R8"),
    ("forgets its token", "R8"),
    ("own name", "R8"),
    ("no pong", "R9"),
    ("pong in words", "R9"),
    ("never replaced", "R10 R28"),
    ("latest match", "R11"),
    ("one match", "R12"),
    ("not ready", "R13"),
    ("another turn", "R14"),
    ("twice", "R14"),
    ("illegal", "R16"),
    ("talks", "R17"),
    ("lists", "R17"),
    ("mourns", "R18"),
    ("every error ends", "R19"),
    ("hurries back", "R20"),
    ("steady pauses", "R21"),
    ("no memory, no match", "R22"),
    ("moves again", "R23"),
    ("alarmed", "R25"),
    ("sulks", "R26"),
    ("waits for no server", "R27"),
    ("full is full", "R27"),
    ("goodbye is goodbye", "R27"),
    ("silent is for good", "R27"),
    ("knows all words", "R27"),
    ("with the crowd", "R27"),
    ("never finished", "R28"),
    ("dies silently", "R29"),
    ("starts as a stranger", "R30"),
    ("one address", "R31"),
    ("faithful", "R31"),
]


def command(*fault: str) -> BotCommand:
    return BotCommand((sys.executable, str(FAULTY_BOT), *fault), {})


def rules(game: str = "packeis", move_ms: int = PATIENT_MS) -> Rules:
    return Rules(load(game), players=2, move_ms=move_ms)


def with_verdict(findings: list[Finding], verdict: Verdict) -> list[str]:
    return [finding.subject for finding in findings if finding.verdict is verdict]


@pytest.mark.parametrize(
    ("bot", "game", "unseen"),
    [(command(), "packeis", ["R17", "R26"]), (builtin_command("random"), "icecult", [])],
    ids=["one that sends no info", "one that does"],
)
async def test_good_bot_fails_nothing(bot: BotCommand, game: str, unseen: list[str]) -> None:
    findings = await check_bot(bot, rules(game))
    assert [finding.subject for finding in findings] == [r.number for r in REQUIREMENTS]
    assert [f for f in findings if f.verdict is Verdict.FAIL] == []
    assert with_verdict(findings, Verdict.NOT_EXERCISED) == unseen


@pytest.fixture(scope="module")
def failures() -> dict[str, list[str]]:
    """What each faulty bot fails; they are checked beside each other, for most of it is waiting."""
    found: dict[str, list[str]] = {}
    places = trio.CapacityLimiter(AT_ONCE)

    async def check(fault: str, numbers: str) -> None:
        wanted = {*numbers.split()}
        about_it = [scenario for scenario in SCENARIOS if wanted & {*scenario.requirements}]
        async with places:
            findings = await check_bot(command(fault), rules(), scenarios=about_it)
        found[fault] = with_verdict(findings, Verdict.FAIL)

    async def check_all() -> None:
        async with trio.open_nursery() as nursery:
            for fault, numbers in FAULTS:
                nursery.start_soon(check, fault, numbers)

    trio.run(check_all)
    return found


@pytest.mark.parametrize(("fault", "numbers"), FAULTS)
def test_fault_is_found_by_its_number(
    fault: str, numbers: str, failures: dict[str, list[str]]
) -> None:
    assert failures[fault] == numbers.split()


async def test_match_that_ends_too_soon_says_nothing_about_a_bot() -> None:
    game = rules("packeis")
    table = Table(Peer(trio.testing.memory_stream_pair()[0]), game)  # type: ignore[arg-type]
    while not table.over:
        table.state = table.state.apply(table.state.legal_steps()[0])
    with pytest.raises(Inconclusive, match="over too soon"):
        await table.ask()


async def test_late_bot_is_late() -> None:
    findings = await check_bot(command("late"), rules(move_ms=HURRIED_MS), scenarios=[])
    assert with_verdict(findings, Verdict.FAIL) == ["R15"]


async def test_bot_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text('raise SystemExit("no \\x1b[31mport")')
    findings = await check_bot(BotCommand((sys.executable, str(program)), {}), rules())
    assert [(f.subject, f.sentence) for f in findings if f.verdict is Verdict.FAIL] == [
        ("R7", "it ended with exit code 1 and did not connect; it wrote: no ?[31mport")
    ]


def test_bot_that_never_starts_is_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "bot.py"
    program.write_text('raise SystemExit("no port")')
    assert run(["check", "--bot", f"{sys.executable} {program}"]) == 1
    failure, advice, rest = capsys.readouterr().out.splitlines()
    assert "it ended with exit code 1 and did not connect; it wrote: no port" in failure
    assert advice == BY_NUMBER["R7"].advice
    assert rest == "nothing else could be tried"


def test_every_requirement_of_the_protocol_has_a_scenario_or_a_word() -> None:
    documented = re.findall(r"^- \*\*(R\d+)\*\*", PROTOCOL.read_text("utf-8"), re.MULTILINE)
    tested = {number for scenario in (PLAIN_MATCH, *SCENARIOS) for number in scenario.requirements}
    assert [requirement.number for requirement in REQUIREMENTS] == sorted(
        documented, key=lambda number: int(number[1:])
    )
    assert tested == set(documented)


def test_every_requirement_that_can_be_missed_is_missed_by_a_fault() -> None:
    never = {"R15", "R24"}  # tested above; asks nothing of players
    found = {number for _, numbers in FAULTS for number in numbers.split()}
    assert found == {r.number for r in REQUIREMENTS} - never


def test_failing_bot_is_exit_code_1_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--bot", f"{sys.executable} {FAULTY_BOT} illegal"]) == 1
    shown = capsys.readouterr().out
    assert 'turn 2: step 0: ["fly", 1]' in shown
    assert "R16: Take steps from turn.legal" in shown


def test_json_has_a_verdict_for_each_requirement(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--bot", f"{sys.executable} {FAULTY_BOT} illegal", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert {row["subject"]: row["verdict"] for row in document} == {
        **{requirement.number: "not exercised" for requirement in REQUIREMENTS},
        "R8": "pass",
        "R13": "pass",
        "R16": "fail",
        "R24": "not applicable",
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give a server's address, tcp://HOST:PORT, or a bot with --bot"),
        (["tcp://127.0.0.1:1", "--bot", "random"], "give a server's address"),
        (["127.0.0.1:4242"], "an address is written tcp://HOST:PORT, not '127.0.0.1:4242'"),
        (["tcp://127.0.0.1:99999"], "an address is written tcp://HOST:PORT"),
        (["tcp://127.0.0.1:1", "--name", "ada"], "--name and --token belong together"),
        (["--bot", "random", "--game", "chess"], "no game 'chess' is installed"),
        (["--bot", "random", "--players", "7"], "Packeis am Pol is for 2 to 4 players"),
        (["--bot", "no-such-bot"], "neither a built-in bot nor a command"),
    ],
)
def test_bad_arguments_are_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", *arguments]) == 2
    assert sentence in capsys.readouterr().err
