"""``polynya results`` and ``polynya replay import``: matches go from one database to another."""

import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from polynya_app.application import run
from polynya_conformance.replay.text_form import as_text
from polynya_server.records import MatchRecord, encode_replay
from polynya_store import SeatRow, Store

Played = Callable[..., MatchRecord]

CLUB = """\
match,finished,game,bot_0,bot_1,bot_2,rank_0,rank_1,rank_2,score_0,forfeit_1
c-1,2026-11-20T10:00:00Z,packeis,anna,berta,,1,2,,30,
c-2,2026-11-20T11:00Z,packeis,berta,anna,carla,1,1,3,,
,2026-11-20 09:30,packeis,anna,berta,,1,2,,,timeout
,2026-11-20 09:30,packeis,anna,berta,,1,2,,,timeout
"""


def written(folder: Path, text: str, name: str = "club.csv") -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def test_results_are_imported_and_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "new.sqlite")
    assert run(["results", "import", written(tmp_path, CLUB), "--database", database]) == 0
    assert capsys.readouterr().out == (
        "4 matches of club.csv are imported\nnew bots, without a token: anna, berta and carla\n"
    )
    assert run(["ratings", "--database", database, "--json"]) == 0
    games = {(r["players"], r["bot"]): r["games"] for r in json.loads(capsys.readouterr().out)}
    assert games == {(2, "anna"): 3, (2, "berta"): 3} | {
        (3, name): 1 for name in ("anna", "berta", "carla")
    }
    assert run(["ratings", "recompute", "--check", "--database", database]) == 0


def test_the_same_file_twice_does_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, file = str(tmp_path / "new.sqlite"), written(tmp_path, CLUB)
    assert run(["results", "import", file, "--database", database]) == 0
    content = (tmp_path / "new.sqlite").read_bytes()
    assert run(["results", "import", file, "--database", database]) == 0
    assert "0 matches of club.csv are imported, 4 were there already" in capsys.readouterr().out
    assert content == (tmp_path / "new.sqlite").read_bytes()


