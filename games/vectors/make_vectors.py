"""Write ``<game>.jsonl``: positions of random matches with their legal steps, for other languages.

    python games/vectors/make_vectors.py [--check] [GAME ...]

For each game a module ``cases_<game>.py`` beside this file says which matches are searched
(``SET_UPS``), which special cases are wanted (``CASES``) and which steps are preferred
(``weight``). The same code writes the same file; ``--check`` only compares, with exit status 1
where a file is out of date.
"""

from __future__ import annotations

import argparse
import bisect
import importlib
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vector_cases import Cases, Document, Moment, SetUp

from polynya_games import IllegalForfeit, State, load
from polynya_games.randomness import SplitMix64

HERE = Path(__file__).parent
MATCHES = 40
"""The most matches that are searched per set-up."""
FORFEIT_ONE_IN = 40
"""In every fourth match a random seat forfeits before about one turn in this number."""


def vectors(game: str) -> Iterator[str]:
    """The lines of a game's file."""
    cases: Cases = importlib.import_module(f"cases_{game}")
    for set_up in cases.SET_UPS:
        yield from _found_in(game, cases, set_up)


def _found_in(game: str, cases: Cases, set_up: SetUp) -> Iterator[str]:
    """Each special case once, where a match of the set-up has it, then plain positions."""
    missing = dict(cases.CASES)
    for seed in range(MATCHES):
        for moment in _match(game, cases, set_up, seed):
            found = [about for about, is_case in missing.items() if is_case(moment)]
            for about in found:
                del missing[about]
            if found:
                yield _line(moment, f"{set_up.about}: {'; '.join(found)}")
        if not missing:
            break
    moments = list(_match(game, cases, set_up, MATCHES))
    stride = max(1, len(moments) // set_up.plain)
    for number in range(0, len(moments), stride):
        yield _line(moments[number], f"{set_up.about}: a match after {number} steps")


def _match(game: str, cases: Cases, set_up: SetUp, seed: int) -> Iterator[Moment]:
    """All moments of a random match, without and with forfeits."""
    generator = SplitMix64(seed)
    state = _beginning(game, set_up, seed)
    moment = _moment(None, None, state)
    yield moment
    while state.to_move is not None:
        leaver = generator.below(set_up.players * FORFEIT_ONE_IN) if seed % 4 == 3 else -1
        step = ["forfeit", leaver]
        try:
            state = state.forfeit(leaver)
        except IllegalForfeit:
            step = _choice(moment, cases, generator)
            state = state.apply(step)
        moment = _moment(moment.after, step, state)
        yield moment


def _beginning(game: str, set_up: SetUp, seed: int) -> State:
    """The position in which a match begins."""
    if set_up.start is not None:
        return load(game).state_from_json(set_up.start)
    return load(game).setup(set_up.players, seed, set_up.options)


def _choice(moment: Moment, cases: Cases, generator: SplitMix64) -> list[Any]:
    """One of the legal steps, each as often as its weight says."""
    weights = [cases.weight(step, moment.after) for step in moment.legal]
    ticket = generator.below(sum(weights))
    return moment.legal[bisect.bisect(list(itertools.accumulate(weights)), ticket)]


def _moment(before: Document | None, step: list[Any] | None, state: State) -> Moment:
    legal = [list(each) for each in state.legal_steps()]
    return Moment(before, step, state.to_json(), legal, state.turn_over)


def _line(moment: Moment, about: str) -> str:
    vector = {
        "state": moment.after,
        "legal": moment.legal,
        "turn_over": moment.turn_over,
        "about": about,
    }
    return f"{json.dumps(vector, separators=(',', ':'))}\n"


def main() -> int:
    """Write or compare the files of the games that are named, of all that have cases otherwise."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    known = sorted(path.stem.removeprefix("cases_") for path in HERE.glob("cases_*.py"))
    parser.add_argument("game", nargs="*", choices=[*known, []], help="default: all")
    given = parser.parse_args()
    stale = []
    for game in given.game or known:
        path, text = HERE / f"{game}.jsonl", "".join(vectors(game))
        if given.check and (not path.exists() or path.read_text() != text):
            stale.append(path.name)
        elif not given.check:
            path.write_text(text)
    if stale:
        print(f"out of date: {', '.join(stale)}; run {Path(__file__).name}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
