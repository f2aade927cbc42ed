"""Links in an upload: do they stay within it?"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

_MOST_LINKS: Final = 40
"""As many as the kernel follows on the way to one file (path_resolution(7))."""


def leads_out(path: str, links: Mapping[str, str]) -> bool:
    """Whether a link leads out of the folder, on its way or in the end, or in a circle.

    A link to nothing within the folder does not: a build may make what it names.

    Args:
        path: of the link, from the folder on.
        links: all links of the folder, with their targets.
    """
    at = PurePosixPath(path).parent
    followed = 0
    ahead = deque([links[path]])
    while ahead:
        target = ahead.popleft()
        if target.startswith("/"):
            return True
        first, slash, rest = target.partition("/")
        if slash:
            ahead.appendleft(rest.lstrip("/"))
        if first == "..":
            if not at.parts:
                return True
            at = at.parent
        elif first not in ("", "."):
            inner = links.get(str(at / first))
            if inner is None:
                at /= first
                continue
            followed += 1
            if followed > _MOST_LINKS:
                return True
            ahead.appendleft(inner)
    return False
