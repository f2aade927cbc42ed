"""Recorded matches played again: by the rules, or by a bot."""
