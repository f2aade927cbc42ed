"""The settings of a host for uploads: who may send how much, what is kept, and how it runs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from polynya_server.settings import int_setting, setting

Sources = Literal["private", "published"]


class UploadSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``[uploads]`` of a standing server.

    Attributes:
        mirrors: the hosts that builds may download from, each ``HOST[:PORT][=ADDRESS]``.
        environment: variables of builds, such as addresses of own registries.
    """

    folder: (
        Annotated[
            str,
            setting(
                "The folder of programs that authors upload; by default the server accepts none. "
                "The server builds them and runs them in a sandbox."
            ),
        ]
        | None
    ) = None
    processes: Annotated[
        int,
        int_setting("The most uploaded bots that run at the same time.", "processes", 2, 10_000),
    ] = 8
    start_s: Annotated[
        int, int_setting("The longest time that an uploaded bot may take to connect.", "s", 1)
    ] = 20
    idle_s: Annotated[
        int,
        int_setting(
            "Time that the process of an uploaded bot without matches keeps running.", "s", 1
        ),
    ] = 60
    mirrors: list[str] = []
    environment: dict[str, str] = {}
    builds: Annotated[
        int,
        int_setting(
            "The most uploads that are built at the same time; at most one of each owner. A build "
            "that takes more than a minute keeps no other waiting, until twice as many are built.",
            "",
            1,
            64,
        ),
    ] = 1
    undecided: Annotated[
        int,
        int_setting("The most uploads of one bot that wait for being built.", "uploads", 1, 10_000),
    ] = 3
    per_hour: Annotated[
        int, int_setting("The most uploads of one bot in an hour.", "uploads", 1, 10_000)
    ] = 20
    per_day: Annotated[
        int, int_setting("The most uploads of one bot in a day.", "uploads", 1, 10_000)
    ] = 100
    network_per_day: Annotated[
        int,
        int_setting(
            "The most uploads from one network in a day, for all bots together.",
            "uploads",
            1,
            1_000_000,
        ),
    ] = 300
    versions: Annotated[
        int,
        int_setting(
            "The most versions of one bot that the server keeps; refused and removed ones do not "
            "count.",
            "versions",
            1,
            10_000,
        ),
    ] = 100
    kept_mb: Annotated[
        int,
        int_setting(
            "The most disk space of the archives and built programs of one bot.",
            "MiB",
            1,
            1_000_000,
        ),
    ] = 2_000
    programs: Annotated[
        int,
        int_setting(
            "The most versions of each bot that stay built; the server builds an older one again "
            "when its author chooses it.",
            "versions",
            1,
            10_000,
        ),
    ] = 3
    refused: Annotated[
        int,
        int_setting(
            "The most refused versions of each bot that the server keeps, with archive and log.",
            "versions",
            0,
            10_000,
        ),
    ] = 20
    refused_days: Annotated[
        int, int_setting("Time that the server keeps refused versions.", "days", 1, 36_500)
    ] = 30
    sources: Annotated[
        Sources,
        setting(
            "published: everybody may download the archives that played in a tournament once it is "
            "over and its results are shown; private: only the author may."
        ),
    ] = "private"
