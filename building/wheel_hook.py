"""Puts SDKs, documents, the site and compiled modules into the wheel: a build hook of hatchling."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from c_compiler import hindrance, is_wanted

_COMPILING = Path(__file__).with_name("compiling.py")
_SECONDS = 3_600
"""Generous: on a machine of today it takes less than one minute."""


class WheelHook(BuildHookInterface[Any]):
    """Adds files; an editable install needs none of them, and is interpreted.

    A wheel whose modules cannot be compiled is one of pure Python, and a warning says why.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, and say whether the wheel is for this platform alone."""
        self._folder = tempfile.TemporaryDirectory()
        if version == "editable":
            return
        build_data["force_include"].update(self._sdk_sources())
        build_data["force_include"].update(self._documents())
        build_data["force_include"].update(self._site())
        if is_wanted() and self._has_compiled():
            build_data["force_include"].update(self._extension_modules())
            build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what the wheel has in it now."""
        self._folder.cleanup()

    def _sdk_sources(self) -> Iterator[tuple[str, str]]:
        """``clients/<sdk>/...`` as ``polynya_common/sdks/<sdk>/...``: for ``new-bot``."""
        root = Path(self.root)
        kits = tomllib.loads(
            (root / "hosting/polynya_hosting/kits/starters/kits.toml").read_text("utf-8")
        )
        for kit in kits.values():
            home = root / "clients" / kit["sdk"]
            for path in (path for pattern in kit["sources"] for path in home.glob(pattern)):
                target = Path("polynya_common/sdks", kit["sdk"], path.relative_to(home))
                yield str(path), str(target)

    def _documents(self) -> Iterator[tuple[str, str]]:
        """``docs/...`` as ``polynya_common/documents/...``: rules and guides of the pages."""
        docs = Path(self.root, "docs")
        for path in (*docs.glob("*.md"), *docs.glob("rules/*.md"), *docs.glob("rules/*.svg")):
            yield str(path), str(Path("polynya_common/documents", path.relative_to(docs)))

    def _site(self) -> Iterator[tuple[str, str]]:
        """``build/site/html`` as ``polynya_common/site``, if ``make site`` has built it."""
        site = Path(self.root, "build/site/html")
        for path in site.rglob("*"):
            if path.is_file():
                yield str(path), str(Path("polynya_common/site", path.relative_to(site)))

    def _has_compiled(self) -> bool:
        """Compile; whether that has succeeded. If not, say why."""
        why = hindrance() or self._failure()
        if why is not None:
            self.app.display_warning(
                "This wheel of Polynya is pure Python, in which a turn costs the server more than "
                f"if it were compiled, because {why}."
            )
        return why is None

    def _failure(self) -> str | None:
        """Compile; None, or what went wrong."""
        bases = [str(Path(package).parent) for package in self.build_config.packages]
        try:
            done = subprocess.run(  # noqa: S603 - of this folder
                [sys.executable, str(_COMPILING), self._folder.name, *self.config["compiled"]],
                cwd=self.root,
                env={**os.environ, "MYPYPATH": os.pathsep.join(bases)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return f"compiling failed: {error}"
        if done.returncode == 0:
            return None
        self.app.display_warning(done.stdout)
        return "compiling failed, as is said above"

    def _extension_modules(self) -> Iterator[tuple[str, str]]:
        """The compiled modules, with their places in the wheel."""
        wheel = Path(self._folder.name, "wheel")
        for path in wheel.rglob("*"):
            if path.is_file():
                yield str(path), str(path.relative_to(wheel))
