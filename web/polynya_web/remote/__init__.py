"""Matches on the game servers of other processes, followed as spectators by the wire protocol."""
