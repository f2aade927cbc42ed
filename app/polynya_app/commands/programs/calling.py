"""How the running command is called from another folder."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def polynya() -> str:
    """The command's name; its file where ``PATH`` has none."""
    called = Path(sys.argv[0]).absolute()
    if shutil.which("polynya") is None and called.name == "polynya":
        return shlex.quote(str(called))
    return "polynya"
