"""Standard output belongs to the program that uses the server."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import trio
from polynya_server import MemoryJournal, ServerSettings, open_server
from polynya_server.log import log

async def main():
    async with open_server(ServerSettings(hello_ms=1), MemoryJournal()) as server:
        stream = await trio.open_tcp_stream(server.host, server.port)
        async with stream:
            while await stream.receive_some():
                pass
    log.info("not worth a line")
    log.warning("worth one", bot="ada")

trio.run(main)
print("mine")
"""


def test_a_program_that_sets_no_log_up_has_standard_output_for_itself() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True
    )
    assert ran.stdout == "mine\n"
    assert "worth one" in ran.stderr
    assert "bot=ada" in ran.stderr
    assert "not worth a line" not in ran.stderr
