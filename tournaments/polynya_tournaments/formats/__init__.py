"""The formats of tournaments: who meets whom next, from what has been played."""

from polynya_tournaments.formats.settings import format_of
from polynya_tournaments.formats.values import Block, Entrant, Format, PlayedBlock

__all__ = ["Block", "Entrant", "Format", "PlayedBlock", "format_of"]
