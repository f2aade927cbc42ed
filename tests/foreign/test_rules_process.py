"""What a pool of rules processes compares, and what it tells of a failure."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.foreign.rules_programs import game_of
from tests.scripted.race import RACE

from polynya_foreign import rules_process
from polynya_foreign.process_check import check_processes
from polynya_games import InvalidOption, RulesFailed
from polynya_games.checks import check_game

MOODY = """
count = 0

def change(question, answer):
    global count
    count += 1
    return {**answer, "scores": [%s, 0]}

main(change)
"""
"""A program whose answers differ; the first score of each is yet to be written."""


def test_answer_that_differs_from_an_earlier_one_fails_the_rules(tmp_path: Path) -> None:
    game = game_of(tmp_path, MOODY % "os.getpid()", "workers = 1")
    game.setup(2, 0)
    game.pool.close()  # the next question is asked of another process
    with pytest.raises(RulesFailed, match="differs from an earlier one to the same question"):
        game.setup(2, 0)


def test_new_process_that_answers_as_before_mends_a_different_answer(tmp_path: Path) -> None:
    game = game_of(tmp_path, MOODY % "count")
    state = game.setup(2, 0)
    again = game.setup(2, 0)
    assert again.to_json() == state.to_json()
    assert again.facts.scores == state.facts.scores == (1, 0)


def test_steps_of_equal_positions_are_compared(tmp_path: Path) -> None:
    statements = MOODY % 'os.getpid() if question["ask"] == "apply" else 0'
    game = game_of(tmp_path, statements)
    first, second = game.setup(2, 0), game.setup(2, 0)
    first.apply(["take", 1])
    game.pool.close()
    with pytest.raises(RulesFailed, match="differs"):
        second.apply(["take", 1])


def test_position_remembers_the_next_one_and_asks_nothing(tmp_path: Path) -> None:
    game = game_of(tmp_path, MOODY % "count")
    state = game.setup(2, 0)
    assert state.apply(["take", 1]) is state.apply(["take", 1])


def test_other_words_of_a_refusal_are_no_difference(tmp_path: Path) -> None:
    statements = 'main(lambda question, answer: {"error": str(os.getpid())})'
    game = game_of(tmp_path, statements)
    for _ in range(2):
        with pytest.raises(InvalidOption):
            game.setup(2, 0)
        game.pool.close()


def test_oldest_answers_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_process, "MOST_ANSWERED", 2)
    game = game_of(tmp_path, MOODY % "count")
    scores = [game.setup(2, seed).facts.scores for seed in (1, 2, 3, 1)]
    assert scores == [(1, 0), (2, 0), (3, 0), (4, 0)]


def test_failure_has_the_last_lines_of_the_standard_error(tmp_path: Path) -> None:
    statements = """
print("\\x1b[31mred\\n" * 1000, file=sys.stderr)
main(lambda question, answer: {}[question["ask"]])
"""
    with pytest.raises(RulesFailed) as failed:
        game_of(tmp_path, statements).setup(2, 0)
    lines = failed.value.output.splitlines()
    assert "?[31mred" in lines
    assert lines[-1] == "KeyError: 'set_up'"
    assert len(lines) <= 12
    assert "KeyError" not in str(failed.value)


def test_program_that_writes_errors_without_end_is_ended(tmp_path: Path) -> None:
    statements = """
while True:
    os.write(2, b"x" * 65536)
"""
    with pytest.raises(RulesFailed, match="silent") as failed:
        game_of(tmp_path, statements, "answer_s = 1.5").setup(2, 0)
    assert failed.value.output.startswith("xxx")
    assert len(failed.value.output) < 300


def test_check_of_a_game_shows_what_its_program_wrote(tmp_path: Path) -> None:
    statements = 'main(lambda question, answer: sys.exit("no rules today"))'
    findings = check_game(game_of(tmp_path, statements), [2], 1)
    assert any("its program wrote last: no rules today" in each.sentence for each in findings)


def test_check_finds_rules_that_tell_otherwise_in_another_process(tmp_path: Path) -> None:
    statements = """
letters = sorted({"a", "b", "c", "d", "e", "f", "g", "h"}, key=hash)
main(lambda question, answer: {**answer, "document": {**answer["document"], "order": letters}})
"""
    [finding] = check_processes(game_of(tmp_path, statements), (), {})
    assert not finding.ok
    assert "another process of the rules tells otherwise" in finding.sentence


def test_check_of_two_processes_that_tell_the_same_holds(tmp_path: Path) -> None:
    [finding] = check_processes(game_of(tmp_path, "main()"), (), {})
    assert (finding.ok, finding.sentence) == (True, "5 positions")


def test_game_without_a_rules_process_has_nothing_to_compare() -> None:
    assert check_processes(RACE, (), {}) == []
