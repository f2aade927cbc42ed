"""Who is called when a socket can be read or written.

Waiting by trio costs two ``epoll_ctl`` calls per wait, because its registrations are one-shot. One
private epoll set whose own descriptor trio waits for saves them and a task per connection: a turn
costs 8.2 µs instead of 10, an idle connection 0.3 KiB instead of 3.3. Where there is no epoll, a
task per connection does the same calls.

The set tells once when something has come (edge-triggered), so that who is left waiting is not
told of again and again. A client therefore reads all that has come, or says that it has not. Where
more can be read than is served at once, ``cohort.py`` says in which order.
"""

from __future__ import annotations

import contextlib
import select
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter_ns
from typing import Final, Protocol

import trio

from polynya_server.transport.busy_poll import BusyPoll
from polynya_server.transport.cohort import Cohort, Events
from polynya_server.transport.cores import usable_cores
from polynya_server.transport.cork import Cork

BUSY_NS: Final = 1_000_000
"""How long batches are served, in real time, before other tasks run again."""

_MOST_TOLD: Final = 256
"""How many sockets the operating system is asked for at once."""

if sys.platform == "linux":
    _READ: Final = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLET
    _ENDED: Final = select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR


class Client(Protocol):
    """Has a socket; its callbacks do what can be done at once and never wait."""

    def fileno(self) -> int:
        """The socket's descriptor."""

    def on_readable(self) -> None:
        """Bytes, the end of the stream or an error can be read.

        Who leaves some of the bytes unread calls :meth:`Pump.watch` or :meth:`Pump.again`.
        """

    def on_writable(self) -> None:
        """Bytes can be written."""

    def on_crash(self, error: Exception) -> None:
        """One of the callbacks raised ``error``: a bug, which must end no one else."""


class Pump(Protocol):
    """Calls clients when their sockets are ready, as long as :meth:`run` runs."""

    def add(self, client: Client) -> None:
        """Call ``client`` when it can be read."""

    def watch(self, client: Client, *, readable: bool, writable: bool) -> None:
        """Change what an added client is called for, and call it if it can be done now."""

    def again(self, client: Client) -> None:
        """Call ``on_readable`` of an added client once more, after those of the present batch.

        It has more to read than it reads at once, and its turn would come after all others.
        """

    def remove(self, client: Client) -> None:
        """Call it no more; before its socket is closed."""

    async def run(self) -> None:
        """Serve the clients for ever."""

    def close(self) -> None:
        """Serve nobody any more."""


