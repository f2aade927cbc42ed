"""The guard of a hosted bot: starts it, and leaves no process of it behind, however this ends.

A program of its own, the bot's parent, with few imports because each start of a bot waits for it::

    python -I -S guard.py SOCKET PROGRAM [ARGUMENT ...]

``SOCKET`` is the number of an inherited stream socket to the server. When the server closes it, or
dies, the guard kills the bot. On it the guard writes one line: ``failed ERRNO`` if the program
cannot be started, else ``code NUMBER``, how it ended (as in Popen: negative for a signal).

The bot is in a session of its own. Descendants that lose their parents, in other sessions too,
become children of the guard (PR_SET_CHILD_SUBREAPER, prctl(2)); at the end the guard kills its
children until it has none. The first process of a PID namespace gets all orphans from the kernel
and could be this program as it is.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PASSED_ON = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})
_OURS = frozenset({signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, *_PASSED_ON})
"""Signals that this program or its Python treats otherwise than a bot expects."""
_GIVE_UP_S = 10.0
"""Children that this user may not kill are left after this time."""
_PAUSE_S = 0.001


def main(server: int, words: list[str]) -> None:
    """Run a program until it ends or the server closes the socket; leave no process behind."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    os.set_inheritable(server, False)
    signals = _open_signals()
    bot = _start(words, server, prctl)
    code = _wait(bot, server, signals)
    code_of_killed = _kill_children(bot)
    _report(server, f"code {code_of_killed if code is None else code}")


def _open_signals() -> int:
    """A pipe that gets the number of each signal that comes, as a byte."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_PASSED_ON):
        signal.signal(number, lambda *_: None)
    return readable


def _start(words: list[str], server: int, prctl: Any) -> int:
    """Start the bot, which dies with the guard even if that is killed; its number."""
    # A signal that comes before the bot is ready for it waits until then.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    if bot := os.fork():
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return bot
    try:
        for number in _OURS:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.execvp(words[0], words)  # noqa: S606 - the host's own command, by the server
    except OSError as error:
        _report(server, f"failed {error.errno}")
    finally:
        os._exit(127)


def _report(server: int, line: str) -> None:
    try:  # noqa: SIM105 - contextlib is one import more
        os.write(server, f"{line}\n".encode())
    except OSError:
        pass  # the server is gone


def _wait(bot: int, server: int, signals: int) -> int | None:
    """Return when the bot has ended: its code; or when the server has closed the socket: None.

    A wrapper script that a passed-on signal ends is often quicker than the bot behind it: until the
    server closes the socket the rest of the group has time to end by itself.
    """
    poll = select.poll()
    poll.register(server, select.POLLIN)
    poll.register(signals, select.POLLIN)
    code, is_asked = None, False
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        asked = _PASSED_ON.intersection(os.read(signals, 512)) if signals in ready else frozenset()
        if asked and code is None:  # else its number may be another process's by now
            _pass_on(asked, bot)
            is_asked = True
        ended = _reap(bot)
        code = ended if code is None else code
        if server in ready or (code is not None and not (is_asked and _has_group(bot))):
            return code


def _has_group(bot: int) -> bool:
    try:
        os.killpg(bot, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True


def _pass_on(numbers: frozenset[signal.Signals], bot: int) -> None:
    for number in numbers:
        try:
            os.killpg(bot, number)
        except ProcessLookupError:  # it has no session yet
            os.kill(bot, number)
        except PermissionError:
            pass  # it is another user's by now


def _reap(bot: int) -> int | None:
    """Forget all children that have ended; the bot's code if it is among them."""
    code = None
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == bot:
                code = os.waitstatus_to_exitcode(ended[1])
    except ChildProcessError:
        pass  # there are no more
    return code


def _kill_children(bot: int) -> int:
    """Kill children until there are none; the bot's code if it was among them.

    The children of a killed child become our children. Only these are killed: their numbers are
    theirs until we have waited for them.
    """
    code = int(-signal.SIGKILL)
    end = time.monotonic() + _GIVE_UP_S
    while True:
        killed = [_kill(child) for child in _children()]
        try:
            ended, status = os.waitpid(-1, 0 if any(killed) else os.WNOHANG)
        except ChildProcessError:
            return code
        if ended == bot:
            code = os.waitstatus_to_exitcode(status)
        elif not ended:
            if time.monotonic() > end:
                return code
            time.sleep(_PAUSE_S)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
        return [int(number) for number in children.read().split()]


def _kill(child: int) -> bool:
    try:
        os.kill(child, signal.SIGKILL)
    except PermissionError:  # another user's
        return False
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
