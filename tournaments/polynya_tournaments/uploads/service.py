"""Runs the uploads of a standing server: receives, builds, validates and hosts them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec.structs import replace

from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_hosting.bots.bot_process import command_of
from polynya_hosting.bots.process_reports import ProcessReports
from polynya_hosting.bots.sandboxed_bots import working_sandbox
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import sandbox_of, words_of
from polynya_server import Server
from polynya_server.log import log
from polynya_store import Store, StoreJournal
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.archives.manifest import Manifest, recorded
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.build_queue import BuildQueue, bot_of, python_environment
from polynya_tournaments.uploads.building.build import Build
from polynya_tournaments.uploads.building.build_tools import find_build_tools
from polynya_tournaments.uploads.building.mirror_proxy import MirrorProxy
from polynya_tournaments.uploads.building.mirrors import Mirror, mirrors_of
from polynya_tournaments.uploads.hosting import HostedVersion, UploadHost
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.retention import remove_old
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.tournament_bots import sandbox_with_sdk
from polynya_tournaments.uploads.upload_folder import UploadFolder

_LOOK_S: Final = 2.0
"""Interval of checks for decisions that the host made by commands."""
_TIDY_S: Final = 3_600.0
"""Interval of clean-ups by the retention rules."""


BUILD_LIMITS: Final = SandboxLimits(
    memory_mb=2_048,
    processes=512,
    cores=os.cpu_count() or 1,
    cpu_s=600,
    open_files=4_096,
    file_mb=512,
    space_mb=1_024,
)
"""The limits of building one program."""


@dataclass(frozen=True)
class Building:
    """The sandbox, the variables and the mirrors of builds of uploads.

    Attributes:
        sandbox: what they run in.
        environment: their variables.
        mirrors: the hosts that they may reach.
    """

    sandbox: Sandbox
    environment: Mapping[str, str]
    mirrors: tuple[Mirror, ...]

    def build(self, folder: Path, manifest: Manifest, digest: str) -> Build:
        """A build of the program in a folder; the digest is that of its manifest."""
        return Build(
            folder,
            manifest,
            self.sandbox,
            environment=self.environment,
            proxy=MirrorProxy(self.mirrors),
            digest=digest,
        )


class UploadService:
    """All that a server does with uploads.

    Args:
        path: the folder of uploads.
        store: where they are recorded.
        server: the ladder's.
        journal: of its matches.
        contest: its game, clock, options and sandbox.
        sandbox: what uploaded bots run in.
        settings: what the host decides.
        building: what builds are given.

    Attributes:
        folder: of archives and programs.
        settings: as given.
        reception: takes uploads.
        host: what a ladder plays on instead of the server.
    """

    def __init__(
        self,
        path: Path,
        store: Store,
        server: Server,
        journal: StoreJournal,
        contest: TournamentConfiguration,
        sandbox: Sandbox,
        settings: UploadSettings,
        building: Building,
    ) -> None:
        archives = Limits()
        self.settings = settings
        self._store = store
        self._playing: Mapping[str, Upload] = {}
        path = path.absolute()  # programs run in folders of their own
        self.folder = UploadFolder(path)
        self.reception = Reception(store, self.folder, archives, settings)
        self._journal = journal
        self._reports = ProcessReports(server.turns_of, journal.note_processes)
        words = words_of(sandbox, contest.sandbox.limits)
        hosting = HostServer.of(server, sandbox, words, self._reports)
        self.host = UploadHost(server, hosting, self.folder.logs, settings)
        self._queue = BuildQueue(
            store,
            self.folder,
            archives,
            building.build,
            contest,
            self.offer,
            settings.builds,
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Work until cancelled; started when matches may begin."""
        await self.offer()
        async with (
            self._reports.keeping(self._journal.watching_records),
            trio.open_nursery() as nursery,
        ):
            await nursery.start(self.host.run)
            nursery.start_soon(self._queue.run)
            nursery.start_soon(self._follow)
            nursery.start_soon(self._tidy)
            task_status.started()

    async def offer(self) -> None:
        """Host the versions that the database lets play.

        Raises:
            StoreError: it cannot be read.
        """
        playing = await trio.to_thread.run_sync(self._store.uploads.playing)
        if playing != self._playing:
            self._playing = playing
            self.host.offer(self._versions(playing))

    def _versions(self, playing: Mapping[str, Upload]) -> dict[str, HostedVersion]:
        """The commands that start these uploads, from the database alone."""
        found = {}
        for name, upload in playing.items():
            folder = self.folder.program(upload.program or "")
            if upload.manifest is None:
                log.warning("an upload plays when it is built again", bot=name)
                continue
            manifest = recorded(upload.manifest)
            command = command_of(bot_of(upload, manifest, folder))
            found[name] = HostedVersion(
                name,
                upload.version,
                frozenset(manifest.games),
                command,
                partial(self.folder.using, folder.name),
            )
        return found

    async def _tidy(self) -> None:
        """Remove what need not be kept, now and then."""
        while True:
            try:
                gone = await trio.to_thread.run_sync(
                    remove_old, self._store, self.folder, self.settings
                )
            except Exception as error:
                log.warning("old uploads cannot be removed now", error=str(error))
            else:
                if gone.size:
                    log.info(
                        "old uploads were removed",
                        archives=len(gone.archives),
                        programs=len(gone.programs),
                        bytes=gone.size,
                    )
            await trio.sleep(_TIDY_S)

    async def _follow(self) -> None:
        """Act on the host's decisions, which commands write into the database."""
        while True:
            await trio.sleep(_LOOK_S)
            try:
                await self.offer()
            except Exception as error:
                log.warning("changes of uploads are not seen for now", error=str(error))


async def open_uploads(
    path: Path,
    store: Store,
    server: Server,
    journal: StoreJournal,
    contest: TournamentConfiguration,
    settings: UploadSettings,
) -> UploadService:
    """The uploads of a server; its sandbox has been tried.

    A contest without a sandbox gets bubblewrap: programs of strangers never have the host's rights.

    Args:
        path: the folder of uploads.
        store: where they are recorded.
        server: the ladder's.
        journal: of its matches.
        contest: its game, clock, options and sandbox.
        settings: what the host decides.

    Raises:
        ConfigurationError: the sandbox does not work on this machine; the message says why.
        RunError: the folder cannot be written.
    """
    tools = await trio.to_thread.run_sync(find_build_tools)
    contest = replace(contest, sandbox=sandbox_with_sdk(contest.sandbox, tools.paths))
    sandbox = await working_sandbox(contest.sandbox)
    building = Building(
        sandbox_of(replace(contest.sandbox, limits=BUILD_LIMITS)),
        tools.environment(python_environment(), settings.environment),
        mirrors_of(settings.mirrors),
    )
    return UploadService(path, store, server, journal, contest, sandbox, settings, building)
