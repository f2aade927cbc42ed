"""The formats of rules 1: tournaments that began under them are drawn and verified by them.

Nothing here changes any more: a tournament that was published years ago is verified by this code.
"""

from polynya_contest.pairing.formats.rules1.settings import format_of

__all__ = ["format_of"]
