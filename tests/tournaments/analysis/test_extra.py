"""What is said where the packages of the report are missing."""

from __future__ import annotations

import pytest

from polynya_tournaments.analysis.extra import need_extra
from polynya_tournaments.errors import TournamentError


def test_a_missing_package_is_named_with_what_to_do_and_without_a_path() -> None:
    with pytest.raises(TournamentError) as refused:
        need_extra("no_such_package")
    assert str(refused.value) == (
        "a report needs no_such_package, which is not installed: "
        "python -m pip install 'polynya[report]', by the Python that runs polynya"
    )
