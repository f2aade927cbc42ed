"""One tournament from its description to its table.

Drawing, scheduling, playing, and what ends it.
"""
