"""Templates of programs that read lines: what they print, and which steps answers mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polynya_common.errors import ConfigurationError
from polynya_foreign.adapters.answer_patterns import Pattern
from polynya_foreign.adapters.line_template import LineTemplate
from polynya_foreign.adapters.template_text import TemplateError, Text, value_at

SCOPE: dict[str, Any] = {
    "seat": 1,
    "players": ["ada", "bob"],
    "state": {
        "hands": [[7, 9], [1, 2, 3]],
        "by_name": {"N": [1], "S": []},
        "grid": "ab\ncd\n",
        "to_move": None,
        "out": [True, False],
        "name": "x\x1b[2J\ny",
    },
    "legal": [["move", 1, 2], ["pass"]],
}


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("{seat} {count players}\n", "1 2\n"),
        ("{state.hands[seat]}", "1 2 3"),
        ("{state.hands[0]} {state.hands.1.2}", "7 9 3"),
        ("{for step in legal}\n{step}\n{end}\n", "move 1 2\npass\n"),
        ("{for n, step in legal}\n{n}:{step.0}\n{end}\n", "0:move\n1:pass\n"),
        ("{for way, cells in state.by_name}\n{way} {count cells}\n{end}", "N 1\nS 0\n"),
        ("{for row in state.grid}\n{row}\n{end}\n", "ab\ncd\n"),
        ("{for hand in state.hands}{for card in hand}<{card}>{end};{end}", "<7><9>;<1><2><3>;"),
        ("  {for hand in state.hands}\n{count hand}\n  {end}\n.", "2\n3\n."),
        ("{state.to_move} {state.out}", "- 1 0"),
        ("{state.name}", "x [2J y"),
        ("", ""),
    ],
)
def test_text_prints_fields_and_loops(source: str, printed: str) -> None:
    assert Text(source).render(SCOPE, "-") == printed


@pytest.mark.parametrize(
    "source",
    [
        "{", "}", "{}", "{ seat }", "{seat", "{{seat}}", "{seat\n}", "{end}", "{for x in legal}",
        "{for x of legal}{end}", "{for in legal}{end}", "{count}", "{seat()}", "{seat+1}",
        "{state.__class__.}", "{state[}", "{state['x']}", "{1}", "{import os}",
        "{for x in legal}" * 10 + "{end}" * 10,
    ],
)  # fmt: skip
def test_text_of_another_form_is_refused(source: str) -> None:
    with pytest.raises(TemplateError):
        Text(source)


@pytest.mark.parametrize(
    "source",
    [
        "{nothing}", "{state.nothing}", "{state.hands.9}", "{state.hands[players]}", "{state}",
        "{state.hands}", "{for x in seat}{end}", "{count seat}", "{seat.real}", "{state.__class__}",
        "{players.append}", "{state.hands[state.to_move]}", "{state.hands[state.out.0]}",
    ],
)  # fmt: skip
def test_name_of_nothing_that_can_be_printed_is_named(source: str) -> None:
    with pytest.raises(TemplateError) as error:
        Text(source).render(SCOPE, "-")
    assert str(error.value).isprintable()


def test_text_without_end_is_cut_off() -> None:
    source = "{for a in it}{for b in it}{for c in it}x{end}{end}{end}"
    with pytest.raises(TemplateError, match="longer than"):
        Text(source).render({"it": list(range(1_000))}, "-")


def test_path_reads_no_attributes() -> None:
    with pytest.raises(TemplateError):
        value_at("state.keys", SCOPE)


@pytest.mark.parametrize(
    ("line", "step", "said", "meant"),
    [
        ("place {cell:int}", ["place", "{cell}"], "place 7", ["place", 7]),
        ("place {cell:int}", ["place", "{cell}"], "place   -7", ["place", -7]),
        ("{x:int}", "legal[x]", "1", ["pass"]),
        ("{x:int},{y:int}", ["go", "{y}", "{x}", 5], "3,4", ["go", 4, 3, 5]),
        ("{a:word} {b:word}", ["play", "{a}-{b}"], "x y", ["play", "x-y"]),
        ("say {what:text}", ["pass"], "say a b  c", ["pass"]),
        ("a.b", ["pass"], "axb", None),
        ("place {cell:int}", ["place", "{cell}"], "place x", None),
        ("place {cell:int}", ["place", "{cell}"], "place 7 8", None),
        ("place {cell:int}", ["place", "{cell}"], "place 1_000", None),
        ("place {cell:int}", ["place", "{cell}"], "place ٣", None),
        ("place {cell:int}", ["place", "{cell}"], "place " + "9" * 16, None),
        ("place {cell:int}", ["place", "{cell}"], "", None),
    ],
)
def test_pattern_reads_typed_fields_into_a_step(
    line: str, step: str | list[str | int], said: str, meant: list[Any] | None
) -> None:
    assert Pattern(line, step).step(said, SCOPE) == meant


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("{a}", ["x"]), ("{a:float}", ["x"]), ("{a:int} {a:int}", ["x"]), ("{a:int}", ["{b}"]),
        ("{a:text} b {c:int}", ["x"]), ("{a:int}{b:int}", ["x"]), ("x", []), ("x", "legal["),
        ("{a:int", ["x"]), ("x", "__import__('os')"),
    ],
)  # fmt: skip
def test_pattern_of_another_form_is_refused(line: str, step: str | list[str | int]) -> None:
    with pytest.raises(TemplateError):
        Pattern(line, step)


@pytest.mark.parametrize("path", ["legal[9]", "seat", "nothing"])
def test_path_to_no_step_is_named(path: str) -> None:
    with pytest.raises(TemplateError):
        Pattern("{x:int}", path).step("1", SCOPE)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "turn"),
        ("turn = ''\nanswer = []", "forms"),
        ("turn = '{'\nanswer = [{line = 'x', step = ['x']}]", "brace"),
        ("turn = ''\nanswer = [{line = '{x}', step = ['x']}]", "NAME:KIND"),
        ("turn = ''\nanswer = [{line = 'x', step = ['x'], code = 'y'}]", "code"),
        ("turn = ''\nanswer = [{line = 'x', step = ['x']}]\nrun = 'y'", "run"),
        ("turn = 3\nanswer = [{line = 'x', step = ['x']}]", "turn"),
        ("turn", "TOML|turn"),
    ],
)
def test_file_of_another_form_is_refused_by_name(
    content: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(content)
    with pytest.raises(ConfigurationError, match=sentence) as error:
        LineTemplate(path)
    assert "bot.toml" in str(error.value)


def test_line_of_several_steps_is_divided_by_the_separator(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(
        "turn = ''\nseparator = ';'\n[[answer]]\nline = 'go {x:int}'\nstep = ['go', '{x}']\n"
    )
    template = LineTemplate(path)
    assert list(template.steps("go 1; go 2", SCOPE)) == [["go", 1], ["go", 2]]
    with pytest.raises(TemplateError, match="more than 256"):
        list(template.steps("go 1;" * 300, SCOPE))
