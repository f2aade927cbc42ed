"""Knockout and double elimination: the fixed bracket, and what becomes of each fixture of it."""
