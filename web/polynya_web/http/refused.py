"""The error of a request that is refused."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException

from polynya_common.reasons import Cause


class Refused(HTTPException):
    """A request that is refused with a status code.

    Attributes:
        cause: why, for the page or the API.
    """

    def __init__(
        self, status_code: int, cause: Cause, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status_code, str(cause), headers)
        self.cause = cause
