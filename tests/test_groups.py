"""The groups that ``python -m tests`` runs."""

from __future__ import annotations

from tests.__main__ import SETS, TESTS, Group, queue, run


def test_groups_of_several_sets_are_queued_longest_first() -> None:
    found = [group.seconds for group in queue(["lint", "languages", "postgresql", "types"])]
    assert found == sorted(found, reverse=True)
    assert len(found) == 5


def test_groups_name_folders_with_tests_and_targets_of_the_makefile() -> None:
    makefile = (TESTS.parent / "Makefile").read_text()
    groups = [group for each in SETS.values() for group in each]
    assert [path for group in groups for path in group.paths if not (TESTS / path).exists()] == []
    targets = [group.target for group in groups if group.target]
    assert [target for target in targets if f"\n{target}:" not in makefile] == []


def test_failed_target_gives_its_status_and_output() -> None:
    result = run(Group(1, target="no-such-target"))
    assert result.status == 2
    assert "no-such-target" in result.output


def test_processor_time_includes_that_of_started_processes() -> None:
    assert run(Group(1, target="help")).processor_s > 0
