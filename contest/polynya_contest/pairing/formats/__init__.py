"""The formats of tournaments: each draws the matches that follow from the results so far.

``brackets`` and ``swiss`` draw round by round; round robin, gauntlet and SPRT need no results.
"""

from polynya_contest.pairing.formats.formats_by_name import format_of
from polynya_contest.pairing.formats.interface import Block, Entrant, Format, PlayedBlock

__all__ = ["Block", "Entrant", "Format", "PlayedBlock", "format_of"]
