"""The guard of a hosted bot: starts it, and leaves none of its processes behind, however it ends.

It is a separate program, the bot's parent, with few imports because each start of a bot waits for
it::

    python -I -S guard.py SETTINGS PROGRAM [ARGUMENT ...]

Its standard input is a stream socket to the server, which every sandbox passes on; the bot's is
``/dev/null``. A byte ``!`` from the server asks the bot to end (SIGTERM). When the server closes
the socket, or dies, the guard kills the bot. On it the guard writes lines: ``listening`` with a
socket, if it is to make one; ``used BEGIN END CPU`` when a byte ``?`` asks for it, and from then on
up to five times a second while processor time is used: two moments of the monotonic clock, in ns,
and the processor time up to the second, in µs, of which nothing was used between the last such line
and the first; at the end ``failed ERRNO`` if the program cannot be started, else
``full CODE VALUE``, a reason's code and its field, if it met a limit of its folder, and
``code NUMBER PEAK CPU``: how it ended (as in Popen: negative for a signal), the most memory that
one of its processes had, in KiB, and the processor time of all, in ms. The last two leave out
processes that were not waited for.

``SETTINGS`` is ``-``, or a list such as ``nofile=256,listen=1`` of the settings that a sandbox
leaves to the guard (see ``polynya_hosting.sandbox.guard_settings``):

- ``listen``: make the socket on which the server hears the bot, on loopback, and give it to the
  server. Made here, it lies in the bot's network namespace, and needs no relay: the kernel's times
  of arrival stay. ``POLYNYA_HOST`` and ``POLYNYA_PORT`` are set to its address; other
  variables have it in place of ``{POLYNYA_HOST}`` and ``{POLYNYA_PORT}``; without a socket these
  variables are dropped. ``POLYNYA_BUILD_HOME`` becomes ``HOME``: a command of the host's around
  this guard has a home of its own.
- ``as``, ``core``, ``cpu``, ``data``, ``fsize``, ``nofile``, ``nproc``: limits of the bot's
  processes (setrlimit(2)).
- ``outside``, ``entries``: the working directory is a file system of its own, for a build: copy
  into it what is in the folder with this descriptor, and back when the program has succeeded (see
  ``polynya_hosting/bots/work_folder.py``); ``entries`` bounds its files and folders.
- ``try``: test whether the program could be started and the files that follow it could be read,
  and start nothing.

The bot is in a session of its own. Descendants that lose their parents, in other sessions too,
become children of the guard (PR_SET_CHILD_SUBREAPER, prctl(2)); at the end the guard kills its
children until it has none. In a sandbox it is the first process of a PID namespace: the kernel
gives it all orphans, keeps signals of the bot from it, and ends all when it ends. No process of the
bot can trace it (PR_SET_DUMPABLE).

Outside of sandboxes there are two guards, one the parent of the other, which do the same: if one is
killed or stopped, by the bot or by the system for lack of memory, the other one still works.
"""

from __future__ import annotations

import array
import ctypes
import errno
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

_SERVER = 0
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PASSED_ON = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})
_OURS = frozenset({signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, *_PASSED_ON})
"""Signals that this program or its Python handles; a bot expects their default actions."""
_GIVE_UP_S = 10.0
"""Give up after this time on children that this user may not kill."""
_PAUSE_S = 0.001
_INNER_ENDS_S = 0.2
"""The inner guard is killed if it does not end within this time: then it hangs."""
_BACKLOG = 64
_SAMPLED_MS = 200
_LEAST_TOLD_NS = 1_000_000
_CPUCLOCK_SCHED = 2
"""The clock of a process's processor time (the kernel's ``include/linux/posix-timers.h``)."""

Settings = dict[str, int]


def main(settings: Settings, words: list[str]) -> None:
    """Run a program until it ends or the server closes the socket; leave no process behind."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    if settings:
        prctl(_PR_SET_DUMPABLE, 0)
    os.set_inheritable(_SERVER, False)
    if "try" in settings:
        _report(_tried(words))
        return
    # A signal that arrives before the guard is ready stays pending.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *_PASSED_ON})
    outer = None if settings else _guard_another(prctl, before)
    signals = _open_signals()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if "listen" in settings:
        _listen()
    _fill_variables()
    folder = _work_folder(settings) if "outside" in settings else None
    if folder is not None and not folder.copy_in():
        _report_end(1, folder)
        return
    bot = _start(words, settings, prctl)
    _leave_nothing(bot, _wait(bot, signals, folder=folder), folder)
    if outer is not None and os.getppid() == outer:
        os.kill(outer, signal.SIGCONT)  # it may have been stopped


def _guard_another(prctl: Any, mask: set[int]) -> int:
    """Fork an inner guard and go on as it; only it returns, with the outer guard's process id."""
    outer = os.getpid()
    if inner := os.fork():
        signals = _open_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = _wait(inner, signals, hears=False)
        end = time.monotonic() + _INNER_ENDS_S
        while code is None and time.monotonic() < end:
            time.sleep(_PAUSE_S)
            code = _reap(inner)
        _leave_nothing(inner, code)
        os._exit(0)
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    return outer


