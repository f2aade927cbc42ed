"""Contests as pure values and functions: descriptions, pairings, ratings, conduct."""
