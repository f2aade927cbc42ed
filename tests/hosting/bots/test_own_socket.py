"""Each hosted bot connects to a socket of its own, also where nothing encloses it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require_sandboxes

from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxName, SandboxSettings
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_protocol import encode
from polynya_protocol.messages import PROTOCOL_VERSION, Hello
from polynya_server import MemoryJournal, ServerSettings, hash_token, open_server

SAY = """
import os, socket, sys
with socket.create_connection((os.environ["POLYNYA_HOST"], int(os.environ["POLYNYA_PORT"]))) as own:
    own.sendall(bytes.fromhex(sys.argv[1]))
    print(os.environ["POLYNYA_HOST"], os.environ["POLYNYA_PORT"])
    print(own.recv(4096))
"""


async def said(hello: Hello, folder: Path, sandbox: SandboxName, *command: str) -> list[str]:
    """The address that the bot ann was told, and what it was answered to this hello."""
    settings = ServerSettings(host="0.0.0.0", port=0, open_registration=True)  # noqa: S104
    folder.mkdir(exist_ok=True)  # which all users can read, unlike the one around it
    program = folder / "say.py"
    program.write_text(SAY)
    async with open_server(settings, MemoryJournal()) as server:
        enclosing = sandbox_of(SandboxSettings(driver=sandbox, command=command))
        hosting = HostServer.of(server, enclosing, sandbox)
        hosting.admit("ann", hash_token("right"), 1, None)
        words = (sys.executable, str(program), encode(hello).hex())
        log = BotLog(None)
        with trio.fail_after(60):
            await run_bot(
                "ann",
                BotCommand(words, {}, folder=str(folder)),
                hosting.address.environment("ann", "right"),
                log,
                sandbox=enclosing,
                listen=hosting.listen("ann"),
            )
        address, answer = log.last_lines()
        assert address.startswith("127.0.0.1 ")
        assert address != f"127.0.0.1 {server.port}"
        assert not server.guests.is_taken("new")
    return [address, answer]


SANDBOXES = [("none",), ("command", "env", "{command}"), ("bubblewrap",), ("landlock",)]


@pytest.mark.parametrize("sandbox", SANDBOXES, ids=lambda words: words[0])
async def test_bot_comes_in_with_its_token_alone(
    sandbox: tuple[SandboxName, *tuple[str, ...]], tmp_path: Path
) -> None:
    if sandbox[0] == "bubblewrap":
        require_sandboxes()
    if sandbox[0] == "landlock":
        pytest.importorskip("sandlock")
    own = Hello(protocol=PROTOCOL_VERSION, token="right")  # noqa: S106
    new = Hello(protocol=PROTOCOL_VERSION, name="new")
    spectator = Hello(protocol=PROTOCOL_VERSION, role="spectator")

    folder = tmp_path / "bot"
    answers = [(await said(hello, folder, *sandbox))[1] for hello in (own, new, spectator)]

    assert ["welcome" in answer for answer in answers] == [True, False, False]
    assert ["only ann may connect here" in answer for answer in answers] == [False, True, True]
