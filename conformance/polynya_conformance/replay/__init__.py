"""Plays recorded matches again: through the rules, or with a bot."""