def test_exported_results_are_imported_elsewhere_and_not_here(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = str(tmp_path / "all.csv"), tmp_path / "other.sqlite"
    assert run(["results", "export", "--to", file, "--database", str(recorded)]) == 0
    assert run(["results", "import", file, "--database", str(other), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.partition("\n")[2])
    with Store.open(recorded) as here, Store.open(other) as there:
        assert told["matches"] == len(here.matches.find()) > 0
        assert results(here) == results(there)
        assert [(r.bot, r.rating) for r in here.ratings.find()] == [
            (r.bot, r.rating) for r in there.ratings.find()
        ]
    assert run(["results", "export", "--to", file, "--database", str(other)]) == 0
    rows = list(csv.DictReader(Path(file).read_text().splitlines()))
    assert {row["imported"] for row in rows} == {f"all.csv, there {row}" for row in ids(recorded)}
    assert run(["results", "import", file, "--database", str(other)]) == 0
    assert "0 matches of all.csv are imported" in capsys.readouterr().out


def results(store: Store) -> list[list[SeatRow]]:
    """The results at each seat, without what their bots ran in: that is not exported."""
    return [
        [dataclasses.replace(seat, sandbox=None) for seat in row.seats]
        for row in store.matches.find()
    ]


def ids(database: Path) -> list[str]:
    with Store.open(database) as store:
        return [row.match for row in store.matches.find()]


GOOD = "2026-11-20T10:00:00Z,packeis,anna,berta,1,2\n"
HEAD = "finished,game,bot_0,bot_1,rank_0,rank_1\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: the columns finished, game, bot_0, bot_1, rank_0 and rank_1 are missing"),
        (HEAD, "club.csv has no match to import"),
        (HEAD.replace(",", ";"), "club.csv has no match to import"),
        ("sep=;\n" + HEAD.replace(",", ";") + "x\n", "line 3: it has 1 values, and there are 6"),
        (HEAD.replace("rank_1", "rank_16"), "line 1: there is no column 'rank_16'; there are"),
        (HEAD.replace("game", "bot_0"), "line 1: the column bot_0 occurs twice"),
        (HEAD + GOOD + "x\n", "line 3: it has 1 values, and there are 6 columns"),
        (HEAD + GOOD + GOOD.replace("packeis", "chess"), "line 3: game: "),
        (HEAD + GOOD + GOOD.replace("2026-", "26-"), "line 3: finished: '26-11-20T10:00:00Z' is"),
        (HEAD + GOOD + GOOD.replace("2026", "2999"), "line 3: the match did not end in the past"),
        (HEAD + GOOD + GOOD.replace("1,2", "1,3"), "line 3: the ranks 1 and 3 do not go together"),
        (HEAD + GOOD + GOOD.replace("1,2", "1,"), "line 3: rank_1 is missing"),
        (HEAD + GOOD + GOOD.replace("1,2", "1,2.0"), "line 3: rank_1 is a whole number, not '2.0'"),
        (HEAD + GOOD + GOOD.replace("berta", "anna"), "line 3: anna holds two seats"),
        (HEAD + GOOD + GOOD.replace("berta", ""), "line 3: '' cannot be a new name"),
        (HEAD + GOOD + GOOD.replace("berta", "Anna"), "'Anna' cannot be a new name: it differs"),
        (HEAD + GOOD + GOOD.replace("berta", "=1+1"), "line 3: '=1+1' cannot be a new name"),
        (HEAD + GOOD + '"x\n', "line 3: it is not CSV"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    database = tmp_path / "new.sqlite"
    assert run(["results", "import", written(tmp_path, text), "--database", str(database)]) == 1
    assert sentence in capsys.readouterr().err
    if database.exists():
        with Store.open(database) as store:
            assert (store.matches.find(), store.bots.all()) == ([], [])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("named", ["", "sep={}\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_tables_are_read_as_spreadsheets_write_them(
    tmp_path: Path, separator: str, named: str, encoding: str
) -> None:
    lines = HEAD.replace("rank_1", "rank_1,imported") + GOOD.replace("1,2", "1,2,Übung")
    text = named.format(separator) + lines.replace(",", separator).replace("\n", "\r\n")
    file, database = tmp_path / "club.csv", tmp_path / "new.sqlite"
    file.write_bytes(text.encode(encoding))
    assert run(["results", "import", str(file), "--database", str(database)]) == 0
    assert len(ids(database)) == 1


def test_replays_and_texts_are_imported_once(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "new.sqlite")
    replay, text = tmp_path / "a.replay", tmp_path / "b.match"
    replay.write_bytes(encode_replay(played("arktia", 3)))
    text.write_text(as_text(played("packeis")))
    files = [str(replay), str(text)]
    assert run(["replay", "import", *files, "--database", database]) == 0
    assert "2 matches of 2 files are imported\n" in capsys.readouterr().out
    # The same matches in the other form are the same.
    replay.write_bytes(encode_replay(played("packeis")))
    text.write_text(as_text(played("arktia", 3)))
    assert run(["replay", "import", *files, "--database", database]) == 0
    assert "0 matches of 2 files are imported, 2 were" in capsys.readouterr().out
    assert run(["replay", "verify", "--all", "--database", database]) == 0
    assert run(["ratings", "recompute", "--check", "--database", database]) == 0


def test_a_replay_that_does_not_hold_is_not_imported(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, record = tmp_path / "new.sqlite", played()
    good, bad = tmp_path / "good.replay", tmp_path / "bad.replay"
    good.write_bytes(encode_replay(record))
    assert record.ranking is not None
    bad.write_bytes(encode_replay(replace(record, ranking=record.ranking[::-1])))
    assert run(["replay", "import", str(good), str(bad), "--database", str(database)]) == 1
    assert "bad.replay: the result: ranking" in capsys.readouterr().err
    assert not database.exists()


def test_a_tournament_is_proved_after_earlier_results_came(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "copy.sqlite"
    assert run(["db", "backup", str(database), "--database", str(recorded)]) == 0
    text = CLUB.replace("anna", "greedy").replace("berta", "random")
    file = written(tmp_path, text)
    assert run(["results", "import", file, "--database", str(database)]) == 0
    assert "all ratings are computed again" in capsys.readouterr().out
    bundle = f"{database}.zip"
    assert run(["tournament", "report", "--bundle", bundle, "--database", str(database)]) == 0
    assert run(["tournament", "verify", bundle]) == 3, "ratings that it cannot compute are named"
    assert run(["tournament", "verify", "--allow-unchecked", bundle]) == 0
    assert "nothing differs" in capsys.readouterr().out
