"""Compiles modules by mypyc: a process of its own, which the build hook starts.

    MYPYPATH=PACKAGES' FOLDERS python compiling.py FOLDER MODULE.py ...

mypyc ends its process when something is wrong, and setuptools changes the process that imports it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import Distribution


def compile_modules(modules: list[str], folder: Path) -> None:
    """Leave the extension modules below ``folder/wheel``, as they are to lie in site-packages.

    mypy reads no settings: what is an error for a maintainer, such as a comment that is needed no
    more, is no reason not to compile.
    """
    mypy = ["--config-file=", "--explicit-package-bases", f"--cache-dir={folder / 'cache'}"]
    extensions = mypycify(
        [*mypy, *modules], opt_level="3", debug_level="0", target_dir=str(folder / "source")
    )
    distribution = Distribution({"name": "polynya", "ext_modules": extensions})
    command = distribution.get_command_obj("build_ext")
    command.build_lib = str(folder / "wheel")
    command.build_temp = str(folder / "objects")
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    compile_modules(sys.argv[2:], Path(sys.argv[1]))
