"""Tournaments as FIDE's report files: as its columns say, and as an independent reader reads them.

The reader is that of py4swiss, which checks points, opponents, colours and results, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from py4swiss.trf.parsed_trf import ParsedTrf
from py4swiss.trf.trf_parser import TrfParser
from tests.evidence.exchange.random_tournaments import bots, described, play_on

from polynya_common.errors import TournamentError
from polynya_contest.pairing.formats.swiss.swiss_settings import DoubleSwissSettings
from polynya_evidence.exchange.trf import POINTS, trf16, trf26
from polynya_evidence.exchange.trf_contents import trf_contents
from polynya_store import Store, StoreJournal


def read_by_another_program(text: str, folder: Path, rounds: int) -> ParsedTrf:
    """What py4swiss reads; it needs the number of rounds in the form of JaVaFo.

    The days of rounds are left out: it looks for one in every 9 columns, and the document has them
    in every 10.
    """
    lines = [line for line in text.split("\r\n") if not line.startswith(("132", "XXR"))]
    file = folder / "cup.trf"
    file.write_bytes("\r\n".join([*lines, f"XXR {rounds}", ""]).encode())
    return TrfParser.parse(file)


def player_lines(text: str) -> list[str]:
    return [line for line in text.split("\r\n") if line.startswith("001")]


def results(read: ParsedTrf) -> str:
    return "".join(r.result.value for section in read.player_sections for r in section.results)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["swiss", "round_robin"])
async def test_another_program_reads_the_table(
    store: Store, journal: StoreJournal, tmp_path: Path, kind: str, seed: int
) -> None:
    configuration = described(kind, 5 + seed % 4, 4 if kind == "swiss" else 1 + seed % 2)
    await play_on(journal, configuration, seed, most=8)
    gone = msgspec.structs.replace(
        configuration, bots=bots([bot.name for bot in configuration.bots], gone=["bot3"])
    )
    late = msgspec.structs.replace(gone, bots=[*gone.bots, *bots(["late"])], late_entry="half")
    await play_on(journal, late if seed % 3 == 0 else gone, seed + 100)
    found = trf_contents(store, "cup").tournament
    table = {row.name: row for row in store.tournaments.standings("cup").rows}
    for text in (trf16(found), trf26(found)):
        read = read_by_another_program(text, tmp_path, found.rounds)
        sections = {section.name: section for section in read.player_sections}
        assert sections.keys() == table.keys()
        for name, row in table.items():
            points = row.figures["score"] if kind == "swiss" else row.points
            assert (sections[name].points_times_ten, sections[name].rank) == (
                round(10 * float(points)),  # type: ignore[arg-type]
                row.place,
            )


async def test_byes_forfeits_and_withdrawals_are_written_as_such(
    store: Store, journal: StoreJournal, tmp_path: Path
) -> None:
    configuration = described("swiss", 7, 4)
    await play_on(journal, configuration, 3, most=12, missing=0.5)
    gone = msgspec.structs.replace(
        configuration, bots=bots([b.name for b in configuration.bots], ["bot5"])
    )
    await play_on(journal, gone, 4, missing=0.5)
    found = trf_contents(store, "cup").tournament
    read = read_by_another_program(trf16(found), tmp_path, found.rounds)
    sections = {section.name: section for section in read.player_sections}
    assert [r.result.value for r in sections["bot5"].results][2:] == ["Z", "Z"]
    assert sections["bot2"].results[2].result.value == "H"
    assert {"U", "H", "Z", "+", "-", "1", "0"} <= set(results(read))
    assert set(results(read)) <= set(POINTS)


COLUMNS = {
    "tag": (1, 3, "001"),
    "starting rank": (5, 8, "   2"),
    "sex and title": (10, 13, "    "),
    "name": (15, 47, "bot1".ljust(33)),
    "rating": (49, 52, "1500"),
    "federation": (54, 56, "   "),
    "number": (58, 68, " " * 11),
    "birth": (70, 79, " " * 10),
    "points": (81, 84, None),
    "rank": (86, 89, None),
    "first opponent": (92, 95, None),
    "first colour": (97, 97, None),
    "first result": (99, 99, None),
    "second opponent": (102, 105, None),
    "second result": (109, 109, None),
}
"""Of a record 001, as FIDE's document numbers them, from 1; with what the second player has."""


