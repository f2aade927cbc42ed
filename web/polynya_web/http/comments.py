"""Comments are for readers of the code: browsers get scripts and styles without them.

A script loses the comments that fill their lines; those behind code stay, for only a parser could
tell them from strings and patterns. A script with a text in backquotes over several lines is
therefore refused where the text has a line that looks like a comment.
"""

from __future__ import annotations

import re

_IN_SCRIPT = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)(?:\n|\Z)", re.MULTILINE
)
_IN_STYLE = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|[ \t]*/\*(?:(?!\*/)[\s\S])*\*/""")
_EMPTY_LINES = re.compile(r"\n\s*\n")


def script_without_comments(script: str) -> str:
    """The script without the comments that fill their lines.

    Raises:
        ValueError: a comment stands between backquotes, or seems to.
    """
    found = next(filter(_is_in_backquotes, _IN_SCRIPT.finditer(script)), None)
    if found is not None:
        raise ValueError(f"this comment may be a part of a text: {found[0].strip()}")
    return _IN_SCRIPT.sub("", script)


def _is_in_backquotes(found: re.Match[str]) -> bool:
    before = _IN_SCRIPT.sub("", found.string[: found.start()])
    return before.count("`") % 2 == 1


def style_without_comments(style: str) -> str:
    """The style sheet without comments and empty lines; texts in quotes stay."""
    return _EMPTY_LINES.sub("\n", _IN_STYLE.sub(lambda found: found[1] or "", style))
