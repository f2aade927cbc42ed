"""The image of the Containerfile: a server that plays, is healthy, ends in order, and no root."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest
from tests.container.conftest import Podman

WAIT_S = 120


@pytest.fixture
def server(podman: Podman) -> Iterator[str]:
    """The name of a container that runs the server, with a database on a volume."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--detach", "--name", "server", "--volume", "contest:/data", "--no-healthcheck")
    podman.run(*words, "polynya", "--port", str(port))
    deadline = time.monotonic() + WAIT_S
    while "listening on" not in podman("logs", "server"):
        assert time.monotonic() < deadline, podman("logs", "server")
    yield "server"
    podman("rm", "--force", "server")


def health_check(podman: Podman) -> list[str]:
    """The command of the image's health check."""
    (image,) = json.loads(podman("image", "inspect", "polynya"))
    kind, *command = image["Healthcheck"]["Test"]
    assert kind == "CMD"
    return [str(word) for word in command]


def test_server_is_healthy_and_ends_in_order(podman: Podman, server: str) -> None:
    podman("exec", server, *health_check(podman))
    podman("stop", "--time", "60", server)
    assert podman("inspect", server, "--format", "{{.State.ExitCode}}").strip() == "0"


def test_what_is_recorded_outlives_the_container(podman: Podman, server: str) -> None:
    bots = ("polynya", "bots")
    podman("exec", server, *bots, "add", "alice", "--database", "/data/ladder.sqlite")
    podman("rm", "--force", server)
    words = ("--rm", "--volume", "contest:/data", "--no-healthcheck", "--entrypoint", "polynya")
    listed = podman.run(*words, "polynya", "bots", "list", "--database", "/data/ladder.sqlite")
    assert "alice" in listed


def test_health_check_fails_without_a_server(podman: Podman) -> None:
    program, *words = health_check(podman)
    run = ("run", "--rm", "--network", "none", "--ulimit", "nofile=1024:1024")
    more = ("--ulimit", "nproc=1024:1024", "--no-healthcheck", "--entrypoint", program)
    assert "URLError" in podman(*run, *more, "polynya", *words, code=1)


def test_image_plays_compiled_and_is_not_root(podman: Podman) -> None:
    script = (
        "id --user && polynya --version && polynya match random greedy --games 2 --move-ms 60000"
        " && python3 -c 'import numpy, psycopg, sandlock' && bwrap --version"
        " && polynya new-bot --lang go kit && ls kit/sdk"
    )
    said = podman.run("--rm", "--no-healthcheck", "--entrypoint", "sh", "polynya", "-c", script)
    assert said.startswith("10001\n")
    assert "(compiled)" in said
    assert "packeis, 2 of 2 matches" in said
    assert "client.go" in said
