"""Completes a tournament's description with the commands of uploaded bots."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import replace

from polynya_common.errors import ConfigurationError, NotInStoreError
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_store import Store
from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.archives.manifest import recorded
from polynya_tournaments.uploads.build_queue import bot_of
from polynya_tournaments.uploads.building.build_tools import find_build_tools
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.upload_folder import UploadFolder


def with_uploads(
    configuration: TournamentConfiguration,
    store: Store,
    held: ExitStack,
    folder: str | None = None,
) -> TournamentConfiguration:
    """Give the bots with ``upload`` in a description the commands of their programs.

    They run in bubblewrap if the description names no sandbox. A bot without a version gets the
    version that plays now; a tournament that has begun keeps the versions that it began with.

    Args:
        configuration: the checked description.
        store: where uploads are recorded.
        held: until it is closed no program of them is removed.
        folder: of uploads, where the description names none.

    Raises:
        ConfigurationError: an upload is not there; the message names its key.
    """
    if all(bot.upload is None for bot in configuration.bots):
        return configuration
    path = configuration.uploads or folder
    if path is None:
        raise ConfigurationError(
            "uploads: a bot has upload, so name the folder that 'polynya serve --uploads' keeps"
        )
    uploads = UploadFolder(Path(path).absolute())
    versions = _Versions(configuration, store)
    bots = [
        bot
        if bot.upload is None
        else _with_command(versions.of(bot), f"bots[{number}].upload", uploads, store, held)
        for number, bot in enumerate(configuration.bots)
    ]
    sandbox = sandbox_with_sdk(configuration.sandbox, find_build_tools().paths)
    return replace(configuration, bots=bots, sandbox=sandbox)


class _Versions:
    """The versions of bots whose description names none."""

    def __init__(self, configuration: TournamentConfiguration, store: Store) -> None:
        named = {bot.upload for bot in configuration.bots}
        begun = store.uploads.of_tournament(configuration.name)
        self._found = {name: one.label for name, one in store.uploads.playing().items()}
        for upload in reversed(begun):
            if upload.label not in named:
                self._found[upload.bot] = upload.label

    def of(self, bot: BotConfiguration) -> BotConfiguration:
        """The bot with a version, if there is one."""
        name = bot.upload or ""
        return bot if "@" in name else replace(bot, upload=self._found.get(name, name))


def sandbox_with_sdk(sandbox: SandboxSettings, paths: Iterable[Path]) -> SandboxSettings:
    """The sandbox of uploaded bots: bubblewrap, if it is none; they see the SDK and these paths."""
    sdk = builtin_command("random").environment["PYTHONPATH"]
    return replace(
        sandbox,
        driver="bubblewrap" if sandbox.driver == "none" else sandbox.driver,
        paths=(*sandbox.paths, sdk, *map(str, paths)),
    )


def _with_command(
    bot: BotConfiguration, key: str, folder: UploadFolder, store: Store, held: ExitStack
) -> BotConfiguration:
    name, at, version = (bot.upload or "").partition("@")
    if not at:
        raise ConfigurationError(f"{key}: there is no accepted version of {name}")
    try:
        upload = store.uploads.accepted(name, version)
        started = _started(upload, folder, held)
    except (NotInStoreError, UploadError) as error:
        raise ConfigurationError(f"{key}: {error}") from error
    return replace(
        started,
        name=bot.name,
        environment={**started.environment, **bot.environment},
        withdrawn=bot.withdrawn,
        upload=bot.upload,
    )


def _started(upload: Upload, folder: UploadFolder, held: ExitStack) -> BotConfiguration:
    """How it is started where it was built; it is not removed until ``held`` is closed."""
    if upload.program is None or upload.manifest is None:
        raise UploadError(
            f"{upload.label} is not built at the moment: 'polynya uploads rebuild {upload.label}' "
            "builds it"
        )
    held.enter_context(folder.using(upload.program))
    return bot_of(upload, recorded(upload.manifest), folder.program(upload.program))
