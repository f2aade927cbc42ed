"""The content of tournaments' pages: tables, tallies, brackets."""
