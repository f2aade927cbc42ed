"""The plain reactor: a trio task for each direction of each connection."""

from __future__ import annotations

import select
from collections.abc import Awaitable, Callable

import trio

from polynya_server.transport.base import Reactor, SocketClient
from polynya_server.transport.fast.write_batch import WriteBatch


class TaskReactor:
    """Runs a task per socket and direction that waits with trio and calls the client.

    Attributes:
        batch: None: each write is sent at once.
    """

    def __init__(self, nursery: trio.Nursery) -> None:
        self.batch: WriteBatch | None = None
        self._nursery = nursery
        self._reading: dict[SocketClient, trio.CancelScope] = {}
        self._writing: dict[SocketClient, trio.CancelScope] = {}

    def add(self, client: SocketClient) -> None:
        """See :class:`Reactor`."""
        self.set_interest(client, readable=True, writable=False)

    def set_interest(self, client: SocketClient, *, readable: bool, writable: bool) -> None:
        """See :class:`Reactor`."""
        wait = trio.lowlevel.wait_readable
        self._switch(self._reading, client, readable, wait, client.on_readable)
        wait = trio.lowlevel.wait_writable
        self._switch(self._writing, client, writable, wait, client.on_writable)

    def reschedule(self, client: SocketClient) -> None:
        """See :class:`Reactor`: the client's task goes on by itself."""

    def remove(self, client: SocketClient) -> None:
        """See :class:`Reactor`."""
        self.set_interest(client, readable=False, writable=False)

    async def run(self) -> None:
        """See :class:`Reactor`; the clients' own tasks do the work."""
        await trio.sleep_forever()

    def close(self) -> None:
        """See :class:`Reactor`."""

    def _switch(
        self,
        scopes: dict[SocketClient, trio.CancelScope],
        client: SocketClient,
        wanted: bool,
        wait: Callable[[int], Awaitable[None]],
        call: Callable[[], None],
    ) -> None:
        if wanted and client not in scopes:
            scopes[client] = scope = trio.CancelScope()
            self._nursery.start_soon(self._serve, client, scope, wait, call)
        elif not wanted and client in scopes:
            scopes.pop(client).cancel()

    async def _serve(
        self,
        client: SocketClient,
        scope: trio.CancelScope,
        wait: Callable[[int], Awaitable[None]],
        call: Callable[[], None],
    ) -> None:
        with scope:
            while not scope.cancel_called:
                await wait(client.fileno())
                try:
                    call()
                except Exception as error:
                    client.on_crash(error)


def make_reactor(nursery: trio.Nursery, *, private_epoll: bool, write_batches: bool) -> Reactor:
    """Make the fast reactor if it is requested and the system has epoll, else the plain one."""
    if private_epoll and hasattr(select, "epoll"):
        from polynya_server.transport.fast.epoll_reactor import EpollReactor

        return EpollReactor(WriteBatch() if write_batches else None)
    return TaskReactor(nursery)
