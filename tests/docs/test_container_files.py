"""The files for containers are what their systems take, and lead to a server that works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import trustme
import yaml  # type: ignore[import-untyped]
from tests.clients.toolchains import program
from tests.folders import ROOT
from tests.postgresql import USER, postgresql_server

from polynya_app.serve_settings import read_serve_settings

SERVER = ROOT / "examples" / "server"
VERSION = "1.34"


def linted(*command: str | Path, cwd: Path = ROOT) -> None:
    """A linter finds nothing."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_containerfile_has_no_finding_of_hadolint() -> None:
    linted(Path(sys.executable).with_name("hadolint"), "Containerfile")


def test_compose_file_follows_its_schema() -> None:
    check = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec")
    linted(*check, SERVER / "compose.yaml")


def test_files_that_compose_mounts_are_here_or_named_in_its_first_lines() -> None:
    text = (SERVER / "compose.yaml").read_text()
    head = " ".join(line for line in text.splitlines() if line.startswith("#"))
    mounted = re.findall(r"\./([\w.]+)", text)
    assert mounted != []
    assert [name for name in mounted if not (SERVER / name).exists() and name not in head] == []


def compose_server() -> dict[str, Any]:
    services = yaml.safe_load((SERVER / "compose.yaml").read_text())["services"]
    return dict(services["server"])


def test_results_that_the_database_does_not_take_go_to_a_named_volume() -> None:
    server = compose_server()
    mounts = dict(mount.split(":")[:2][::-1] for mount in server["volumes"])
    volumes = yaml.safe_load((SERVER / "compose.yaml").read_text())["volumes"]
    assert mounts[server["environment"]["XDG_STATE_HOME"]] in volumes


@pytest.mark.parametrize("password", ["plain", r"a:b\c", ":", r"\\", "with space & $sign 'quoted'"])
def test_any_password_reaches_the_database(password: str, tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{password}\n")
    pgpass = tmp_path / "pgpass"
    with postgresql_server() as postgresql:
        postgresql.execute("CREATE DATABASE contest")
        quoted = password.replace("'", "''")
        postgresql.execute(f"ALTER USER {USER} PASSWORD '{quoted}'")
        (postgresql.folder / "data" / "pg_hba.conf").write_text("local all all scram-sha-256\n")
        postgresql.execute("SELECT pg_reload_conf()")
        url = f"postgresql://{USER}@/contest?host={postgresql.folder}"
        connect = f"import psycopg; psycopg.connect({url!r})"
        [shell, flag, script] = compose_server()["entrypoint"]
        there = {
            "$$": "$",
            "/run/secrets/password": f"{tmp_path}/password",
            "/tmp/pgpass": str(pgpass),  # noqa: S108
            "database:": f"{postgresql.folder}:",
            "exec polynya serve /settings/ladder.toml": f'exec {sys.executable} -c "{connect}"',
        }
        for name, here in there.items():
            assert name in script
            script = script.replace(name, here)
        variables = {**os.environ, "PGPASSFILE": str(pgpass)}
        variables.pop("PGPASSWORD", None)
        done = subprocess.run(
            [shell, flag, script], env=variables, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr


def test_manifests_of_the_server_follow_the_schemas_of_kubernetes() -> None:
    documents = list(yaml.safe_load_all((SERVER / "kubernetes.yaml").read_text()))
    for document in documents:
        kubernetes_validate.validate(document, VERSION, strict=True)
    kinds = ["ConfigMap", "Service", "Service", "Ingress", "StatefulSet"]
    assert kinds == [document["kind"] for document in documents]


def test_server_takes_the_settings_of_both(tmp_path: Path) -> None:
    (settings, *_) = yaml.safe_load_all((SERVER / "kubernetes.yaml").read_text())
    (tmp_path / "ladder.toml").write_text(settings["data"]["ladder.toml"])
    for folder in (SERVER, tmp_path):
        found = read_serve_settings(folder / "ladder.toml", {})
        assert found.server["advertise"] == "contest.example:4242"
        assert found.metrics.port == 9242  # the image's health check asks there


def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    authority = trustme.CA()
    given = authority.issue_cert("contest.example")
    given.cert_chain_pems[0].write_to_path(tmp_path / "certificate.pem")
    given.private_key_pem.write_to_path(tmp_path / "key.pem")
    text = (SERVER / "nginx.conf").read_text()
    here = text.replace("/tls/", f"{tmp_path}/").replace("//server:", "//127.0.0.1:")
    (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid; error_log stderr;\n{here}")
    linted(program("nginx"), "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf")


def test_workflows_have_no_finding_of_actionlint(tmp_path: Path) -> None:
    go = program("go")
    tool = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
    linted(go, "run", tool, *sorted(ROOT.glob(".github/workflows/*.yml")), cwd=tmp_path)
