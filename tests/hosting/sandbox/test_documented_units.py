"""The units of systemd that the documents tell hosts to copy fit systemd and the sandboxes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.hosting.sandbox.units import documented_units, run_with_families, service

MATCH = (
    *(str(Path(sys.executable).with_name("polynya")), "match", "greedy", "random"),
    *("--games", "2", "--move-ms", "5000", "--sandbox", "bubblewrap"),
)
UNITS = documented_units()
SERVER = next(unit for unit in UNITS.values() if "polynya serve" in unit)


@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_the_unit(name: str, tmp_path: Path) -> None:
    require("systemd")
    unit = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNITS[name], flags=re.MULTILINE)
    if "ExecStart" not in unit:
        unit = unit.replace("[Service]", "[Service]\nExecStart=/bin/true")
    path = tmp_path / "polynya.service"
    path.write_text(unit, encoding="utf-8")
    verify = ["systemd-analyze", "verify", str(path)]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_bots_play_in_bubblewrap_with_the_address_families_of_the_unit() -> None:
    done = run_with_families(service(SERVER)["RestrictAddressFamilies"].split(), MATCH)
    assert done.returncode == 0, done.stderr


def test_server_may_make_control_groups_for_its_bots() -> None:
    assert service(SERVER)["Delegate"] == "yes"


def test_missing_address_family_is_named_with_its_remedy() -> None:
    done = run_with_families(["AF_INET", "AF_INET6", "AF_UNIX"], MATCH)
    assert done.returncode == 2
    assert "add AF_NETLINK to RestrictAddressFamilies" in " ".join(done.stderr.split())


def test_forbidden_namespaces_are_named_with_their_remedy() -> None:
    forbidden = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbidden, "sh", *MATCH]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "namespaces of users are forbidden here" in " ".join(done.stderr.split())
