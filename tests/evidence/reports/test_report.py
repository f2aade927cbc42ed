"""``polynya tournament report``: the same figures for terminals, programs and browsers."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as Tree

import msgspec
import pytest
from tests.scripted.scripted_referee import ScriptedBlocks, ScriptedReferee

from polynya_app.application import run
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.brackets.bracket import knockout_bracket
from polynya_evidence.analysis import BotEstimate, Interval
from polynya_evidence.reports.bracket_plot import bracket_plot
from polynya_evidence.reports.contents import Forfeit, Report, report_of
from polynya_evidence.reports.data_tables import data_tables, write_csv
from polynya_evidence.reports.evidence import evidence_of
from polynya_evidence.reports.page import page
from polynya_evidence.reports.plots import (
    MOST_LINES,
    NARROW,
    WIDE,
    history_plot,
    ratings_plot,
)
from polynya_evidence.reports.tables import tables
from polynya_protocol.messages import Clock
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.scheduler import Scheduler

NAMES = ("ann", "bob", "cid")
QUICK = ("--option", "turn_limit=2", "--game", "icecult", "--move-ms", "60000")
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
)
HOSTILE = "</td><script>alert(1)</script>\x1b[31m &amp;"


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.fixture(scope="module")
def reported(recorded: Path) -> Report:
    with Store.open(recorded) as store:
        (tournament,) = store.tournaments.all()
        return report_of(evidence_of(store, tournament.name))


def forfeited(report: Report, detail: str) -> Report:
    lost = Forfeit("m-1", "greedy", 0, "illegal_move", detail)
    return dataclasses.replace(report, forfeits=(lost,))


def test_the_report_has_every_match_with_its_seed_and_result(reported: Report) -> None:
    assert [pairing.number for pairing in reported.pairings] == [1, 2]
    assert {pairing.state for pairing in reported.pairings} == {"played"}
    assert len({pairing.seed for pairing in reported.pairings}) == 1
    assert all(pairing.ranking is not None for pairing in reported.pairings)
    assert sum(bot.points for bot in reported.analysis.bots) == 2


def test_every_match_has_the_ratings_before_and_after_it(recorded: Path, reported: Report) -> None:
    with Store.open(recorded) as store:
        present = {row.bot: row.rating for row in store.ratings.find()}
    first, second = (pairing.online for pairing in reported.pairings)
    assert [(step.before.rating, step.before.games) for step in first] == [(1500, 0), (1500, 0)]
    assert [step.before for step in second] == [step.after for step in reversed(first)]
    last = reported.pairings[-1]
    assert present == dict(zip(last.players, (step.after.rating for step in second), strict=True))
    assert present == {row.name: row.rating for row in reported.standings.rows}


def test_games_before_count_earlier_tournaments_too(tmp_path: Path) -> None:
    database = tmp_path / "two.sqlite"
    for _ in range(2):
        assert run(["match", "random", "random", *QUICK, "--database", str(database)]) == 0
    with Store.open(database) as store:
        _, later = store.tournaments.all()
        steps = report_of(evidence_of(store, later.name)).pairings[0].online
        assert [step.before.games for step in steps] == [2, 2]


async def test_seed_is_shown_when_all_its_matches_have_been_played(
    store: Store, journal: StoreJournal
) -> None:
    rounds = RoundDrawer(CUP, journal, Reporter())
    await rounds.begin()
    assert all(pairing.seed is None for pairing in report_of(evidence_of(store, "cup")).pairings)
    referee = ScriptedReferee(journal, NAMES)
    cup = msgspec.structs.replace(CUP, absent="open")
    dispatcher = Scheduler(cup, rounds, ScriptedBlocks(referee), journal, Reporter())
    dispatcher.set_aside("cid", "bot cid ended by itself")
    await dispatcher.run()
    told = {
        "cid" not in p.players: p.seed is not None
        for p in report_of(evidence_of(store, "cup")).pairings
    }
    assert told == {True: True, False: False}


def test_json_has_all_of_the_report(
    recorded: Path, reported: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "report", "--database", str(recorded), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(json.dumps(dataclasses.asdict(reported)))


def test_the_terminal_has_tables_without_the_long_ones(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "report", "--database", str(recorded)]) == 0
    shown = capsys.readouterr().out
    assert "95 % from" in shown
    assert "Crosstable" in shown
    assert "All matches" not in shown


def csv_rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_csv_files_have_every_table(recorded: Path, reported: Report, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    assert run(["tournament", "report", "--database", str(recorded), "--csv", str(folder)]) == 0
    expected = {f"{table.name}.csv": len(table.rows) for table in data_tables(reported)}
    assert expected == {file.name: len(csv_rows(file)) for file in folder.iterdir()}


def test_csv_has_a_line_for_each_seat_of_a_match(reported: Report, tmp_path: Path) -> None:
    write_csv(tmp_path, data_tables(reported))
    expected = [
        (pairing.number, seat, bot, (pairing.ranking or ())[seat], (pairing.scores or ())[seat])
        for pairing in reported.pairings
        for seat, bot in enumerate(pairing.players)
    ]
    rows = csv_rows(tmp_path / "match_seats.csv")
    assert expected == [
        (int(r["number"]), int(r["seat"]), r["bot"], int(r["rank"]), int(r["score"])) for r in rows
    ]


def test_csv_has_numbers_without_units(reported: Report, tmp_path: Path) -> None:
    write_csv(tmp_path, data_tables(reported))
    names = {"bot", "other", "opponent"}
    values = [
        float(value)
        for table in ("standings", "pairs", "superiority", "seats")
        for row in csv_rows(tmp_path / f"{table}.csv")
        for column, value in row.items()
        if column not in names and value
    ]
    assert len(values) > 20


def test_csv_has_an_open_end_as_an_empty_cell(reported: Report, tmp_path: Path) -> None:
    write_csv(tmp_path, data_tables(with_interval(reported, 1500.0, None)))
    first = csv_rows(tmp_path / "standings.csv")[0]
    assert (first["rating_low"], first["rating_high"]) == ("1500.0", "")


def test_what_is_rounded_to_zero_has_no_sign(reported: Report) -> None:
    pairs = tuple(
        dataclasses.replace(pair, points=1.0, expected=1.04) for pair in reported.analysis.pairs
    )
    rounded = dataclasses.replace(
        reported, analysis=dataclasses.replace(reported.analysis, pairs=pairs)
    )
    shown = next(table for table in tables(rounded) if table.name == "pairs")
    difference = shown.columns.index(">difference")
    assert {row[difference] for row in shown.rows} == {"0.0"}


@pytest.mark.parametrize(("value", "noted"), [(1000.0, True), (2000.0, False)])
def test_ratings_that_contradict_the_places_are_explained(
    reported: Report, value: float, noted: bool
) -> None:
    first = reported.standings.rows[0].name
    bots = tuple(
        dataclasses.replace(bot, rating=Interval(value, 0.0, 3000.0)) if bot.name == first else bot
        for bot in reported.analysis.bots
    )
    places = tuple(
        dataclasses.replace(row, place=place)
        for place, row in enumerate(reported.standings.rows, start=1)
    )
    changed = dataclasses.replace(
        reported,
        analysis=dataclasses.replace(reported.analysis, bots=bots),
        standings=dataclasses.replace(reported.standings, rows=places),
    )
    assert noted == ("in another order" in tables(changed)[0].note)


def test_table_shows_the_deciding_tie_breaks(reported: Report) -> None:
    rows = tuple(
        dataclasses.replace(row, figures={"direct_encounter": 2.5, "out_in": "final"})
        for row in reported.standings.rows
    )
    decided = dataclasses.replace(reported.standings, rows=rows)
    standings = tables(dataclasses.replace(reported, standings=decided))[0]
    assert standings.columns[2:5] == (">points", ">direct encounter", ">out in")
    assert [row[3:5] for row in standings.rows] == [("2.5", "final")] * 2


def test_spreadsheets_find_no_formulas_in_csv_files(reported: Report, tmp_path: Path) -> None:
    write_csv(tmp_path, data_tables(forfeited(reported, "=1+1")))
    assert "'=1+1" in (tmp_path / "forfeits.csv").read_text(encoding="utf-8")


def test_the_page_is_one_file_that_loads_nothing(reported: Report) -> None:
    tags = Page(page(reported)).tags
    assert not {"script", "link", "iframe", "object", "base"} & {tag for tag, _ in tags}
    assert "style" not in {name for _, attributes in tags for name in attributes}
    sources = [a[name] or "" for _, a in tags for name in ("src", "href") if name in a]
    assert [source.partition(":")[0] for source in sources] == ["data"] * len(sources)


def test_the_pages_policy_allows_its_one_style_and_nothing_else(reported: Report) -> None:
    text = page(reported)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policies = [a["content"] for _, a in Page(text).tags if "http-equiv" in a]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{known}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    ]


def test_the_page_shows_ratings_with_intervals_and_over_time(reported: Report) -> None:
    images = [attributes["alt"] for tag, attributes in Page(page(reported)).tags if tag == "img"]
    assert images == ["Ratings with 95 % intervals", "Online ratings, match by match"]


def test_page_begins_with_the_winner_and_the_table(reported: Report) -> None:
    text = page(reported)
    first = reported.standings.rows[0]
    assert f'<p class="winner">Winner: {first.name} with {first.points:g} points</p>' in text
    assert text.index('class="winner"') < text.index("<table") < text.index("<h2>Ratings")


def test_report_of_an_unfinished_tournament_names_no_winner(reported: Report) -> None:
    begun = dataclasses.replace(reported.standings, over=False)
    assert 'class="winner"' not in page(dataclasses.replace(reported, standings=begun))


def test_bracket_stands_before_the_table_of_a_knockout(reported: Report) -> None:
    names = [row.name for row in reported.standings.rows]
    knockout = dataclasses.replace(
        reported, bracket=knockout_bracket(len(names), 2), seeds=tuple(names)
    )
    images = [attributes["alt"] for tag, attributes in Page(page(knockout)).tags if tag == "img"]
    said = [one.text for one in Tree.fromstring(bracket_plot(knockout)).iter()]  # noqa: S314
    assert images[0] == "Bracket"
    assert b'class="value"' not in bracket_plot(knockout)  # it fills what a line surrounds
    assert set(names) <= set(said)


def test_table_without_lines_is_left_out(reported: Report) -> None:
    unforfeited = page(dataclasses.replace(reported, forfeits=()))
    assert "Forfeits</h2>" not in unforfeited
    assert "None." not in unforfeited


def test_ratings_over_time_are_left_out_where_no_match_is_rated(reported: Report) -> None:
    unrated = tuple(dataclasses.replace(one, online=()) for one in reported.pairings)
    tags = Page(page(dataclasses.replace(reported, pairings=unrated))).tags
    assert [tag for tag, _ in tags].count("img") == 1


def test_the_same_report_is_the_same_page(reported: Report) -> None:
    assert page(reported) == page(reported)


def test_drawings_of_many_bots_with_odd_names_are_drawings(reported: Report) -> None:
    names = [f"_{number}.$x^" for number in range(25)]
    step = reported.pairings[0].online[0]
    many = [
        dataclasses.replace(reported.pairings[0], number=number, players=(name,), online=(step,))
        for number, name in enumerate(names, start=1)
    ]
    for width in (NARROW, WIDE):
        drawing = Tree.fromstring(history_plot(names, many, width))  # noqa: S314
        said = [one.text for one in drawing.iter() if one.text in names]
        assert sorted(said, key=names.index) == names[:MOST_LINES]


def with_interval(report: Report, low: float | None, high: float | None) -> Report:
    """The report, with this interval of the first bot of its table, rated 1800."""
    first = report.standings.rows[0].name
    bots = tuple(
        dataclasses.replace(bot, rating=Interval(1800.0, low, high)) if bot.name == first else bot
        for bot in report.analysis.bots
    )
    return dataclasses.replace(report, analysis=dataclasses.replace(report.analysis, bots=bots))


def test_open_interval_is_an_empty_cell_with_a_note(reported: Report) -> None:
    standings = tables(with_interval(reported, 1500.0, None))[0]
    start = standings.columns.index(">95 % from")
    assert standings.rows[0][start : start + 2] == ("1500", None)
    assert "at least" in standings.note


def test_open_interval_is_drawn_dotted(reported: Report) -> None:
    closed, half_open = (
        ratings_plot(with_interval(reported, 1500.0, high).analysis.bots).count(b"dasharray")
        for high in (2000.0, None)
    )
    assert half_open > closed


def test_drawings_are_the_same_bytes_on_every_machine() -> None:
    bots = [
        BotEstimate("anna", Interval(1612.34, 1560.5, None), 3.0, 2.5, 4),
        BotEstimate("bruno", Interval(1387.66, 1300.0, 1433.3), 1.0, 1.5, 4),
    ]
    expected = Path(__file__).with_name("ratings.svg").read_bytes()
    assert expected == ratings_plot(bots, NARROW) + b"\n"


def test_text_of_bots_stays_text(reported: Report) -> None:
    hostile = Page(page(forfeited(reported, HOSTILE)))
    assert "</td><script>alert(1)</script>" in hostile.said
    assert "\x1b" not in hostile.said
    assert "script" not in {tag for tag, _ in hostile.tags}


def test_the_page_is_written_where_it_was_asked_for(recorded: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert run(["tournament", "report", "--database", str(recorded), "--html", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_folder_that_is_not_there_is_a_sentence(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "nowhere" / "report.html"
    assert run(["tournament", "report", "--database", str(recorded), "--html", str(file)]) == 1
    assert f"{file} cannot be written: No such file or directory" in capsys.readouterr().err
