"""Whatever stands in a file of results, it is read or refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_common.errors import TournamentError
from polynya_evidence.exchange.result_table import read_results

CELLS = st.sampled_from(
    ["finished", "game", "bot_0", "bot_1", "rank_0", "rank_1", "packeis", "anna", "b", "1", "2"]
) | st.text(max_size=8)
TABLES = st.lists(
    st.lists(CELLS | st.just("2026-11-20T10:00Z"), max_size=7).map(",".join), max_size=5
).map("\n".join)
HEADED = TABLES.map(lambda text: f"finished,game,bot_0,bot_1,rank_0,rank_1\n{text}")


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
