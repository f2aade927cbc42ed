"""An address where no scheduler answers ends a run in a sentence, and in time."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.tournaments.distribution.clusters import Run, free_port, write_cup


@contextmanager
def service(greeting: bytes) -> Iterator[str]:
    """The address of a program that sends a greeting to each connection, and nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as connections:

        def greet() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                connections.enter_context(connection).sendall(greeting)

        thread = threading.Thread(target=greet)
        thread.start()
        try:
            yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "greeting", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", bytes(64)], ids=["silent", "ssh", "zeros"]
)
def test_program_that_is_no_scheduler_ends_the_run(tmp_path: Path, greeting: bytes) -> None:
    with service(greeting) as address:
        run = Run(write_cup(tmp_path, 1, wait_s=1), "--dask", address)
        assert run.code() == 1
    assert "polynya: " in run.said()
    assert address in run.said()
    assert "Traceback" not in run.said()


def test_ctrl_c_ends_a_run_that_waits_for_its_scheduler(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    run = Run(write_cup(tmp_path, 1, wait_s=600), "--dask", address)
    run.says(address)
    run.process.send_signal(signal.SIGINT)
    assert run.code() == 130
    assert "Traceback" not in run.said()
    table = run.table()
    assert isinstance(table, dict)
    assert table["played"] == 0
