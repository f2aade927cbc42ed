"""``polynya replay`` shows, exports and verifies what was recorded."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from polynya_app.application import run
from polynya_conformance.replay.text_form import as_text
from polynya_server.records import MatchRecord, decode_replay, encode_replay
from polynya_store import Store

Played = Callable[..., MatchRecord]


def saved(record: MatchRecord, folder: Path) -> str:
    file = folder / "match.replay"
    file.write_bytes(encode_replay(record))
    return str(file)


def match_ids(database: Path) -> list[str]:
    with Store.open(database) as store:
        return [row.match for row in store.matches.find()]


def test_a_match_is_shown_turn_by_turn(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played(timeouts=(11,))
    assert run(["replay", "show", saved(record, tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("match packeis-7: packeis, 2 players, seed 7\n")
    assert (
        "clock: 5000 ms for the match, 10 ms more after each turn, at most 100 ms for a turn"
        in shown
    )
    assert "ended: forfeit" in shown
    assert "forfeits: timeout" in shown
    assert shown.count("0 bot0") == 6


def test_the_board_after_a_turn_is_its_state_where_the_game_has_no_rows(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(played(), tmp_path)
    assert run(["replay", "show", file, "--turn", "0"]) == 0
    begun = capsys.readouterr().out.splitlines()
    assert run(["replay", "show", file, "--turn", "1", "--seat", "1"]) == 0
    later = capsys.readouterr().out.splitlines()
    assert begun[:4] == ['game: "packeis"', "players: 2", 'phase: "placement"', "to_move: 0"]
    assert (later[3], begun[5], later[5] == begun[5]) == ("to_move: 1", "penguins: [[], []]", False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--turn", "1000"], "--turn 1000 is none"),
        (["--turn", "1", "--seat", "2"], "the seats of this match are 0 to 1; --seat 2 is none"),
        (["--seat", "1"], "--seat needs --turn"),
    ],
)
def test_a_turn_or_seat_that_is_not_there_is_named(
    played: Played,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    assert run(["replay", "show", saved(played(), tmp_path), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_a_match_without_turns_is_shown_without_a_table_of_them(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = replace(
        played(), events=[], reason="annulled", server_fault=True, ranking=None, scores=None
    )
    assert run(["replay", "show", saved(record, tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("\nno turn was played\n")
    assert "charged ms" not in shown


def test_as_json_it_is_the_whole_record(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played()
    assert run(["replay", "show", saved(record, tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["setup"]["seed"] == 7
    assert document["ranking"] == record.ranking
    assert len(document["events"]) == len(record.events)


def test_a_bot_cannot_steer_the_terminal(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played()
    hostile = {"text": "\x1b]0;owned\x07 \u202egnp [red]x[/red] \x9b2J", "nan": float("nan")}
    events = [replace(record.events[0], info=hostile), *record.events[1:]]
    file = saved(replace(record, events=events), tmp_path)
    assert run(["replay", "show", file]) == 0
    assert run(["replay", "show", file, "--json"]) == 0
    written = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(written)
    assert "[red]x[/red]" in written
    assert '"nan": null' in written


def test_a_match_in_the_database_is_shown_by_its_id(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = match_ids(recorded)[0]
    assert run(["replay", "show", name, "--database", str(recorded)]) == 0
    assert capsys.readouterr().out.startswith(f"match {name}: packeis")


def test_a_match_that_is_not_there_is_named(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", "show", "nothing-1", "--database", str(recorded)]) == 1
    told = f"no match nothing-1; it was looked for in {recorded}, --database names another file"
    assert told in capsys.readouterr().err


def test_exported_files_hold_what_the_database_holds(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = match_ids(recorded)
    folder = tmp_path / "new" / "replays"
    arguments = ["replay", "export", *names, "--to", str(folder), "--database", str(recorded)]
    assert run(arguments) == 0
    assert capsys.readouterr().out == f"2 replays written to {folder}\n"
    with Store.open(recorded) as store:
        for name in names:
            assert (folder / f"{name}.replay").read_bytes() == store.matches.replay(name)


def test_as_json_each_match_has_the_file_that_it_went_to(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--all", "--to", str(tmp_path), "--database", str(recorded), "--json"]
    assert run(["replay", "export", *arguments]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"match": name, "file": str(tmp_path / f"{name}.replay")} for name in match_ids(recorded)
    ]
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(match_ids(recorded))


def test_match_over_tcp_verifies(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", "verify", "--all", "--database", str(recorded)]) == 0
    assert capsys.readouterr().out == "2 replays verified, 0 with differences\n"


def test_an_exported_replay_verifies(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["replay", "export", "--all", "--to", str(tmp_path), "--database", str(recorded)])
    files = sorted(map(str, tmp_path.glob("*.replay")))
    capsys.readouterr()
    assert run(["replay", "verify", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"verified": 2, "differing": {}, "unreadable": {}}


def test_a_replay_that_was_changed_fails_and_says_where(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(recorded) as store:
        record = decode_replay(next(document for _, document in store.matches.replays()))
    assert record.scores is not None
    changed = replace(record, scores=[score + 1 for score in record.scores])
    file = saved(changed, tmp_path)
    assert run(["replay", "verify", file]) == 1
    written = capsys.readouterr()
    assert f"{file}: the result: scores {changed.scores} recorded" in written.err
    assert written.out == "1 replay verified, 1 with differences\n"


@pytest.mark.parametrize("command", ["show", "open", "verify"])
def test_a_file_that_is_no_replay_fails(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.replay"
    file.write_text("hello")
    assert run(["replay", command, str(file)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"polynya: {file}")
    assert "is not a Polynya replay; 'polynya replay export' writes replays to files" in told


def test_an_unreadable_file_is_not_counted_as_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.replay"
    file.write_bytes(b"no replay")
    assert run(["replay", "verify", str(file), str(tmp_path / "missing.replay")]) == 1
    said = capsys.readouterr()
    assert said.out == "0 replays verified, 0 with differences, 2 could not be read\n"
    assert "is not a Polynya replay" in said.err


def test_a_match_is_exported_as_text_and_read_like_a_replay(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [name] = match_ids(recorded)[:1]
    folder = tmp_path / "texts"
    arguments = ["replay", "export", name, "--text", "--to", str(folder)]
    assert run([*arguments, "--database", str(recorded)]) == 0
    file = folder / f"{name}.match"
    assert file.read_text().startswith(f'[Polynya 1]\n[Match "{name}"]\n')
    assert run(["replay", "verify", str(file)]) == 0
    assert run(["replay", "show", str(file)]) == 0
    assert f"match {name}: " in capsys.readouterr().out


def test_a_text_with_a_wrong_line_is_named(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "edited.match"
    file.write_text(as_text(played()).replace("\n2. 1", "\n2. 0", 1))
    assert run(["replay", "verify", str(file)]) == 1
    assert f"{file}, line 17: turn 2, seat 0: seat 1 is to move" in capsys.readouterr().err


def test_a_match_without_a_text_form_is_named_and_the_others_are_written(
    recorded: Path, played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, folder = tmp_path / "copy.sqlite", tmp_path / "texts"
    assert run(["db", "backup", str(database), "--database", str(recorded)]) == 0
    first, *others = match_ids(database)
    moved = encode_replay(replace(played(), state=played(seed=8).state))
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE replays SET document = ? WHERE match_id = "
            "(SELECT id FROM matches WHERE name = ?)",
            (moved, first),
        )
    arguments = ["replay", "export", "--all", "--text", "--to", str(folder)]
    assert run([*arguments, "--database", str(database)]) == 1
    assert "cannot be written as text" in capsys.readouterr().err
    assert {f"{name}.match" for name in others} == {file.name for file in folder.iterdir()}
