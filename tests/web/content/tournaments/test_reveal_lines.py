"""What a reveal says of each place: the figures that decide it."""

from __future__ import annotations

from dataclasses import replace

from polynya_contest.pairing.standings import Standing, Standings
from polynya_web.content.texts import TEXTS
from polynya_web.content.tournaments.reveal_lines import reveal_data


def line(place: int, name: str, score: float, buchholz: float, berger: float) -> Standing:
    figures = {"score": score, "buchholz": buchholz, "sonneborn_berger": berger}
    return Standing(place, name, 8.0, 4, 4, 0, 0, 0, 1500.0, figures)


SWISS = Standings(
    "cup",
    "packeis",
    2,
    8,
    8,
    (
        line(1, "ann", 4.0, 9.0, 8.0),
        line(2, "bob", 3.0, 8.5, 7.0),
        line(3, "cid", 3.0, 7.5, 7.0),
        line(4, "dot", 0.0, 7.0, 6.0),
    ),
    format="swiss",
)


def said(table: Standings) -> list[str]:
    return [one["said"] for one in reveal_data(table, table, ("dot",), TEXTS["en"])["final"]]


def test_place_is_told_with_the_figures_up_to_the_one_that_decides_it() -> None:
    assert said(SWISS) == ["Score 4", "Score 3, Buchholz 8.5", "Score 3, Buchholz 7.5", "Score 0"]


def test_only_figures_that_decide_a_place_are_columns() -> None:
    data = reveal_data(SWISS, SWISS, (), TEXTS["en"])
    assert data["columns"] == ["Score", "Buchholz"]
    assert data["final"][1]["values"] == ["3", "8.5"]


def test_points_decide_before_wins_where_a_format_has_no_figures() -> None:
    rows = tuple(replace(row, figures={}) for row in SWISS.rows[:2])
    rows = (rows[0], replace(rows[1], wins=3))
    table = replace(SWISS, format="round_robin", rows=rows)
    assert said(table) == ["8 points, Wins 4", "8 points, Wins 3"]


def test_bracket_tells_the_round_in_which_a_bot_went_out() -> None:
    outs = ("winner", "final", "semi-finals", "semi-finals")
    places = (1, 2, 3, 3)
    rows = tuple(
        replace(row, place=place, figures={"out": out})
        for row, place, out in zip(SWISS.rows, places, outs, strict=True)
    )
    table = replace(SWISS, format="knockout", rows=rows)
    assert said(table) == ["", "Out in Final", "Out in Semi-finals", "Out in Semi-finals"]


def test_gauntlet_tells_shares_and_has_no_winner() -> None:
    table = replace(SWISS, format="gauntlet")
    data = reveal_data(table, table, ("dot",), TEXTS["en"])
    assert not data["winner"]
    assert data["final"][0]["name"] == "dot"
    assert {one["place"] for one in data["final"]} == {None}
    assert said(table)[0] == "200.0 %"
