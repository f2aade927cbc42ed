"""Matches in the database: begun, ended, void; lists of them page by page."""
