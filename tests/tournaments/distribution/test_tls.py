"""Scheduler, workers and coordinator speak TLS with certificates of one authority."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import trustme
from tests.tournaments.distribution.clusters import Cluster, Run, free_port, write_cup


def write_certificates(folder: Path) -> list[str]:
    """The flags of Dask that name the files of an authority and of a certificate that it gave."""
    authority = trustme.CA()
    given = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    given.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    given.private_key_pem.write_to_path(folder / "key.pem")
    names = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
    return [word for flag, name in names.items() for word in (flag, str(folder / name))]


def test_matches_are_played_over_tls_and_a_peer_without_certificate_is_refused(
    tmp_path: Path,
) -> None:
    with ExitStack() as stack:
        flags = write_certificates(tmp_path)
        found = Cluster(tmp_path, "127.0.0.1", free_port(), stack, ["--protocol", "tls"], flags)
        found.start_worker("one")
        stranger = Run(write_cup(tmp_path / "stranger", 1, wait_s=1), "--dask", found.address)
        assert stranger.code() == 1
        cup = write_cup(tmp_path / "cup", 1)
        files = 'tls_ca = "../ca.pem", tls_cert = "../cert.pem", tls_key = "../key.pem"'
        cup.write_text(cup.read_text().replace("dask = { ", f"dask = {{ {files}, "))
        run = Run(cup, "--dask", found.address)
        assert run.code() == 0, run.said()
        assert stranger.said().count("polynya: ") == 1
