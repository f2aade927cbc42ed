"""Combines small writes into few transactions, off the loop."""
