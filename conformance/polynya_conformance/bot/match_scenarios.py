"""Scenarios about matches: a plain one, several, and players who leave."""

from __future__ import annotations

import contextlib
import dataclasses

from polynya_conformance.bot.scenario import Scenario, Stage, control
from polynya_conformance.peer import Gone
from polynya_conformance.requirements import Verdict
from polynya_games import LEAST_PLAYERS
from polynya_protocol.messages import Error, Notice

PLAIN_TURNS = 6
SETTLE_S = 0.1


async def plain_match(stage: Stage) -> None:
    """A match with nothing special about it: everything else builds on it."""
    peer, hello = await stage.welcomed()
    stage.note("R24", Verdict.NOT_APPLICABLE, "it is a player")
    right = hello.token == stage.host.token
    stage.unless("R8", [] if right else ["its hello does not carry the token of POLYNYA_TOKEN"])
    table = stage.table(peer, hello)
    await table.start()
    stage.note("R13", Verdict.PASS)
    await table.play(PLAIN_TURNS)
    await table.expect_no_move(SETTLE_S, "R14")
    with contextlib.suppress(Gone):  # other scenarios find bots that leave at the end
        await table.finish()
    stage.unless("R15", table.late)
    if table.infos or table.bad_infos:
        stage.unless("R17", table.bad_infos)
    else:
        stage.note("R17", Verdict.NOT_EXERCISED, "it sent no info")


async def match_after_match(stage: Stage) -> None:
    """Another match on the same connection."""
    peer, hello = await stage.welcomed()
    with control():
        await stage.table(peer, hello).short_match()
    await stage.table(peer, hello, "m2").short_match()


async def matches_at_once(stage: Stage) -> None:
    """A match starts while another waits for the bot's move, then both ask at once."""
    peer, hello = await stage.welcomed()
    if (hello.concurrency or 1) < 2:
        sentence = "its hello asks for one match at a time (concurrency)"
        stage.note("R11", Verdict.NOT_APPLICABLE, sentence)
        return
    first, second = stage.table(peer, hello), stage.table(peer, hello, "m2", seat=0)
    with control():
        await first.start()
        await first.play_others()
    await first.ask()
    await second.announce()
    await first.answer()
    await second.expect_ready()
    for _ in range(3):
        await first.play_others()
        await second.play_others()
        await first.ask()
        await second.ask()
        await second.answer()
        await first.answer()
    await second.finish()
    await first.play(1)


async def others_forfeit(stage: Stage) -> None:
    """In a match of more than two players others leave, one after the other."""
    game = stage.rules.game
    if game.max_players == LEAST_PLAYERS:
        stage.note("R18", Verdict.NOT_APPLICABLE, f"{game.title} is for two players")
        return
    peer, hello = await stage.welcomed()
    rules = dataclasses.replace(stage.rules, players=game.max_players)
    table = stage.table(peer, hello, rules=rules)
    with control():
        await table.start()
        await table.play(2)
    while len(opponents := table.opponents) > 1 and not table.over:
        await table.forfeit(opponents[1])
        await table.play(2)


async def notices(stage: Stage) -> None:
    """Notices before a match, between turns and within one, with a code of a later version."""
    peer, hello = await stage.welcomed()
    await peer.send(Notice(code="game_not_played", message="none of its games is played here"))
    table = stage.table(peer, hello)
    await table.start()
    later = {"type": "notice", "code": "of_a_later_version", "message": "good to know"}
    await peer.send(later)
    for _ in range(2):
        await table.play_others()
        await table.ask({**later, "match": "m1"})
        await table.answer()


async def refused_remark(stage: Stage) -> None:
    """The server refuses the bot's remark, but its move counts."""
    peer, hello = await stage.welcomed()
    table = stage.table(peer, hello)
    with control():
        await table.start()
        await table.play(1)
    if not table.infos:
        stage.note("R26", Verdict.NOT_EXERCISED, "it sent no info")
        return
    sentence = "the info of your move is dropped, the move counts"
    await peer.send(
        Error(code="too_large", message=sentence, fatal=False, match="m1", turn=table.number)
    )
    await table.expect_no_move(SETTLE_S, "R26")
    await table.play(2)


async def errors_that_are_not_fatal(stage: Stage) -> None:
    """Errors that end nothing: before a match, between turns, in a turn, and after the time."""
    peer, hello = await stage.welcomed()
    with control():
        await stage.table(peer, hello).short_match()
        second = stage.table(peer, hello, "m2")
        await second.start()
        await second.play(1)
    limited = Error(code="rate_limited", message="too many messages", fatal=False)
    await peer.send(limited)
    await second.play(1)
    await second.play_others()
    stale = {
        "type": "error",
        "code": "of_a_later_version",
        "message": "this was about another turn",
        "fatal": False,
        "match": "m2",
        "turn": 1,
    }
    await second.ask(stale)
    await second.answer()
    await second.play_others()
    await second.ask()
    await second.lose_on_time()
    third = stage.table(peer, hello, "m3")
    await third.start()
    await third.play(1)


PLAIN_MATCH = Scenario(
    "a plain match", ("R1", "R7", "R8", "R13", "R14", "R15", "R16", "R17", "R24"), plain_match
)

SCENARIOS = (
    Scenario("match after match", ("R12",), match_after_match),
    Scenario("matches at once", ("R11",), matches_at_once),
    Scenario("others forfeit", ("R18",), others_forfeit),
    Scenario("notices", ("R25",), notices),
    Scenario("a refused remark", ("R26",), refused_remark),
    Scenario("errors that are not fatal", ("R19",), errors_that_are_not_fatal),
)