async def test_the_columns_are_those_of_the_document(store: Store, journal: StoreJournal) -> None:
    await play_on(journal, described("round_robin", 4, 1), 1, missing=0)
    line = player_lines(trf26(trf_contents(store, "cup").tournament))[1]
    cut = {name: line[begin - 1 : end] for name, (begin, end, _) in COLUMNS.items()}
    for name, (_, _, expected) in COLUMNS.items():
        if expected is not None:
            assert (name, expected) == (name, cut[name])
    spaces = [4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91, 96, 98, 100, 101]
    assert {line[column - 1] for column in spaces} == {" "}
    assert (float(cut["points"]), int(cut["rank"]) in (1, 2, 3, 4)) == (float(cut["points"]), True)
    assert {int(cut["first opponent"]), int(cut["second opponent"])} <= {1, 3, 4}
    assert cut["first colour"] in "wb"
    assert {cut["first result"], cut["second result"]} <= set("1=0")


async def test_the_tags_of_2026_are_written(store: Store, journal: StoreJournal) -> None:
    await play_on(journal, described("swiss", 6, 4), 1, most=12, missing=0)
    text = trf26(trf_contents(store, "cup").tournament)
    lines = text.split("\r\n")
    assert {
        "012 cup",
        "062 6",
        "142 4",
        "192 CUSTOM_SWISS",
        "202 BH,SB,DE",
        "212 PTS,BH,SB,DE",
        "222 60+1",
        "240 H 003    3",
        "260 001 004    1    2",
    } <= set(lines)
    assert all(line.endswith("\r") for line in text.split("\n")[:-1])
    [dates] = [line for line in lines if line.startswith("132")]
    assert (dates[91:99].count("/"), dates[101:109].count("/")) == (2, 2)


async def test_a_round_robin_has_the_rounds_of_the_berger_tables(
    store: Store, journal: StoreJournal
) -> None:
    await play_on(journal, described("round_robin", 6, 1), 1, missing=0)
    found = trf_contents(store, "cup").tournament
    assert (found.rounds, found.code) == (10, "BERGER_ROUNDROBIN_G2")
    assert [len(player.entries) for player in found.players] == [10] * 6
    assert all(entry.opponent for player in found.players for entry in player.entries)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "knockout"}, "it is a knockout, and TRF is for Swiss and round robin"),
        (
            {"format": "double_swiss", "double_swiss": DoubleSwissSettings(rounds=2)},
            "two matches of a meeting count in it",
        ),
        ({"players": 3}, "its matches have 3 players, and TRF knows games of two"),
    ],
)
async def test_what_the_format_cannot_hold_is_refused(
    store: Store, journal: StoreJournal, changes: dict[str, Any], why: str
) -> None:
    configuration = msgspec.structs.replace(described("round_robin", 4, 1), **changes)
    await play_on(journal, configuration, 1, most=0)
    with pytest.raises(TournamentError, match=f"cup cannot be written as TRF: {why}.*--format csv"):
        trf_contents(store, "cup")


async def test_a_report_is_written_by_a_command(
    store: Store, journal: StoreJournal, polynya: list[str]
) -> None:
    await play_on(journal, described("swiss", 5, 3), 2, most=4)
    command = [*polynya, "results", "export", "cup", "--database", str(store.address)]
    done = await trio.run_process(
        [*command, "--format", "trf16"], capture_stdout=True, capture_stderr=True
    )
    assert b"XXR 3" in done.stdout
    assert b"note: each meeting of 2 matches is written as one game" in done.stderr