def _work_folder(settings: Settings) -> Any:
    """Load the module for a build's folder; other starts need not wait for its import."""
    from importlib.machinery import SourceFileLoader
    from types import ModuleType

    module = ModuleType("work_folder")
    path = os.path.join(os.path.dirname(__file__), "work_folder.py")
    SourceFileLoader(module.__name__, path).exec_module(module)
    return module.WorkFolder(settings["outside"], settings["entries"])


def _leave_nothing(child: int, code: int | None, folder: Any = None) -> None:
    """Kill a child's remaining processes, whether it has ended with a code or not; report."""
    code_of_killed = _kill_children(child)
    code = code_of_killed if code is None else code
    if folder is not None and code == 0 and not folder.copy_out():
        code = 1
    _report_end(code, folder)


def _report_end(code: int, folder: Any) -> None:
    if folder is not None and folder.limit:
        _report(f"full {folder.limit}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_ms = round((used.ru_utime + used.ru_stime) * 1000)
    _report(f"code {code} {used.ru_maxrss} {cpu_ms}")


def parsed(text: str) -> Settings:
    """Parse settings such as ``nofile=256,listen=1``."""
    pairs = [pair.partition("=") for pair in text.split(",")] if text != "-" else []
    return {key: int(value) for key, _, value in pairs}


def _tried(words: list[str]) -> str:
    program, *files = words
    folders = [""] if "/" in program else os.environ.get("PATH", os.defpath).split(":")
    paths = [os.path.join(folder, program) for folder in folders]
    if not any(os.path.isfile(path) and os.access(path, os.X_OK) for path in paths):
        return f"failed {errno.ENOENT}"
    if not all(os.access(file, os.R_OK) for file in files):
        return f"failed {errno.EACCES}"
    return "code 0 0 0"


def _listen() -> None:
    """Make the socket that the bot connects to, and give it to the server."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(_BACKLOG)
    host, port = listener.getsockname()
    os.environ.update(POLYNYA_HOST=host, POLYNYA_PORT=str(port))
    server = socket.socket(fileno=_SERVER)
    rights = array.array("i", [listener.fileno()])
    server.sendmsg([b"listening\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    server.detach()
    listener.close()


def _fill_variables() -> None:
    """Write the socket's address into the variables that ask for it; drop these without one."""
    if home := os.environ.pop("POLYNYA_BUILD_HOME", ""):
        os.environ["HOME"] = home
    host, port = (os.environ.get(name) for name in ("POLYNYA_HOST", "POLYNYA_PORT"))
    for name, value in list(os.environ.items()):
        if "{POLYNYA_PORT}" not in value:
            continue
        if host is None or port is None:
            del os.environ[name]
        else:
            filled = value.replace("{POLYNYA_PORT}", port)
            os.environ[name] = filled.replace("{POLYNYA_HOST}", host)


def _open_signals() -> int:
    """Open a pipe that receives the number of each arriving signal as a byte."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_PASSED_ON):
        signal.signal(number, lambda *_: None)
    return readable


def _start(words: list[str], settings: Settings, prctl: Any) -> int:
    """Start the bot, which dies even with a killed guard; return its process id."""
    # A signal that arrives before the bot is ready stays pending.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    if bot := os.fork():
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return bot
    report = os.dup(_SERVER)  # closed by the start of the program
    try:
        for number in _OURS:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _limit(settings, prctl)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.execvp(words[0], words)  # noqa: S606 - the host's own command, by the server
    except OSError as error:
        _report(f"failed {error.errno}", report)
    finally:
        os._exit(127)


def _limit(settings: Settings, prctl: Any) -> None:
    """Set the limits of this process and its children."""
    for key, most in settings.items():
        number = getattr(resource, f"RLIMIT_{key.upper()}", None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            # The soft limit of time sends SIGXCPU, which shows the cause; the hard one SIGKILL.
            more = 1 if key == "cpu" and limit != hard else 0
            resource.setrlimit(number, (limit, limit + more))
    if settings:
        prctl(_PR_SET_DUMPABLE, 1)  # lets it write the next file, which is its owner's
        _write("/proc/self/oom_score_adj", b"1000")  # it goes before the guard
    if nice := os.nice(0):  # a new session's part of the processor does not follow from that
        _stand_back(str(nice).encode())


def _stand_back(nice: bytes) -> None:
    """Set this session's share of the processor; the kernel accepts few changes a second."""
    for _ in range(5):
        _write("/proc/self/autogroup", nice)
        try:
            with open("/proc/self/autogroup", "rb") as file:
                if file.read().split()[-1:] == [nice]:
                    return
        except OSError:
            return  # a system without it
        time.sleep(0.05)


def _write(path: str, text: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY)
        os.write(descriptor, text)
        os.close(descriptor)
    except OSError:
        pass  # a system without it


def _report(line: str, server: int = _SERVER) -> None:
    try:  # noqa: SIM105 - contextlib is one import more
        os.write(server, f"{line}\n".encode())
    except OSError:
        pass  # the server is gone


def _wait(bot: int, signals: int, *, hears: bool = True, folder: Any = None) -> int | None:
    """Wait for the bot's end, and return its code; None if the server has closed the socket.

    A bot whose folder is full is ended, too.

    A wrapper script that is ended by a passed-on signal often exits before the bot behind it: until
    the server closes the socket the rest of the group has time to end by itself. A guard that does
    not listen leaves the server's messages to the other one.
    """
    poll = select.poll()
    poll.register(_SERVER, select.POLLIN if hears else select.POLLRDHUP)
    poll.register(signals, select.POLLIN)
    code, is_asked = None, False
    meter: _Meter | None = None
    while True:
        waits_ms = _SAMPLED_MS if meter or folder else None
        ready = {descriptor for descriptor, _ in poll.poll(waits_ms)}
        asked = _PASSED_ON.intersection(os.read(signals, 512)) if signals in ready else frozenset()
        is_over = folder is not None and folder.is_over()
        told = _told() if hears and _SERVER in ready else b""
        if _SERVER in ready:
            is_over = is_over or not told
            asked |= {signal.SIGTERM} if b"!" in told else frozenset()
        if b"?" in told and meter is None:
            meter = _Meter(bot)
        if meter is not None and (b"?" in told or not ready):
            meter.report(asked=b"?" in told)
        if asked and code is None:  # else its process id may be reused by now
            _pass_on(asked, bot)
            is_asked = True
        ended = _reap(bot)
        code = ended if code is None else code
        if is_over or (code is not None and not (is_asked and _has_group(bot))):
            return code


def _told() -> bytes:
    """Read bytes from the server; empty if it has closed the socket, or is gone."""
    try:
        return os.read(_SERVER, 512)
    except OSError:
        return b""


class _Meter:
    """Counts the processor time of a process and all its descendants.

    It misses the time that an ended process used after the last reading.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._by_process: dict[int, int] = {}
        self._used_ns = 0
        self._told_ns = 0
        self._idle_ns = time.monotonic_ns()  # all time used before this is reported

    def report(self, *, asked: bool) -> None:
        """Report to the server if it has asked, or if there is news and it reads."""
        self._look(self._process)
        now_ns = time.monotonic_ns()
        if self._used_ns == self._told_ns and not asked:
            self._idle_ns = now_ns
        elif (asked or self._used_ns - self._told_ns >= _LEAST_TOLD_NS) and select.select(
            [], [_SERVER], [], 0
        )[1]:
            _report(f"used {self._idle_ns} {now_ns} {self._used_ns // 1000}")
            self._told_ns, self._idle_ns = self._used_ns, now_ns

    def _look(self, process: int) -> None:
        try:
            used_ns = _clock_ns(process)
            children = [
                child
                for task in os.listdir(f"/proc/{process}/task")
                for child in _children(process, task)
            ]
        except OSError:
            return  # it has ended
        before = self._by_process.get(process, 0)
        self._used_ns += used_ns - before if used_ns >= before else used_ns  # else another one's
        self._by_process[process] = used_ns
        for child in children:
            self._look(child)


def _clock_ns(process: int) -> int:
    clock = (~process << 3) | _CPUCLOCK_SCHED
    return time.clock_gettime_ns(clock)


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
    """Reap all ended children; return the bot's code if it is among them."""
    code = None
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == bot:
                code = os.waitstatus_to_exitcode(ended[1])
    except ChildProcessError:
        pass  # there are no more
    return code


def _kill_children(bot: int) -> int:
    """Kill children until there are none; return the bot's code if it was among them.

    The children of a killed child become the guard's children. Only children are killed: their
    process ids are not reused until the guard has waited for them.
    """
    code = int(-signal.SIGKILL)
    end = time.monotonic() + _GIVE_UP_S
    while True:
        killed = [_kill(child) for child in _children(os.getpid(), str(os.getpid()))]
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


def _children(process: int, task: str) -> list[int]:
    with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as children:
        return [int(number) for number in children.read().split()]


def _kill(child: int) -> bool:
    try:
        os.kill(child, signal.SIGKILL)
    except PermissionError:  # another user's
        return False
    return True


if __name__ == "__main__":
    main(parsed(sys.argv[1]), sys.argv[2:])
    os._exit(0)  # the interpreter's own shutdown would take as long as its start
