"""The coordinator's side of a Dask cluster: submits blocks as tasks, and fetches their results.

Dask's client runs its own threads. A trio task waits for an event that such a thread sets; slow
calls run in trio's worker threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

import dask
import msgspec
import trio
from distributed import Client, Future, KilledWorker, Scheduler, SpecCluster, Worker
from distributed.comm import connect
from distributed.comm.core import FatalCommClosedError
from distributed.security import Security

from polynya_common.errors import RunError, unwrap_single_error
from polynya_common.text import join_words
from polynya_contest.config.dask_settings import LOCAL, DaskSettings
from polynya_protocol.errors import printable
from polynya_server.changes import Changes
from polynya_server.version import version
from polynya_tournaments.cancellation import cancelled_by
from polynya_tournaments.distribution.block_messages import (
    BlockResult,
    BlockTask,
    decode_result,
    encode,
)
from polynya_tournaments.distribution.worker import PolynyaPlugin, play_blocks
from polynya_tournaments.tournament.progress_events import Reporter, WorkerProgress

_CONNECT_S = 5
_ASK_S = 10
_RESULT_S = 60
_LOOK_S = 1.0
_RETRY_S = 0.5
_AVOID_S = 60.0
"""How long other workers are preferred to a worker that could not play a block."""


class _LostError(Exception):
    """The scheduler, or the result that it named, is gone."""


class Cluster:
    """The workers of a tournament; made by :func:`open_cluster`.

    Args:
        address: of the scheduler.
        settings: of the cluster.
        reporter: receives progress and problems.
        cores: how many cores each block needs. Workers with fewer get blocks only if all have
            fewer; such a worker plays one block at a time.

    Attributes:
        changes: told when workers came or went.
        workers: the threads of each worker, by its address: one for each core.
    """

    def __init__(
        self, address: str, settings: DaskSettings, reporter: Reporter, cores: int = 1
    ) -> None:
        self.changes = Changes()
        self.workers: dict[str, int] = {}
        self._address = address
        self._settings = settings
        self._reporter = reporter
        self._cores = cores
        self._client: Any = None
        self._connecting = trio.Lock()
        self._waiting = 0
        self._avoided: dict[str, float] = {}
        self._refusing: set[str] = set()
        self._told_empty = False
        self._told_missing = False
        self._told_narrow = False
        self._names: dict[str, str] = {}

    @property
    def slots(self) -> int:
        """How many blocks are played at the same time."""
        return sum(threads // self._cores for threads in self.workers.values()) or len(self.workers)

    async def play(
        self, tasks: Sequence[BlockTask], archive: Callable[[str], bytes]
    ) -> list[BlockResult]:
        """Let a worker play blocks; those that are lost on the way, once more.

        Args:
            tasks: blocks of the same bots.
            archive: reads an archive of its bots, by SHA-256.

        Returns:
            The results, in the order of the tasks.

        Raises:
            RunError: the scheduler is gone and did not come back.
        """
        left = dict(enumerate(map(encode, tasks)))
        found: dict[int, BlockResult] = {}
        sent: dict[str, bytes] = {}
        asked_by: list[str] | None = None
        self._waiting += 1
        try:
            while left:
                client = await self.client()
                workers = asked_by or self._preferred()
                asked_by = None
                try:
                    results = await self._run(client, list(left.values()), sent, workers)
                except _LostError:
                    self._lose(client)
                    continue
                first = results[0]
                if first.refused is not None and self._others_than(first):
                    continue
                if first.missing:
                    # Once per worker and bot; to another worker if the asking worker is gone.
                    sent = {
                        digest: await trio.to_thread.run_sync(archive, digest)
                        for digest in first.missing
                    }
                    asked_by = [first.address]
                    continue
                for number, result in zip(list(left), results, strict=True):
                    if not result.returned:
                        self._note_failure(result)
                        found[number] = result
                        del left[number]
        finally:
            self._waiting -= 1
        return [found[number] for number in range(len(tasks))]

    async def _run(
        self,
        client: Client,
        tasks: Sequence[bytes],
        archives: Mapping[str, bytes],
        workers: list[str] | None,
    ) -> list[BlockResult]:
        """Run a task of Dask; its results are released when they are here.

        Raises:
            _LostError: the result will not come.
        """
        token = trio.lowlevel.current_trio_token()
        done = trio.Event()

        def submit() -> Future:
            future = client.submit(
                play_blocks,
                list(tasks),
                dict(archives),
                workers=workers,
                # A worker without enough cores must not take what waits for others.
                allow_other_workers=workers is not None and not self._narrow,
                pure=False,
            )
            # The loop of trio may be over when the client is closed.
            future.add_done_callback(lambda _: _set(token, done))
            return future

        try:
            future = await trio.to_thread.run_sync(submit)
        except Exception as error:
            raise _LostError from error
        try:
            while not done.is_set():
                with trio.move_on_after(_LOOK_S):
                    await done.wait()
                if workers and self.workers.keys().isdisjoint(workers):
                    await _check_runnable(client, future)
            get = partial(_results, future, len(tasks))
            return await trio.to_thread.run_sync(get, abandon_on_cancel=True)
        finally:
            with suppress(Exception):
                future.release()

    def _note_failure(self, result: BlockResult) -> None:
        """A worker that fails at once would be free at once, and get all blocks."""
        if result.failed is not None and result.address:
            self._avoided[result.address] = trio.current_time() + _AVOID_S

    def _others_than(self, result: BlockResult) -> bool:
        """Whether some workers have not refused to play; each refusal is reported once."""
        is_told = result.address in self._refusing
        self._refusing.add(result.address)
        others = bool(self.workers.keys() - self._refusing) and result.address != ""
        if others and not is_told:
            self._reporter.warning(f"{result.refused}; the others play without this worker")
        return others

    def _preferred(self) -> list[str] | None:
        """The workers with enough cores that have not failed lately; None if there is no choice."""
        now = trio.current_time()
        self._avoided = {one: until for one, until in self._avoided.items() if until > now}
        able = self.workers.keys() - self._refusing - self._narrow
        good = able - self._avoided.keys()
        if good:
            return sorted(good) if len(good) < len(self.workers) else None
        return sorted(able) if self._narrow else None

    @property
    def _narrow(self) -> set[str]:
        """The workers that have fewer cores than a block needs, if others have enough."""
        found = {one for one, threads in self.workers.items() if threads < self._cores}
        return found if self.workers.keys() - self._refusing - found else set()

    def _lose(self, client: Client) -> None:
        """Forget a client that has lost its scheduler, with all that it promised."""
        if self._client is client and client.status != "running":
            self._client = None
            self._told_missing = True
            self._reporter.warning(
                f"the scheduler {self._address} is gone; the blocks that were being played are "
                f"played again when it is back, within {self._settings.wait_s} s"
            )

    async def client(self) -> Any:
        """The client of a scheduler that answers; waits for one, at most ``wait_s``.

        Raises:
            RunError: none answers.
        """
        async with self._connecting:
            if self._client is not None and self._client.status == "running":
                return self._client
            self._client = None
            self._client = await self._connected()
            return self._client

    async def _connected(self) -> Client:
        deadline = trio.current_time() + self._settings.wait_s
        attempt = partial(_connect, self._address, self._settings)
        while True:
            client = await trio.to_thread.run_sync(attempt, abandon_on_cancel=True)
            if client is not None:
                self._told_missing = False
                return client
            if trio.current_time() > deadline:
                break
            if not self._told_missing:
                self._reporter.warning(
                    f"the scheduler {self._address} does not answer; the run waits for it, at most "
                    f"{self._settings.wait_s} s"
                )
                self._told_missing = True
            await trio.sleep(_RETRY_S)
        raise RunError(
            f"the scheduler {self._address} did not answer for {self._settings.wait_s} s; what was "
            "played is recorded: start the scheduler, and the same command goes on"
        )

    async def watch(self) -> None:
        """Check the workers each second and report lost ones, until cancelled."""
        while True:
            await self.look()
            await trio.sleep(_LOOK_S)

    async def look(self) -> None:
        """Look after the workers once."""
        client: Any = self._client
        if client is not None and client.status == "running":
            found = await trio.to_thread.run_sync(_workers, client, abandon_on_cancel=True)
            if found is not None:
                self._note(found)
        elif client is not None:
            self._lose(client)

    def _note(self, seen: dict[str, _Seen]) -> None:
        found = {address: one.threads for address, one in seen.items()}
        gone = sorted(self._names[address] for address in self.workers.keys() - found.keys())
        self._names = {address: printable(one.name) for address, one in seen.items()}
        if gone:
            self._reporter.warning(
                f"gone from the cluster: {join_words(gone)}; other workers play what "
                "they had not finished"
            )
        if not found and not self._told_empty:
            self._reporter.warning(
                f"no worker is connected to {self._address}: blocks wait for one; "
                f"'dask worker --no-nanny {self._address}' starts one"
            )
        self._told_empty = not found
        changed = self.workers != found
        self.workers = found
        self._warn_of_narrow()
        in_work = min(self._waiting, self.slots)
        self._reporter.workers(WorkerProgress(len(found), self.slots, self._waiting - in_work))
        if changed:
            self.changes.notify()

    def _warn_of_narrow(self) -> None:
        """Report once that workers have fewer cores than a block needs."""
        few = sorted(self._names[one] for one, n in self.workers.items() if n < self._cores)
        if not few or self._told_narrow:
            return
        self._told_narrow = True
        if self._narrow:
            follows = "other workers play the matches"
        else:
            follows = "each plays one match at a time, and its bots share the cores"
        self._reporter.warning(
            f"the {self._cores} bots of a match think at the same time, and {join_words(few)} "
            f"{'has' if len(few) == 1 else 'have'} fewer cores: {follows}"
        )

    async def close(self) -> None:
        """Leave the cluster; its workers stay."""
        client, self._client = self._client, None
        if client is not None:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(_close, client)


async def _check_runnable(client: Client, future: Future) -> None:
    """Return if a task runs, has run, or can.

    A scheduler without workers ties a task that prefers some to their addresses: a worker that
    comes back at another one would not get it.

    Raises:
        _LostError: it waits for workers that are gone.
    """

    def ask() -> str | None:
        with suppress(Exception):
            states: Any = client.sync(
                client.scheduler.get_task_status, keys=[future.key], callback_timeout=_ASK_S
            )
            return str(states[future.key])
        return None

    if await trio.to_thread.run_sync(ask, abandon_on_cancel=True) == "no-worker":
        raise _LostError


def _set(token: trio.lowlevel.TrioToken, event: trio.Event) -> None:
    with suppress(trio.RunFinishedError):
        token.run_sync_soon(event.set)


def _results(future: Future, count: int) -> list[BlockResult]:
    """The results of ``count`` blocks.

    Raises:
        _LostError: they will not come.
    """
    if future.status == "error":
        error = future.exception(timeout=_RESULT_S)
        if isinstance(error, KilledWorker):
            why = "the workers that played it ended, one after another"
            return [BlockResult(worker="", failed=why)] * count
        why = f"a worker cannot run it: {printable(repr(error))}; install 'polynya[dask]' there"
        return [BlockResult(worker="", refused=why)] * count
    if future.status != "finished":
        raise _LostError
    try:
        return [decode_result(result) for result in future.result(timeout=_RESULT_S)]
    except msgspec.DecodeError:
        raise
    except Exception as error:  # cancelled, or its worker is gone
        raise _LostError from error


def _connect(address: str, settings: DaskSettings) -> Client | None:
    """A client of the scheduler, with our plugin on its workers; None if it does not answer.

    Raises:
        RunError: a worker has another version of polynya, or no scheduler of Dask is there.
    """
    security = _security(settings)
    try:
        if settings.scheduler != LOCAL:
            asyncio.run(_check_answer(address, security or Security()))
        client = Client(
            address,
            timeout=_CONNECT_S,
            security=security,
            set_as_default=False,
            name="polynya",
        )
    except Exception as error:
        if isinstance(error, OSError) and not isinstance(error, FatalCommClosedError):
            return None
        # Bytes of another protocol are read as the length of a message.
        is_other = isinstance(error, (MemoryError, OverflowError))
        why = "another program answers there" if is_other else printable(str(error))
        if address.startswith("tls:") and settings.tls_ca is None:
            why += "; name the files of certificates with tls_ca, tls_cert and tls_key"
        raise RunError(f"cannot connect to {address} as to a scheduler of Dask: {why}") from error
    try:
        client.register_plugin(PolynyaPlugin(version()))
    except RuntimeError as error:
        _close(client)
        raise RunError(str(error)) from error
    except Exception:
        _close(client)
        return None
    return client


async def _check_answer(address: str, security: Security) -> None:
    """Return if a scheduler answers: Dask's client would wait without an end for its greeting.

    Raises:
        OSError: none answers in time.
    """
    async with asyncio.timeout(_CONNECT_S):
        arguments = security.get_connection_args("client")
        comm = await connect(address, timeout=_CONNECT_S, **arguments)
        comm.abort()


def _close(client: Client) -> None:
    with suppress(Exception):
        client.close(timeout=_CONNECT_S)


class _Seen(NamedTuple):
    """A worker as the scheduler knows it."""

    name: str
    threads: int


def _workers(client: Client) -> dict[str, _Seen] | None:
    """The workers by address; None if the scheduler does not answer."""
    try:
        found: Any = client.sync(client.scheduler.identity, callback_timeout=_ASK_S)
        return {
            address: _Seen(f"{one['name']}@{one['host']}", one["nthreads"])
            for address, one in found["workers"].items()
        }
    except Exception:
        return None


def _security(settings: DaskSettings) -> Security | None:
    if settings.tls_ca is None:
        return None  # Dask's own configuration
    return Security(
        tls_ca_file=settings.tls_ca,
        tls_client_cert=settings.tls_cert,
        tls_client_key=settings.tls_key,
        require_encryption=True,
    )


@asynccontextmanager
async def open_cluster(
    settings: DaskSettings, reporter: Reporter, stop: trio.Event, cores: int = 1
) -> AsyncIterator[Cluster]:
    """Open a cluster until the context exits; ``local`` workers end with it.

    Args:
        settings: its address; ``local`` starts the workers.
        reporter: receives progress and problems.
        stop: ends the run.
        cores: how many cores each block needs.

    If ``stop`` is set before a scheduler answers, the cluster has no workers.

    Raises:
        RunError: no scheduler answers.
    """
    _quieten()
    local: Any = None
    address = settings.scheduler
    if address == LOCAL:
        local = await trio.to_thread.run_sync(partial(_local_cluster, settings.workers, cores))
        address = local.scheduler_address
    cluster = Cluster(address, settings, reporter, cores)
    try:
        await _find(cluster, stop)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.watch)
            yield cluster
            nursery.cancel_scope.cancel()
    finally:
        await cluster.close()
        if local is not None:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(local.close)


async def _find(cluster: Cluster, stop: trio.Event) -> None:
    """Return when the scheduler has answered, or when the run is stopped."""
    with unwrap_single_error():
        async with cancelled_by(stop.wait):
            await cluster.client()
            await cluster.look()


def _quieten() -> None:
    """Silence Dask's own log lines: the run reports events in sentences."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})  # a large bot


def _local_cluster(cores: int, of_block: int) -> SpecCluster:
    """Workers in threads of this process: the referees have processes of their own.

    Each worker plays one block at a time; together they have ``cores``.
    """
    here = {"protocol": "inproc://", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
    one = {"cls": Worker, "options": {**here, "nthreads": min(cores, of_block), "memory_limit": 0}}
    return SpecCluster(
        scheduler={"cls": Scheduler, "options": here},
        workers=dict.fromkeys(range(max(1, cores // of_block)), one),
    )
