"""The result of ``polynya match``: the bots' scores, and how sure they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.console.replay_table import clock_words
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.duplicate_gain import narrowing_words
from polynya_contest.pairing.standings import Standing, Standings
from polynya_contest.pairing.tabulation import result_counts
from polynya_contest.ratings.score_interval import BlockSample, block_sample, elo
from polynya_store.tournaments.counted_results import BlockScore


def write_match_result(
    configuration: TournamentConfiguration,
    standings: Standings,
    scores: Mapping[str, Counter[BlockScore]],
    gain: float | None = None,
    *,
    as_json: bool,
) -> None:
    """For a terminal, or for programs.

    Args:
        configuration: what was played.
        standings: its table.
        scores: by bot each different score in a block, with how often it occurred.
        gain: the part by which duplicate deals narrow the intervals; None without them.
        as_json: whether for programs.
    """
    samples = {row.name: _sample(scores.get(row.name, {})) for row in standings.rows}
    documents = [
        _result(row, scores.get(row.name, {}), samples[row.name]) for row in standings.rows
    ]
    if as_json:
        write_json(
            {
                "game": configuration.game,
                "seed": configuration.seed,
                "played": standings.played,
                "scheduled": standings.scheduled,
                "complete": standings.complete,
                "sprt": dict(standings.test) or None,
                "elo": _elo_document(documents, samples),
                "narrowing": gain,
                "bots": documents,
            }
        )
        return
    write_line(
        f"{configuration.game}, {standings.played} of {standings.scheduled} matches, "
        f"{clock_words(configuration.clock)}, {_seed_words(configuration.seed)}"
    )
    if standings.verdict:
        write_line(str(standings.verdict))
    counts = (*result_counts(standings.rows[0]), "forfeits")
    write_table(
        ["bot", *(f">{count}" for count in counts), ">score", ">95 % interval"],
        [
            [row.name, *result_counts(row).values(), row.forfeits, *_percentages(document)]
            for row, document in zip(standings.rows, documents, strict=True)
        ],
    )
    if (found := _elo_document(documents, samples)) is not None:
        write_line(_elo_words(found, documents))
    if words := narrowing_words(gain):
        write_line(words)


def _seed_words(seed: int | None) -> str:
    return "deals from a new secret" if seed is None else f"seed {seed}"


def _sample(scores: Mapping[BlockScore, int]) -> BlockSample:
    shares: Counter[float] = Counter()
    for score, number in scores.items():
        if score.complete:
            shares[score.share] += number
    return block_sample(shares)


def _result(row: Standing, scores: Mapping[BlockScore, int], sample: BlockSample) -> dict[str, Any]:
    """A bot's result; its score is the share of opponents it left behind, 0 to 1."""
    opponents = sum(score.comparisons * number for score, number in scores.items())
    points = sum(score.points * number for score, number in scores.items())
    ended = ("places",) if row.places is not None else ("wins", "draws", "losses")
    counts = {key: getattr(row, key) for key in (*ended, "forfeits", "points")}
    score = points / opponents if opponents else None
    interval = [*sample.interval()]
    return {"name": row.name, "games": row.games, **counts, "score": score, "interval": interval}


def _percentages(row: Mapping[str, Any]) -> tuple[str, str]:
    if row["score"] is None:
        return "", ""
    low, high = row["interval"]
    return f"{row['score']:.1%}", f"{low:.1%} to {high:.1%}"


def _elo_document(
    rows: Sequence[Mapping[str, Any]], samples: Mapping[str, BlockSample]
) -> dict[str, Any] | None:
    """The lead of the first of two bots in logistic Elo; an infinite lead becomes None."""
    if len(rows) != 2 or rows[0]["score"] is None:
        return None
    found = [elo(score) for score in (rows[0]["score"], *rows[0]["interval"])]
    difference, low, high = (value if math.isfinite(value) else None for value in found)
    return {
        "bot": rows[0]["name"],
        "difference": difference,
        "interval": [low, high],
        "superiority": samples[rows[0]["name"]].superiority(),
    }


def _elo_words(found: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    scores = (rows[0]["score"], *rows[0]["interval"])
    difference, low, high = (f"{elo(score):+.0f}".replace("inf", "∞") for score in scores)
    words = (
        f"Elo difference of {rows[0]['name']} to {rows[1]['name']}: {difference}, "
        f"95 % interval {low} to {high}"
    )
    if found["superiority"] is None:
        return words
    percent = min(max(100 * found["superiority"], 0.1), 99.9)
    return f"{words}; likelihood of superiority {percent:.1f} %"
