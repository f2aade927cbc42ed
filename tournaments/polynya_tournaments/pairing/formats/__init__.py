"""The formats of tournaments: who meets whom next, from what has been played."""

from polynya_tournaments.pairing.formats.interface import Block, Entrant, Format, PlayedBlock
from polynya_tournaments.pairing.formats.settings import format_of

__all__ = ["Block", "Entrant", "Format", "PlayedBlock", "format_of"]
