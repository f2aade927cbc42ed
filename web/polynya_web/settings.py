"""The settings of the web pages: each with its default, unit and meaning."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from polynya_server.settings import Setting, int_setting, setting, settings_of
from polynya_web.http.known_hosts import plain_name
from polynya_web.http.proxy import check_base, network


class WebSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the web pages.

    Raises:
        ValueError: a number is out of its range, ``base`` is no path, a name in ``hosts`` or an
            address in ``trusted_proxies`` is none.
    """

    host: Annotated[str, setting("The address of the web pages; 0.0.0.0 for all.")] = "127.0.0.1"
    port: Annotated[
        int, int_setting("The port of the web pages, 0 for any that is free.", "", 0, 65_535)
    ] = 8080
    base: Annotated[
        str, setting("The path under which the pages stand behind a proxy, such as /contest.")
    ] = ""
    hosts: Annotated[
        tuple[str, ...],
        setting(
            "The host names of the pages, beside IP addresses, localhost and the machine's own "
            "names; requests for other names are refused."
        ),
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        setting(
            "The addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto "
            "count."
        ),
    ] = ("127.0.0.0/8", "::1")
    reports: Annotated[
        str,
        setting(
            "The folder whose files TOURNAMENT.html (a report) and TOURNAMENT.zip (a bundle) are "
            "linked from the page of that tournament; empty for none."
        ),
    ] = ""
    hide_info: Annotated[
        bool, setting("true: pages show the bots' remarks only when their match is over.")
    ] = False
    max_viewers: Annotated[
        int, int_setting("The most pages with live updates at the same time.", "viewers")
    ] = 1_000
    play: Annotated[
        Literal["off", "builtin", "all"],
        setting(
            "The opponents of people who play in the browser: off for none, builtin for built-in "
            "bots that are started for the match, all for connected bots too."
        ),
    ] = "builtin"
    play_matches: Annotated[
        int, int_setting("The most matches of people at the same time.", "matches")
    ] = 4
    play_matches_per_visitor: Annotated[
        int,
        int_setting("The most matches of people from one address at the same time.", "matches"),
    ] = 2
    play_bots: Annotated[
        int,
        int_setting(
            "The most bots that the server starts for these matches at the same time.", "bots"
        ),
    ] = 8
    play_away_ms: Annotated[
        int,
        int_setting("How long a player may close the page before the seat is given up.", "ms"),
    ] = 600_000
    play_turn_ms: Annotated[
        int,
        int_setting("How long a player may take for a turn before the seat is given up.", "ms"),
    ] = 1_800_000

    def __post_init__(self) -> None:
        """Refuse invalid numbers and names."""
        for one in WEB_SETTINGS:
            one.check(getattr(self, one.name))
        check_base(self.base)
        for name in self.hosts:
            plain_name(name)
        for text in self.trusted_proxies:
            network(text)


WEB_SETTINGS: tuple[Setting, ...] = settings_of(WebSettings)
