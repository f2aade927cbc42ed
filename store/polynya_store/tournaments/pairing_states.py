"""The states of a match that was drawn, as words in the database."""

OPEN = "open"
"""It is to be played, or in play."""

PLAYED = "played"
"""It has a result."""

ABANDONED = "abandoned"
"""It was given up until the tournament is run again."""

WALKOVER = "walkover"
"""It is decided without being played, because bots missed it."""

DROPPED = "dropped"
"""It was drawn ahead, and a decision has made it needless."""

UNDECIDED = (OPEN, ABANDONED)
"""The states of a match that may still get a result."""
