"""The Dask cluster that a tournament's workers run on: its address and its certificates."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.pairing.formats.format_settings import check_ranges
from polynya_server.settings import MAX_PORT, ranged

LOCAL = "local"
_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:\[\]]+|\[[^\s/\[\]]+\]):(?P<port>[0-9]{1,5})")


class DaskSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cluster of Dask.

    Attributes:
        scheduler: its address, ``tcp://HOST:8786`` or ``tls://HOST:8786``; ``local`` starts the
            workers on this machine.
        workers: how many are started with ``local``, for one core each; a match of a game with
            joint turns takes as many as it has seats.
        wait_s: how long a run waits for a scheduler that does not answer, in seconds.
        tls_ca, tls_cert, tls_key: the files of the certificate authority, of our certificate and of
            its key (PEM), for ``tls://``; default: those of Dask's own configuration.
    """

    scheduler: str = LOCAL
    workers: Annotated[int, ranged(1, 1_024)] = 2
    wait_s: Annotated[int, ranged(1, 86_400)] = 300
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None


def check_dask(settings: DaskSettings) -> None:
    """Refuse an invalid cluster address.

    Raises:
        ConfigurationError: the message names the key.
    """
    check_ranges(settings, "dask.")
    address = settings.scheduler
    files = (settings.tls_ca, settings.tls_cert, settings.tls_key)
    if address == LOCAL:
        return
    found = _ADDRESS.fullmatch(address)
    if found is None or not 1 <= int(found["port"]) <= MAX_PORT:
        raise ConfigurationError(
            f"dask.scheduler: {address!r} is neither 'local' nor an address like tcp://HOST:8786 "
            "or tls://HOST:8786"
        )
    if any(files) and not (all(files) and address.startswith("tls://")):
        raise ConfigurationError(
            "dask: tls_ca, tls_cert and tls_key belong together, and to an address tls://HOST:8786"
        )