class EpollPump:
    """One task that reads one private epoll set."""

    def __init__(self, cork: Cork) -> None:
        self._cork = cork
        self._epoll = select.epoll()
        self._clients: dict[int, Client] = {}
        self._others: dict[int, int] = {}  # what is watched for, unless it is reading
        self._cohort = Cohort()
        self._again = -1  # the descriptor of who is to be called again
        self._busy_poll = BusyPoll(usable_cores())

    def add(self, client: Client) -> None:
        """See :class:`Pump`."""
        self._clients[client.fileno()] = client
        self._epoll.register(client.fileno(), _READ)

    def watch(self, client: Client, *, readable: bool, writable: bool) -> None:
        """See :class:`Pump`."""
        descriptor = client.fileno()
        events = (_READ if readable else select.EPOLLET) | (select.EPOLLOUT if writable else 0)
        if events == _READ:
            self._others.pop(descriptor, None)
        else:
            self._others[descriptor] = events
        self._epoll.modify(descriptor, events)

    def again(self, client: Client) -> None:
        """See :class:`Pump`."""
        self._again = client.fileno()

    def remove(self, client: Client) -> None:
        """See :class:`Pump`."""
        descriptor = client.fileno()
        if self._clients.pop(descriptor, None) is not None:
            self._others.pop(descriptor, None)
            self._cohort.forget(descriptor)
            self._epoll.unregister(descriptor)

    async def run(self) -> None:
        """See :class:`Pump`."""
        with contextlib.suppress(trio.ClosedResourceError):
            while not self._epoll.closed:
                if self._serve():
                    await trio.lowlevel.checkpoint()
                elif self._busy_poll.is_awake(idle_ns := perf_counter_ns()):
                    await trio.lowlevel.checkpoint()
                    self._busy_poll.missed(perf_counter_ns() - idle_ns)
                else:
                    await trio.lowlevel.wait_readable(self._epoll.fileno())

    def close(self) -> None:
        """See :class:`Pump`."""
        trio.lowlevel.notify_closing(self._epoll.fileno())
        self._epoll.close()

    def _serve(self) -> bool:
        """Serve who can be served; whether there may be more of them, and others have waited."""
        end_ns = perf_counter_ns() + BUSY_NS
        while ready := self._next():
            with self._cork:
                self._call(ready)
            now_ns = perf_counter_ns()
            self._busy_poll.served(now_ns)
            if now_ns > end_ns:
                return True
        return False

    def _next(self) -> Events:
        """Who is served next; nobody, if nobody can be."""
        ready = self._cohort.next(self._epoll.poll(0, _MOST_TOLD))
        if self._again >= 0:
            ready.insert(0, (self._again, select.EPOLLIN))
            self._again = -1
        return ready

    def _call(self, ready: Events) -> None:
        clients, writable = self._clients, select.EPOLLOUT
        for descriptor, events in ready:
            client = clients.get(descriptor)
            if client is None:
                continue  # an earlier one of the batch has closed it
            try:
                if events & ~writable:
                    client.on_readable()
                if events & writable and descriptor in clients:
                    client.on_writable()
            except Exception as error:
                client.on_crash(error)
            if events & _ENDED and descriptor in clients:  # the end is told of once, and not read
                self._epoll.modify(descriptor, self._others.get(descriptor, _READ))


class TaskPump:
    """A task per client and direction, by trio's own means; for systems without epoll."""

    def __init__(self, nursery: trio.Nursery, cork: Cork) -> None:
        self._nursery = nursery
        self._cork = cork
        self._reading: dict[Client, trio.CancelScope] = {}
        self._writing: dict[Client, trio.CancelScope] = {}

    def add(self, client: Client) -> None:
        """See :class:`Pump`."""
        self.watch(client, readable=True, writable=False)

    def watch(self, client: Client, *, readable: bool, writable: bool) -> None:
        """See :class:`Pump`."""
        self._switch(self._reading, client, readable)
        self._switch(self._writing, client, writable)

    def again(self, client: Client) -> None:
        """See :class:`Pump`: each client's task asks in its turn."""

    def remove(self, client: Client) -> None:
        """See :class:`Pump`."""
        self.watch(client, readable=False, writable=False)

    async def run(self) -> None:
        """See :class:`Pump`; the clients' own tasks do the work."""
        await trio.sleep_forever()

    def close(self) -> None:
        """See :class:`Pump`."""

    def _switch(self, scopes: dict[Client, trio.CancelScope], client: Client, wanted: bool) -> None:
        if wanted and client not in scopes:
            scopes[client] = scope = trio.CancelScope()
            if scopes is self._reading:
                wait, call = trio.lowlevel.wait_readable, client.on_readable
            else:
                wait, call = trio.lowlevel.wait_writable, client.on_writable
            self._nursery.start_soon(self._serve, client, scope, wait, call)
        elif not wanted and client in scopes:
            scopes.pop(client).cancel()

    async def _serve(
        self,
        client: Client,
        scope: trio.CancelScope,
        wait: Callable[[int], Awaitable[None]],
        call: Callable[[], None],
    ) -> None:
        with scope:
            while not scope.cancel_called:
                await wait(client.fileno())
                try:
                    with self._cork:
                        call()
                except Exception as error:
                    client.on_crash(error)


def make_pump(nursery: trio.Nursery, cork: Cork, private_epoll: bool) -> Pump:
    """The best pump that this system has, or the portable one if that is asked for."""
    if private_epoll and sys.platform == "linux":
        return EpollPump(cork)
    return TaskPump(nursery, cork)
