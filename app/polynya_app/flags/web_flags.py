"""The flags of commands that serve web pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.flags.parameters import Number
from polynya_app.web_pages import DEFAULT_HOST, DEFAULT_PORT


@Parameter(name="*", group="Web pages")
@dataclass(frozen=True)
class WebFlags:
    """Where the pages are served."""

    web_port: Annotated[
        Number | None,
        Parameter(
            help="Show matches, replays and tables in the browser on this port, 0 for any free "
            f"one; {DEFAULT_PORT} is usual."
        ),
    ] = None
    web_host: Annotated[
        str | None,
        Parameter(help=f"The address of the pages. [default: {DEFAULT_HOST}]"),
    ] = None
    web_hosts: Annotated[
        tuple[str, ...],
        Parameter(
            help="A name under which the pages are asked for, such as contest.example; may be "
            "repeated. IP addresses, localhost and the machine's own names are known.",
            negative="",
            show_default=False,
        ),
    ] = ()
    web_reports: Annotated[
        str | None,
        Parameter(
            help="The folder of published reports and bundles, TOURNAMENT.html and "
            "TOURNAMENT.zip, which the pages link to."
        ),
    ] = None

    @property
    def words(self) -> dict[str, Any] | None:
        """The settings that were given, by name; None if there are to be no pages."""
        given = {
            "port": self.web_port,
            "host": self.web_host,
            "hosts": self.web_hosts or None,
            "reports": self.web_reports,
        }
        return {key: value for key, value in given.items() if value is not None} or None


def words_of(flags: WebFlags | None) -> dict[str, Any] | None:
    """The same of flags that may be missing."""
    return None if flags is None else flags.words
