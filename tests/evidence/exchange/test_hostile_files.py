"""Whatever stands in a file of results, it is read or refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_common.errors import TournamentError
from polynya_evidence.exchange.result_table import read_results
from polynya_evidence.exchange.trf_reader import read_trf

CELLS = st.sampled_from(
    ["finished", "game", "bot_0", "bot_1", "rank_0", "rank_1", "packeis", "anna", "b", "1", "2"]
) | st.text(max_size=8)
TABLES = st.lists(
    st.lists(CELLS | st.just("2026-11-20T10:00Z"), max_size=7).map(",".join), max_size=5
).map("\n".join)
HEADED = TABLES.map(lambda text: f"finished,game,bot_0,bot_1,rank_0,rank_1\n{text}")

ENTRY = st.sampled_from(["   2 w 1", "   1 b 0", "0000 - H", "   1 w =", "9999 b +"]) | st.text(
    max_size=10
)
LINES = st.builds(
    lambda number, name, entries: f"001 {number:4d}      {name:<33}{'':42}  {'  '.join(entries)}",
    st.integers(-1, 3),
    st.sampled_from(["anna", "berta", ""]),
    st.lists(ENTRY, max_size=3),
)
REPORTS = st.lists(
    LINES | st.sampled_from(["012 Club", "042 2026/11/20", "132 26/11/20"]) | st.text(max_size=120),
    max_size=6,
).map("\n".join)


def refusal(read: Callable[[], object]) -> str | None:
    try:
        read()
    except TournamentError as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(TABLES | HEADED | st.text(max_size=80))
def test_any_table_is_read_or_refused(text: str) -> None:
    said = refusal(lambda: read_results(text, "a.csv"))
    assert said is None or said.startswith("a.csv, line ")


@settings(max_examples=300, deadline=None)
@given(REPORTS)
def test_any_report_is_read_or_refused(text: str) -> None:
    said = refusal(lambda: read_trf(text, "a.trf", "packeis"))
    assert said is None or said.startswith("a.trf")
