"""A database in a file, by SQLite."""
