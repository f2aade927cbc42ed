"""Bundles: what a host published is checked from the file alone, and no file does harm."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.evidence.bundles.published import KEY, bundle_of, members, name_of, signed_again

from polynya_app.application import run
from polynya_app.commands.records import report as report_command
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_conformance.replay.text_form import as_text
from polynya_evidence.bundles.archive import LONGEST_MEMBER, Archive, write_archive
from polynya_evidence.bundles.bundle_reader import Bundle, read_bundle
from polynya_evidence.bundles.bundle_writer import write_bundle
from polynya_evidence.bundles.manifest import canonical
from polynya_evidence.bundles.signing import public_text, signing_key
from polynya_evidence.bundles.verification import Verification, verify
from polynya_evidence.reports.contents import report_of
from polynya_evidence.reports.evidence import evidence_of
from polynya_server.records import MatchRecord, TurnRecord, decode_replay, encode_replay
from polynya_store import Store

Change = Callable[[Any], object]


def changed(content: bytes, name: str, change: Change) -> bytes:
    """The bundle with another JSON document, signed again."""
    files = members(content)
    document = json.loads(files[name])
    change(document)
    return signed_again({**files, name: canonical(document)})


def with_replay(content: bytes, change: Callable[[MatchRecord], MatchRecord]) -> bytes:
    """The bundle with another first replay, signed again."""
    files = members(content)
    name = min(name for name in files if name.startswith("replays/"))
    return signed_again({**files, name: encode_replay(change(decode_replay(files[name])))})


def differences(content: bytes, public_key: str | None = None) -> tuple[str, ...]:
    return verify(Bundle(content), public_key).differences


def test_published_bundle_verifies(published: bytes) -> None:
    found = verify(Bundle(published), public_text(KEY))
    assert (found.differences, found.unchecked, found.replays) == ((), (), 2)


def test_the_same_tournament_gives_the_same_bytes(database: Path, published: bytes) -> None:
    assert bundle_of(database) == published


def test_the_manifest_names_files_results_and_versions(published: bytes) -> None:
    manifest = json.loads(members(published)["manifest.json"])
    assert len(manifest["files"]) == 4
    assert [result["players"] for result in manifest["results"]] == [
        ["random", "greedy"],
        ["greedy", "random"],
    ]
    assert {bot: each[0]["name"] for bot, each in manifest["software"].items()}.keys() == {
        "greedy",
        "random",
    }
    assert len(manifest["servers"]) == 1


def test_a_changed_file_is_found_by_its_hash(published: bytes) -> None:
    files = members(published)
    files["report.json"] += b" "
    assert differences(write_archive(files.items())) == (
        "report.json is not the file that was signed: its SHA-256 is another",
    )


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "written by Polynya 0.2.0 or older. This version verifies bundles of 0.3.0 and later"),
        (99, "has the rules 99, and this version knows 3"),
        ("new", "has the rules 'new', and this version knows 3"),
    ],
)
def test_bundle_with_other_rules_of_pairing_is_refused(
    published: bytes, number: object, sentence: str
) -> None:
    def other_rules(schedule: Any) -> None:
        schedule["description"]["rules"] = number

    with pytest.raises(TournamentError, match=sentence):
        Bundle(changed(published, "tournament.json", other_rules))


def test_bundle_with_estimates_of_an_older_method_is_refused(published: bytes) -> None:
    def older_method(report: Any) -> None:
        report["analysis"]["method"] = 1

    with pytest.raises(TournamentError, match=r"written by Polynya 0\.2\.0 or older"):
        Bundle(changed(published, "report.json", older_method))


def test_manifest_of_another_author_is_not_signed(published: bytes) -> None:
    files = members(published)
    files["manifest.json"] += b" "
    assert differences(write_archive(files.items())) == (
        "the signature is not one of this manifest by the key in it",
    )


def test_another_key_than_the_given_one_is_found(published: bytes) -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(31) + b"\1")
    forged = signed_again(members(published), other)
    assert differences(forged) == ()
    [sentence] = differences(forged, public_text(KEY))
    assert sentence == f"it is signed by {public_text(other)}, which is not the given key"


def test_a_missing_replay_is_one_difference(published: bytes) -> None:
    files = members(published)
    name = min(name for name in files if name.startswith("replays/"))
    listed = json.loads(files["manifest.json"])["files"]
    assert name in listed
    del files[name]
    found = verify(Bundle(write_archive(list(files.items()))))
    assert (f"{name!r} is missing",) == found.differences
    assert found.unchecked == (
        "not checked: the draw, the table, ratings and the report because results are missing",
    )
    [sentence] = verify(Bundle(signed_again(files))).differences
    assert "there is no replay that its result follows from" in sentence


def test_an_unreadable_replay_is_not_counted_as_played_again(published: bytes) -> None:
    files = members(published)
    name = min(name for name in files if name.startswith("replays/"))
    found = verify(Bundle(signed_again({**files, name: b"no replay"})))
    assert found.replays == 1
    [sentence] = found.differences
    assert "is not a Polynya replay" in sentence


def test_a_result_that_the_rules_do_not_give_is_found(published: bytes) -> None:
    def turned(record: MatchRecord) -> MatchRecord:
        assert record.ranking is not None
        return msgspec.structs.replace(record, ranking=[rank % 2 + 1 for rank in record.ranking])

    said = differences(with_replay(published, turned))
    assert any("the result: ranking" in sentence for sentence in said)


def test_a_replay_of_another_set_up_is_found(published: bytes) -> None:
    def reseeded(record: MatchRecord) -> MatchRecord:
        setup = msgspec.structs.replace(record.setup, seed=record.setup.seed ^ 1)
        return msgspec.structs.replace(record, setup=setup)

    said = differences(with_replay(published, reseeded))
    assert any("the set-up: seed" in sentence for sentence in said)


def first_match(change: Change) -> Change:
    return lambda document: change(document["matches"][0])


def all_matches(change: Change) -> Change:
    return lambda document: [change(match) for match in document["matches"]]


def put(key: str, value: Any) -> Change:
    return lambda document: document.__setitem__(key, value)


def describe(key: str, value: Any) -> Change:
    return lambda document: document["description"].__setitem__(key, value)


def no_report(document: dict[str, Any]) -> None:
    document.clear()


CLOCK = {"increment_ms": None, "initial_ms": None, "move_ms": 1}

LIES: list[tuple[str, str, Change, str]] = [
    ("points", "report.json", lambda d: d["standings"]["rows"][0].update(points=9), "points is 9"),
    ("no report", "report.json", no_report, "report.json.standings is missing"),
    ("rank", "manifest.json", lambda d: d["results"][0].update(ranking=[3, 3]), "ranking[1]"),
    ("software", "manifest.json", lambda d: d["software"].clear(), "manifest.json: software"),
    ("seed", "tournament.json", describe("seed", 8), "the commitment is not one"),
    ("match seed", "tournament.json", first_match(put("seed", "8")), "the set-up: seed"),
    ("order", "tournament.json", lambda d: d["entrants"].reverse(), "order of their seeding"),
    ("less", "tournament.json", lambda d: d["matches"].pop(), "no match of the schedule has"),
    ("clock", "tournament.json", describe("clock", CLOCK), "the set-up: clock"),
    (
        "rating",
        "tournament.json",
        first_match(lambda m: m["online"][0]["after"].update(rating=1600)),
        "the online rating of",
    ),
    (
        "unplayed",
        "tournament.json",
        first_match(lambda m: m.update(state="walkover", match=None)),
        "it has a result, but does not count",
    ),
]


@pytest.mark.parametrize(
    ("name", "change", "part"), [pytest.param(*lie[1:], id=lie[0]) for lie in LIES]
)
def test_a_host_that_lies_is_found(published: bytes, name: str, change: Change, part: str) -> None:
    said = differences(changed(published, name, change))
    assert any(part in sentence for sentence in said), said


ODD: list[tuple[str, Change]] = [
    ("no entrants", put("entrants", [])),
    ("no matches", put("matches", [])),
    ("the name of another", put("tournament", "x")),
    ("a name that is none", put("tournament", "../x")),
    ("number 0", first_match(put("number", 0))),
    ("one number for all", all_matches(put("number", 1))),
    ("no key of a block", all_matches(put("block", "x"))),
    ("nobody", all_matches(put("players", []))),
    ("strangers", all_matches(put("players", ["x", "y"]))),
    ("seed of words", all_matches(put("seed", "x"))),
    ("open", all_matches(put("state", "open"))),
    ("no description", put("description", {"rules": 2})),
    ("no such game", describe("game", "chess")),
    ("another format", describe("format", "swiss")),
    ("no such format", describe("format", "x")),
    ("endless", describe("cycles", 10_000)),
    ("too many bots", describe("bots", [f"b{n}" for n in range(5001)])),
    ("bots that are none", describe("bots", 7)),
    ("unknown options", describe("options", {"x": [[[]]]})),
    ("unknown key", describe("database_", "x")),
    ("other matches", first_match(put("match", "x"))),
    ("one match for all", all_matches(put("match", "x-1"))),
    ("huge ratings", all_matches(lambda m: m["online"][0]["before"].update(rating=1e308))),
    ("huge deviations", all_matches(lambda m: m["online"][0]["before"].update(deviation=1e308))),
    ("few ratings", all_matches(lambda m: m["online"].pop())),
]


@pytest.mark.parametrize("change", [pytest.param(odd[1], id=odd[0]) for odd in ODD])
def test_a_schedule_that_is_none_is_named(published: bytes, change: Change) -> None:
    assert differences(changed(published, "tournament.json", change)) != ()


def hostile(**sizes: int) -> bytes:
    """A ZIP file with these files of zeros."""
    return write_archive((name.replace("__", "."), bytes(size)) for name, size in sizes.items())


def renamed(old: bytes, new: bytes, content: bytes) -> bytes:
    assert len(old) == len(new)
    return content.replace(old, new)


def doubled() -> bytes:
    return renamed(b"manifest.jsom", b"manifest.json", zipped("manifest.jsom", "manifest.json"))


def zipped(*names: str) -> bytes:
    return write_archive((name, b"{}") for name in names)


HOSTILE: list[tuple[str, Callable[[], bytes], str]] = [
    ("empty", lambda: b"", "neither a ZIP file nor a page"),
    ("text", lambda: b"PK, but no ZIP file at all, by any means", "its end is not there"),
    ("a bomb", lambda: hostile(manifest__json=LONGEST_MEMBER + 1), "unpacks to more than"),
    ("a path", lambda: zipped("../../etc/passwd"), "no file '../../etc/passwd'"),
    ("an absolute path", lambda: zipped("/replays/a.replay"), "no file"),
    ("a path inside", lambda: zipped("replays/../../a.replay"), "no file"),
    ("one name twice", doubled, "two files of one name"),
    ("no manifest", lambda: zipped("report.json"), "manifest.json is missing"),
    ("no JSON", lambda: hostile(manifest__json=9), "manifest.json is not what it should be"),
    (
        "an endless directory",
        lambda: b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2),
        "its directory is too large",
    ),
    (
        "nested for ever",
        lambda: write_archive([("manifest.json", b"[" * 10**6)]),
        "manifest.json is not what it should be",
    ),
]


@pytest.mark.parametrize(
    ("content", "part"), [pytest.param(one[1], one[2], id=one[0]) for one in HOSTILE]
)
def test_hostile_files_are_a_sentence(
    content: Callable[[], bytes], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bundle.zip"
    file.write_bytes(content())
    assert run(["tournament", "verify", str(file)]) == 1
    said = capsys.readouterr().err
    assert f"{file} is no bundle: " in said
    assert part in said


def test_a_member_that_unpacks_to_more_than_it_says_is_damaged() -> None:
    honest = write_archive([("report.json", bytes(10**6))])
    said = renamed((10**6).to_bytes(4, "little"), (10).to_bytes(4, "little"), honest)
    with pytest.raises(TournamentError, match=r"report\.json is damaged"):
        Archive(said).read("report.json")


def test_damage_anywhere_is_a_sentence(published: bytes) -> None:
    chance = random.Random(5)
    for _ in range(150):
        damaged = bytearray(published)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with contextlib.suppress(TournamentError):
            verify(Bundle(bytes(damaged)))


def test_a_bundle_is_written_and_verified_by_commands(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, key = tmp_path / "contest.zip", tmp_path / "host.key"
    with Store.open(database) as store:
        tournament = name_of(store)
    assert run(["tournament", "keygen", "--key", str(key)]) == 0
    public = capsys.readouterr().out.strip()
    command = ["tournament", "report", "--database", str(database), "--bundle", str(file)]
    assert run([*command, "--key", str(key)]) == 0
    capsys.readouterr()
    assert run(["tournament", "verify", str(file), "--public-key", public, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    standings = found.pop("standings")
    assert {"random", "greedy"} == {row["name"] for row in standings["rows"]}
    assert found == {
        "tournament": tournament,
        "public_key": public,
        "signed": True,
        "replays": 2,
        "differences": [],
        "unchecked": [],
        "repeated": [],
        "pinned": True,
    }


def test_json_output_has_the_public_key_and_the_private_keys_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "contest.sqlite"
    assert run(["tournament", "keygen", "--database", str(database)]) == 0
    public = capsys.readouterr().out.strip()
    assert run(["tournament", "keygen", "--database", str(database), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "public_key": public,
        "key_file": f"{database}.key",
    }


def test_verification_says_whether_the_given_key_signed(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, key, other = tmp_path / "contest.zip", tmp_path / "host.key", tmp_path / "other.key"
    publics = []
    for path in (key, other):
        assert run(["tournament", "keygen", "--key", str(path)]) == 0
        publics.append(capsys.readouterr().out.strip())
    command = ["tournament", "report", "--database", str(database), "--bundle", str(file)]
    assert run([*command, "--key", str(key)]) == 0
    capsys.readouterr()
    said = []
    for public in publics:
        code = run(["tournament", "verify", str(file), "--public-key", public])
        said.append((code, capsys.readouterr().out.splitlines()[0]))
    assert said == [
        (0, f"signed by {publics[0]} (as it must be)"),
        (1, f"signed by {publics[0]} (not by the given key)"),
    ]


def test_the_page_has_the_bundle_in_it(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.html"
    assert run(["tournament", "report", "--database", str(database), "--html", str(file)]) == 0
    capsys.readouterr()
    assert run(["tournament", "verify", str(file)]) == 0
    assert "2 replays played again, nothing differs" in capsys.readouterr().out


@pytest.fixture(scope="module")
def published_page(database: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "contest.html"
    assert run(["tournament", "report", "--database", str(database), "--html", str(file)]) == 0
    return file.read_text("utf-8")


def verified_page(folder: Path, page: str) -> Verification:
    file = folder / "contest.html"
    file.write_text(page, "utf-8")
    return verify(read_bundle(file))


def test_a_published_page_is_the_one_that_follows_from_its_bundle(
    published_page: str, tmp_path: Path
) -> None:
    found = verified_page(tmp_path, published_page)
    assert (found.differences, found.unchecked) == ((), ())


def test_a_page_with_another_winner_is_found_in_its_first_table(
    published_page: str, tmp_path: Path
) -> None:
    swapped = (
        published_page.replace("<td>greedy", "<td>?").replace("<td>random", "<td>greedy")
    ).replace("<td>?", "<td>random")
    assert swapped != published_page
    [sentence] = verified_page(tmp_path, swapped).differences
    assert sentence.startswith("the page under 'Standings', line 2 shows ")


@pytest.mark.parametrize(
    "more", ["<p>greedy has won</p>", "<!-- hidden -->", '<script src="x"></script>']
)
def test_a_page_with_more_in_it_is_found(published_page: str, tmp_path: Path, more: str) -> None:
    found = verified_page(tmp_path, published_page.replace("</body>", f"{more}</body>"))
    assert len(found.differences) == 1


@pytest.mark.parametrize("attribute", ["src", "srcset"])
def test_another_drawing_is_found(published_page: str, tmp_path: Path, attribute: str) -> None:
    begin = f'{attribute}="data:image/svg+xml;base64,'
    drawn = published_page.replace(begin, f"{begin}AAAA", 1)
    [sentence] = verified_page(tmp_path, drawn).differences
    assert sentence.startswith("the page under 'Ratings' shows ")
    assert "base64,AAAA" in sentence


def test_a_destroyed_signature_is_not_said_to_be_by_anybody(
    published: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.zip"
    file.write_bytes(write_archive([*(members(published) | {"manifest.sig": bytes(64)}).items()]))
    assert run(["tournament", "verify", str(file)]) == 1
    said = capsys.readouterr().out
    assert "signed by" not in said
    assert said.startswith("not signed: ")


def test_verification_shows_the_table_that_follows_from_the_replays(
    published: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.zip"
    file.write_bytes(published)
    assert run(["tournament", "verify", str(file)]) == 0
    table = capsys.readouterr().out.partition("The table that follows from the replays:")[2]
    assert "greedy" in table
    assert "random" in table


def test_a_bundle_that_browsers_would_not_save_is_left_out_of_the_page(
    database: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report_command, "LONGEST_EMBEDDED", 10)
    file = tmp_path / "contest.html"
    assert run(["tournament", "report", "--database", str(database), "--html", str(file)]) == 0
    assert "publish it beside it, with --bundle" in capsys.readouterr().err
    assert run(["tournament", "verify", str(file)]) == 1
    assert "neither a ZIP file nor a page with one in it" in capsys.readouterr().err


def test_a_difference_is_exit_code_1(
    published: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.zip"
    file.write_bytes(changed(published, "report.json", no_report))
    assert run(["tournament", "verify", str(file)]) == 1
    assert "report.json.standings is missing" in capsys.readouterr().err


def slowly_charged(record: MatchRecord) -> MatchRecord:
    """A match that took so long that a server with usual settings would have charged more."""
    *events, last = record.events
    assert isinstance(last, TurnRecord)
    late = msgspec.structs.replace(last, last_byte_us=last.last_byte_us + 900_000)
    return msgspec.structs.replace(record, events=[*events, late])


def test_check_that_was_not_made_is_exit_code_3_unless_allowed(
    published: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.zip"
    file.write_bytes(with_replay(published, slowly_charged))
    assert run(["tournament", "verify", str(file)]) == 3
    said = capsys.readouterr()
    assert "ms of a turn were not charged" in said.err
    assert "nothing differs, 1 of the checks not made" in said.out
    assert run(["tournament", "verify", str(file), "--allow-unchecked"]) == 0


def test_allowed_unchecked_parts_do_not_allow_differences(published: bytes, tmp_path: Path) -> None:
    file = tmp_path / "contest.zip"
    file.write_bytes(changed(published, "report.json", no_report))
    assert run(["tournament", "verify", str(file), "--allow-unchecked"]) == 1


def test_document_with_a_key_twice_is_named(published: bytes) -> None:
    files = members(published)
    twice = b'{"analysis":1,' + files["report.json"][1:]
    assert differences(signed_again({**files, "report.json": twice})) == (
        "report.json is not in the one form: keys in order, each once, without white space",
    )


def test_replay_with_more_in_it_than_its_record_is_named(published: bytes) -> None:
    files = members(published)
    name = min(name for name in files if name.startswith("replays/"))
    more = msgspec.msgpack.encode({**msgspec.msgpack.decode(files[name]), "winner": "greedy"})
    said = differences(signed_again({**files, name: more}))
    assert any("the replay.winner is a field that replays do not have" in one for one in said)


def test_match_as_text_is_no_replay_of_a_bundle(published: bytes) -> None:
    files = members(published)
    name = min(name for name in files if name.startswith("replays/"))
    text = as_text(decode_replay(files[name])).encode()
    said = differences(signed_again({**files, name: text}))
    assert any("not in the form in which servers write replays" in one for one in said)


def test_an_unfinished_tournament_keeps_its_seed(database: Path) -> None:
    with Store.open(database) as store:
        evidence = evidence_of(store, name_of(store))
        report = report_of(evidence)
        open_ = dataclasses.replace(report.standings, over=False)
        with pytest.raises(TournamentError, match="is not over"):
            write_bundle(store, evidence, dataclasses.replace(report, standings=open_), KEY)


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "host.key"
    made = signing_key(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert public_text(signing_key(file)) == public_text(made)


def forged_page(bundle: bytes) -> bytes:
    """A page with the genuine bundle behind it, which begins as a ZIP file does."""
    return b"PK<!doctype html><title>greedy has won</title><!--" + bundle


def unlisted(bundle: bytes) -> bytes:
    """A bundle with bytes before its directory that are no member."""
    *_, length, offset, _ = struct.unpack("<4s4H2LH", bundle[-22:])
    end = struct.pack("<2LH", length, offset + 1, 0)
    return bundle[:offset] + b"x" + bundle[offset:-10] + end


def behind_a_member(bundle: bytes) -> bytes:
    """A bundle with a byte behind the packed content of its first member, counted as its own."""
    *_, length, offset, _ = struct.unpack("<4s4H2LH", bundle[-22:])
    packed, _, name = struct.unpack("<2LH", bundle[18:28])
    content = bytearray(bundle[: 30 + name + packed] + b"x" + bundle[30 + name + packed :])
    content[18:22] = content[offset + 21 : offset + 25] = struct.pack("<L", packed + 1)
    at = offset + 1
    while (at := content.find(b"PK\x01\x02", at + 1)) > 0:
        [start] = struct.unpack("<L", content[at + 42 : at + 46])
        content[at + 42 : at + 46] = struct.pack("<L", start + 1)
    return bytes(content[:-10]) + struct.pack("<2LH", length, offset + 1, 0)


MORE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a page before it": (forged_page, "before its first entry"),
    "a byte before it": (lambda bundle: b"PK" + bundle, "before its first entry"),
    "a page behind it": (lambda bundle: bundle + b"<html>", "its end is not there"),
    "a comment": (lambda bundle: bundle[:-2] + b"\1\0x", "its end is not there"),
    "an unlisted byte": (unlisted, "1 bytes after byte"),
    "a byte behind a member": (behind_a_member, "manifest.json is damaged"),
    "another date": (lambda bundle: bundle.replace(b"\0\0!\0", b"\0\0a\0", 1), "is damaged"),
}


@pytest.mark.parametrize(("forge", "part"), MORE.values(), ids=MORE)
def test_a_bundle_with_more_in_the_file_is_refused(
    published: bytes,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    forge: Callable[[bytes], bytes],
    part: str,
) -> None:
    file = tmp_path / "contest.html"
    file.write_bytes(forge(published))
    assert run(["tournament", "verify", str(file), "--public-key", public_text(KEY)]) == 1
    assert part in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_file_without_a_key_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "host.key"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="holds no key to sign with"):
        signing_key(file)


def test_a_key_in_no_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be made: No such file or directory"):
        signing_key(tmp_path / "nowhere" / "host.key")


def test_invalid_public_key_is_refused(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contest.zip"
    assert run(["tournament", "report", "--database", str(database), "--bundle", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"written to {file}"
    assert run(["tournament", "verify", str(file), "--public-key", "secret"]) == 2
    assert "a public key is 44 characters of base64" in capsys.readouterr().err
